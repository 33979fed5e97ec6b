// `npm run installs`: installs the packed package with many package managers and releases of Node,
// starts the server of each installation, and searches. The package registry must be reachable.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { finished, Place } from '../newcomer/place.ts'
import { CASES, type Case, EMULATOR, isEmulated, nameOf, PROGRAMS, TOOLS } from './cases.table.ts'

const HELP = `npm run installs -- [--only TEXT] [--list]

Installs the packed package in an empty folder with npm, pnpm, yarn and bun on several releases of
Node, with and without install scripts and a compiler; starts each server and searches. Servers
for arm64 run in qemu; they are left out where it is missing.

  --only TEXT  only the cases whose names have this text
  --list       only the names of the cases
`
const STEP_MS_MAX = 300_000
/** Programs that the bare machine has, beside Node. */
const BARE_PROGRAMS = ['sh', 'env', 'uname', 'sed', 'dirname', 'cat']

/** Native packages whose binaries are in the package. */
const SHIPPED = ['fs-ext', 'mmap-io', 'zstd-napi']

type Setup = { readonly root: string; readonly folder: string; readonly tarball: string }

/** Installs the package managers and the releases of Node; they stay for the next run. */
function installTools(root: string): string {
  const folder = join(root, 'node_modules/.svc-installs-tools')
  mkdirSync(folder, { recursive: true })
  const manifest = { name: 'tools', private: true, dependencies: TOOLS }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  // By force, because some are for another processor.
  const words = ['install', '--force', '--ignore-scripts', '--no-audit', '--no-fund']
  runOrThrow('npm', words, { cwd: folder })
  return join(folder, 'node_modules')
}

function pack(root: string, folder: string): string {
  const words = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  const [{ filename }] = JSON.parse(runOrThrow('npm', words, { cwd: root })) as [
    { readonly filename: string },
  ]
  return join(folder, filename)
}

function runOrThrow(
  program: string,
  words: readonly string[],
  options: { readonly cwd: string; readonly env?: NodeJS.ProcessEnv },
): string {
  const done = spawnSync(program, words, { ...options, encoding: 'utf8', timeout: STEP_MS_MAX })
  if (done.error !== undefined) throw done.error
  if (done.status === 0) return done.stdout
  throw new Error(
    `${program} ${words.join(' ')}: exit code ${done.status}\n${done.stdout}${done.stderr}`,
  )
}

/** Returns the PATH of the case: its Node, and either all programs of this machine or few. */
function pathOf(one: Case, tools: string, folder: string): string {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const node = join(tools, one.node, 'bin/node')
  if (isEmulated(one)) {
    const [program, ...words] = EMULATOR
    const line = ['exec', pathOfProgram(program), ...words, node, '"$@"'].join(' ')
    writeFileSync(join(bin, 'node'), `#!/bin/sh\n${line}\n`, { mode: 0o755 })
  } else symlinkSync(node, join(bin, 'node'))
  if (!one.isBare) return `${bin}:${process.env['PATH']}`
  for (const name of BARE_PROGRAMS) {
    const found = pathOfProgram(name)
    if (found !== '') symlinkSync(found, join(bin, name))
  }
  return bin
}

/** Returns an empty text if there is no such program. */
const pathOfProgram = (name: string): string =>
  spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim()

/** Returns program and arguments of the installation. */
function installation(one: Case, tools: string, { tarball }: Setup): readonly string[] {
  const { manager, options = [] } = one
  const program = join(tools, manager, PROGRAMS[manager])
  const add = manager.startsWith('npm') ? 'install' : 'add'
  const what = manager === 'yarn' ? `svc-search@file:${tarball}` : tarball
  const all = [program, add, ...options, what]
  const node = isEmulated(one) ? process.execPath : join(tools, one.node, 'bin/node')
  return manager === 'bun' ? all : [node, ...all]
}

async function tryCase(one: Case, tools: string, setup: Setup): Promise<string> {
  const folder = mkdtempSync(join(setup.folder, 'case-'))
  const place = new Place(join(folder, 'work'))
  mkdirSync(place.folder)
  place.write('package.json', '{ "name": "installs", "private": true }\n')
  place.write('.yarnrc.yml', 'nodeLinker: node-modules\nenableTelemetry: false\n')
  const PATH = pathOf(one, tools, folder)
  const variables = one.natives === undefined ? { PATH } : { PATH, SVC_NATIVES: one.natives }
  const env = { ...process.env, ...variables, CI: '' }
  try {
    if (one.isExec === true) {
      const npm = join(tools, one.manager, PROGRAMS[one.manager])
      const words = [
        npm,
        'exec',
        '--yes',
        `--package=${setup.tarball}`,
        '--',
        'svc-tools',
        'doctor',
      ]
      return lastLine(
        runOrThrow(join(tools, one.node, 'bin/node'), words, { cwd: place.folder, env }),
      )
    }
    const [program = '', ...words] = installation(one, tools, setup)
    runOrThrow(program, words, { cwd: place.folder, env })
    await search(place, variables)
    const doctor = await place.run('svc-tools', ['doctor', '--json'], variables)
    if (doctor.code !== 0) throw new Error(`svc-tools doctor: ${doctor.code}\n${doctor.text}`)
    const { findings } = JSON.parse(doctor.text) as {
      readonly findings: readonly { readonly subject: string; readonly found: string }[]
    }
    const used = findings.filter(({ subject, found }) => subject.includes('(') && found === 'used')
    const names = used.map(({ subject }) => subject.split(' ', 1)[0])
    const lacking = one.natives === undefined ? SHIPPED.filter((name) => !names.includes(name)) : []
    if (lacking.length > 0) throw new Error(`not used: ${lacking.join(', ')}\n${doctor.text}`)
    return `natives: ${names.join(', ') || 'none'}`
  } finally {
    place.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Starts the server, indexes a document and finds it. */
async function search(place: Place, variables: { readonly [name: string]: string }): Promise<void> {
  const server = await place.start('svc-server', [], variables)
  const body = JSON.stringify([{ id: 1, title: 'Der kleine Hafen' }])
  const accepted = await server.call({ method: 'POST', path: '/indexes/a/documents', body })
  await finished(server, accepted)
  const found = await server.call({ path: '/indexes/a/search?q=haffen' })
  const stopped = await server.stop()
  const { hits } = JSON.parse(found.text) as { readonly hits?: readonly unknown[] }
  if (hits?.length !== 1) throw new Error(`nothing was found: ${found.text}\n${stopped.text}`)
  if (stopped.code !== 0) throw new Error(`the server ended with ${stopped.code}\n${stopped.text}`)
}

const lastLine = (text: string): string => text.trimEnd().split('\n').at(-1) ?? ''

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const write = (text: string): void => void process.stdout.write(text)
  if (values.help) {
    write(HELP)
    return 0
  }
  const isHere = (one: Case): boolean => !isEmulated(one) || pathOfProgram(EMULATOR[0]) !== ''
  const cases = CASES.filter((one) => nameOf(one).includes(values.only) && isHere(one))
  if (values.list) {
    write(cases.map((one) => `${nameOf(one)}\n`).join(''))
    return 0
  }
  const root = process.cwd()
  const folder = mkdtempSync(join(tmpdir(), 'svc-installs-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(1))
  const tools = installTools(root)
  const setup = { root, folder, tarball: pack(root, folder) }
  let failed = 0
  for (const one of cases) {
    const begin = performance.now()
    const seconds = (): string => `${((performance.now() - begin) / 1000).toFixed(0)} s`
    try {
      const found = await tryCase(one, tools, setup)
      write(`ok    ${nameOf(one)}: ${found}, ${seconds()}\n`)
    } catch (error) {
      failed++
      write(`FAIL  ${nameOf(one)}, ${seconds()}\n${String(error)}\n`)
    }
  }
  write(`\n${cases.length - failed} of ${cases.length} installations answer a search.\n`)
  return failed === 0 ? 0 : 1
}

process.exitCode = await main()
