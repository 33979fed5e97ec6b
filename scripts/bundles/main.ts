// `npm run bundles`: installs the packed package in an empty project with several bundlers, bundles
// a program that searches, and runs the bundles. The package registry must be reachable.
import { spawn, spawnSync } from 'node:child_process'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { CASES, type Case, TOOLS } from './cases.table.ts'

const HELP = `npm run bundles -- [--only TEXT] [--list]

Installs the packed package and several bundlers in an empty project, bundles a program that adds
documents and searches, with the library in the bundle and outside of it, and runs the bundles.

  --only TEXT  only the cases whose names have this text
  --list       only the names of the cases
`
const STEP_MS_MAX = 600_000
const START_MS_MAX = 60_000
const WANTED = 'The Godfather'

function run(cwd: string, program: string, words: readonly string[], env = {}): string {
  const variables = { ...process.env, NEXT_TELEMETRY_DISABLED: '1', ...env }
  const options = { cwd, env: variables, encoding: 'utf8', timeout: STEP_MS_MAX } as const
  const { error, status, stdout, stderr } = spawnSync(program, words, options)
  if (error !== undefined) throw error
  if (status === 0) return stdout
  throw new Error(`${program} ${words.join(' ')}: exit code ${status}\n${stdout}${stderr}`)
}

/** Packs the package, and installs it beside the bundlers in `folder`. */
function install(root: string, folder: string): void {
  cpSync(join(root, 'scripts/bundles/project'), folder, { recursive: true })
  const words = ['pack', '--ignore-scripts', '--json', '--pack-destination', folder]
  const [{ filename }] = JSON.parse(run(root, 'npm', words)) as [{ readonly filename: string }]
  const dependencies = { ...TOOLS, 'svc-search': `file:${filename}` }
  const manifest = { name: 'bundles', private: true, type: 'module', dependencies }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  run(folder, 'npm', ['install', '--no-audit', '--no-fund'])
}

/** Returns what the program prints. */
async function tryCase(one: Case, folder: string): Promise<string> {
  for (const made of ['out', '.next', 'db']) {
    rmSync(join(folder, made), { recursive: true, force: true })
  }
  const [program = '', ...words] = one.build
  const PATH = `${join(folder, 'node_modules/.bin')}:${process.env['PATH']}`
  run(folder, program, words, one.isExternal ? { PATH, SVC_EXTERNAL: '1' } : { PATH })
  if (one.bundle === null) return askNext(folder)
  return run(folder, process.execPath, [one.bundle, join(folder, 'db')]).trim()
}

async function askNext(folder: string): Promise<string> {
  const port = String(await freePort())
  const words = ['node_modules/next/dist/bin/next', 'start', '-H', '127.0.0.1', '-p', port]
  const server = spawn(process.execPath, words, { cwd: folder, stdio: 'ignore' })
  const ended = new Promise((resolve) => server.once('exit', resolve))
  const query = new URLSearchParams({ path: join(folder, 'db') })
  try {
    for (const end = performance.now() + START_MS_MAX; performance.now() < end; ) {
      const answer = await fetch(`http://127.0.0.1:${port}/found?${query}`).catch(() => null)
      if (answer !== null) return await answer.text()
      await sleep(100)
    }
    throw new Error('the server of Next.js did not answer')
  } finally {
    server.kill()
    await ended
  }
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer().once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      const port = typeof address === 'object' && address !== null ? address.port : 0
      server.close(() => resolve(port))
    })
  })

async function main(): Promise<number> {
  const { values } = parseArgs({
    options: {
      only: { type: 'string', default: '' },
      list: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })
  const write = (text: string): void => void process.stdout.write(text)
  const cases = CASES.filter(({ name }) => name.includes(values.only))
  if (values.help || values.list) {
    write(values.help ? HELP : cases.map(({ name }) => `${name}\n`).join(''))
    return 0
  }
  const folder = mkdtempSync(join(tmpdir(), 'svc-bundles-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => process.exit(1))
  install(process.cwd(), folder)
  let failed = 0
  for (const one of cases) {
    const begin = performance.now()
    const printed = await tryCase(one, folder).catch(String)
    const isFine = printed === WANTED
    if (!isFine) failed++
    const seconds = ((performance.now() - begin) / 1000).toFixed(0)
    write(`${isFine ? 'ok  ' : 'FAIL'}  ${one.name}, ${seconds} s\n${isFine ? '' : `${printed}\n`}`)
  }
  write(`\n${cases.length - failed} of ${cases.length} bundles find the film.\n`)
  return failed === 0 ? 0 : 1
}

process.exitCode = await main()
