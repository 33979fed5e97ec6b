// `npm run installs`: installs the packed package with many package managers and releases of Node,
// starts the server of each installation, and searches.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Meilisearch } from 'meilisearch'
import { packInto, runCases, runProgram } from '../package-cases.ts'
import { startServer } from '../server-process.ts'
import { CASES, type Case, EMULATOR, isEmulated, nameOf, PROGRAMS, TOOLS } from './cases.table.ts'

/** Programs that the bare machine has, beside Node. */
const BARE_PROGRAMS = ['sh', 'env', 'uname', 'sed', 'dirname', 'cat']
/** Native packages whose binaries are in the package. */
const SHIPPED = ['fs-ext', 'mmap-io', 'zstd-napi']
/** The package managers and the releases of Node; they stay for the next run. */
const TOOLS_FOLDER = join(process.cwd(), 'node_modules/.svc-installs-tools')

const toolPath = (name: string, file: string): string =>
  join(TOOLS_FOLDER, 'node_modules', name, file)

let tarball = ''

function prepare(folder: string): void {
  mkdirSync(TOOLS_FOLDER, { recursive: true })
  const manifest = { name: 'tools', private: true, dependencies: TOOLS }
  writeFileSync(join(TOOLS_FOLDER, 'package.json'), JSON.stringify(manifest))
  // By force, because some are for another processor.
  const words = ['install', '--force', '--ignore-scripts', '--no-audit', '--no-fund']
  runProgram('npm', words, { cwd: TOOLS_FOLDER })
  tarball = packInto(folder)
}

/** Returns an empty text if there is no such program. */
const pathOfProgram = (name: string): string =>
  spawnSync('sh', ['-c', `command -v ${name}`], { encoding: 'utf8' }).stdout.trim()

/** Returns the PATH of the case: its Node, and either all programs of this machine or few. */
function pathOf(one: Case, folder: string): string {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const node = toolPath(one.node, 'bin/node')
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

/** Returns program and arguments of the installation, or of a run without one. */
function commandOf(one: Case): [string, ...string[]] {
  const { manager, options = [], isExec } = one
  const program = toolPath(manager, PROGRAMS[manager])
  const exec = ['exec', '--yes', `--package=${tarball}`, '--', 'svc-tools', '--version']
  const add = manager.startsWith('npm') ? 'install' : 'add'
  const what = manager === 'yarn' ? `svc-search@file:${tarball}` : tarball
  const words = isExec === true ? exec : [add, ...options, what]
  const node = isEmulated(one) ? process.execPath : toolPath(one.node, 'bin/node')
  return manager === 'bun' ? [program, ...words] : [node, program, ...words]
}

async function tryCase(one: Case, parent: string): Promise<string> {
  const folder = mkdtempSync(join(parent, 'case-'))
  const cwd = join(folder, 'work')
  mkdirSync(cwd)
  writeFileSync(join(cwd, 'package.json'), '{ "name": "installs", "private": true }\n')
  writeFileSync(join(cwd, '.yarnrc.yml'), 'nodeLinker: node-modules\nenableTelemetry: false\n')
  const PATH = pathOf(one, folder)
  const variables = one.natives === undefined ? { PATH } : { PATH, SVC_NATIVES: one.natives }
  const env = { ...process.env, ...variables, CI: '' }
  try {
    const [program, ...words] = commandOf(one)
    const output = runProgram(program, words, { cwd, env })
    if (one.isExec === true) return output.trimEnd().split('\n').at(-1) ?? ''
    const installed = (name: string): string => join(cwd, 'node_modules/.bin', name)
    await search(installed('svc-server'), cwd, variables)
    const doctor = runProgram(installed('svc-tools'), ['doctor', '--json'], { cwd, env })
    const { findings } = JSON.parse(doctor) as {
      readonly findings: readonly { readonly subject: string; readonly found: string }[]
    }
    const used = findings.filter(({ subject, found }) => subject.includes('(') && found === 'used')
    const names = used.map(({ subject }) => subject.split(' ', 1)[0])
    const lacking = one.natives === undefined ? SHIPPED.filter((name) => !names.includes(name)) : []
    if (lacking.length > 0) throw new Error(`not used: ${lacking.join(', ')}\n${doctor}`)
    return `natives: ${names.join(', ') || 'none'}`
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Starts the server, indexes a document and finds it. */
async function search(program: string, cwd: string, variables: NodeJS.ProcessEnv): Promise<void> {
  const server = await startServer({ command: [program], cwd, variables })
  const index = new Meilisearch({ host: server.url }).index('a')
  await index.addDocuments([{ id: 1, title: 'Der kleine Hafen' }]).waitTask({ timeout: 0 })
  const { hits } = await index.search('haffen')
  const ended = await server.stop()
  if (hits.length !== 1) throw new Error(`nothing was found: ${ended}`)
  if (!ended.startsWith('exit code 0')) throw new Error(`the server ended with ${ended}`)
}

await runCases({
  program: 'installs',
  about:
    'Installs the packed package with npm, pnpm, yarn and bun on several releases of Node, with and ' +
    'without install scripts and a compiler; starts each server and searches. Cases for arm64 run ' +
    'in qemu and are left out where it is missing',
  cases: CASES.filter((one) => !isEmulated(one) || pathOfProgram(EMULATOR[0]) !== ''),
  nameOf,
  prepare,
  tryCase,
})
