// `npm run bundles`: installs the packed package in an empty project with several bundlers, bundles
// a program that searches, and runs the bundles.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, rmSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { packInto, runCases, runProgram } from '../package-cases.ts'
import { CASES, type Case, TOOLS } from './cases.table.ts'

const WANTED = 'The Godfather'
const START_MS_MAX = 60_000
const LISTENING = /http:\/\/127\.0\.0\.1:\d+/

/** Installs the package beside the bundlers. */
function prepare(folder: string): void {
  cpSync('scripts/bundles/project', folder, { recursive: true })
  const dependencies = { ...TOOLS, 'svc-search': `file:${basename(packInto(folder))}` }
  const manifest = { name: 'bundles', private: true, type: 'module', dependencies }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  runProgram('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder })
}

async function tryCase(one: Case, folder: string): Promise<string> {
  for (const made of ['out', '.next', 'db']) {
    rmSync(join(folder, made), { recursive: true, force: true })
  }
  const [program = '', ...words] = one.build
  const env = {
    ...process.env,
    PATH: `${join(folder, 'node_modules/.bin')}:${process.env['PATH']}`,
    NEXT_TELEMETRY_DISABLED: '1',
    ...(one.isExternal ? { SVC_EXTERNAL: '1' } : {}),
  }
  runProgram(program, words, { cwd: folder, env })
  const db = join(folder, 'db')
  const printed =
    one.bundle === null
      ? await askNext(folder, db)
      : runProgram(process.execPath, [one.bundle, db], { cwd: folder }).trim()
  if (printed !== WANTED) throw new Error(`it printed ${printed}`)
  return 'finds the film'
}

async function askNext(folder: string, db: string): Promise<string> {
  const words = ['node_modules/next/dist/bin/next', 'start', '-H', '127.0.0.1', '-p', '0']
  const server = spawn(process.execPath, words, {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const late = setTimeout(() => server.kill(), START_MS_MAX)
  try {
    let output = ''
    for await (const text of server.stdout.setEncoding('utf8')) {
      output += text
      const url = LISTENING.exec(output)?.[0]
      if (url === undefined) continue
      return await (await fetch(`${url}/found?${new URLSearchParams({ path: db })}`)).text()
    }
    throw new Error(`the server of Next.js ended: ${output}`)
  } finally {
    clearTimeout(late)
    if (server.exitCode === null && server.kill()) await once(server, 'exit')
  }
}

await runCases({
  program: 'bundles',
  about:
    'Installs the packed package beside several bundlers, bundles a program that searches, with the ' +
    'library in the bundle and outside of it, and runs the bundles',
  cases: CASES,
  nameOf: ({ name }) => name,
  prepare,
  tryCase,
})
