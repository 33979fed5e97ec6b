// Runs shell blocks of pages in bash with a few programs only: `curl` reaches only the server of
// the test, as do the commands of the built `svc-tools` that query a server; the other ones,
// `svc-server`, `npm`, `npx` and `node` only record their calls; some harmless programs run
// normally. A page therefore cannot change the machine that tests it.
import { spawn } from 'node:child_process'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { MASTER_KEY } from './test-server.ts'

export type Call = {
  readonly program: string
  readonly words: readonly string[]
  /** The variables `SVC_…` of its environment. */
  readonly variables: { readonly [name: string]: string }
}

export type ShellRun = {
  readonly code: number | null
  readonly output: string
  readonly calls: readonly Call[]
}

const HARMLESS = ['bash', 'cat', 'env', 'grep', 'head', 'ln', 'sed', 'sleep']
const NOTED = ['svc-server', 'svc-search', 'svc-tools', 'npm', 'npx', 'node']
/** Commands of `svc-tools` that use nothing but a server. */
const REMOTE_COMMANDS = ['remote', 'relevance']
const TOOLS = fileURLToPath(new URL('../../dist/tools/main.js', import.meta.url))
const TIMEOUT_MS = 60_000
/** Separates the words of a recorded call and its variables. */
const SEPARATOR = '\x01'

/** The variables for keys and addresses on pages. */
const VARIABLES = {
  KEY: MASTER_KEY,
  ADMIN_KEY: MASTER_KEY,
  MASTER_KEY,
  SVC: 'http://localhost:7700',
  ID: 'id',
  SECRET: 'secret',
  API_KEY: MASTER_KEY,
}

/** A folder in which the blocks of one page run, one after another. */
export class Shell {
  readonly folder = mkdtempSync(join(tmpdir(), 'svc-docs-'))
  readonly #bin = join(this.folder, '.bin')
  readonly #calls = join(this.folder, '.calls')
  readonly #port: string

  constructor(port: string) {
    this.#port = port
    mkdirSync(this.#bin)
    mkdirSync(this.#calls)
    for (const name of NOTED) this.#install(name, noteCall(name, this.#calls))
    const tools = `exec "${process.execPath}" "${TOOLS}" "$@" --url "http://127.0.0.1:${port}"`
    const isRun = `[ "$PARSE_ONLY" = no ] && case "$1" in ${REMOTE_COMMANDS.join('|')}) ${tools} ;; esac`
    this.#install('svc-tools', `${noteCall('svc-tools', this.#calls)}\n${isRun}\nexit 0`)
    for (const name of HARMLESS) symlinkSync(programPath(name), join(this.#bin, name))
    // Examples show answers with `jq` and generate keys with `openssl`.
    this.#install('jq', 'exec cat')
    this.#install('openssl', 'echo ZHJhd24gYnkgdGhlIGV4YW1wbGVzIG9mIHRoZSBwYWdlcw==')
    const flags = `${CURL_FLAGS} --connect-to "::127.0.0.1:${port}"`
    this.#install('curl', `exec "${programPath('curl')}" ${flags} "$@"`)
  }

  #install(name: string, command: string): void {
    const file = join(this.#bin, name)
    writeFileSync(file, `#!${programPath('bash')}\n${command}\n`)
    chmodSync(file, 0o755)
  }

  /** `parseOnly`: no command of the tools runs. */
  async run(script: string, parseOnly = false): Promise<ShellRun> {
    const child = spawn(programPath('bash'), ['-e', '-c', script], {
      cwd: this.folder,
      env: {
        ...VARIABLES,
        PATH: this.#bin,
        HOME: this.folder,
        PARSE_ONLY: parseOnly ? 'yes' : 'no',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      timeout: TIMEOUT_MS,
    })
    const output: string[] = []
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => output.push(text))
    }
    const code = await new Promise<number | null>((resolve) => child.on('close', resolve))
    return { code, output: output.join(''), calls: this.#takeCalls() }
  }

  /** Runs a program in JavaScript, like `run`; `root` has the packages that it imports. */
  async runModule(text: string, root: string): Promise<ShellRun> {
    this.#writeProgram('example.mjs', text)
    const link = `ln -sfn "${join(root, 'node_modules')}" node_modules`
    return this.run(`${link}\nexec "${process.execPath}" example.mjs`)
  }

  /** Runs a program in another language, or returns null if this machine cannot run it. */
  async runProgram(interpreter: string, text: string): Promise<ShellRun | null> {
    const program = findProgram(interpreter)
    if (program === undefined) return null
    this.#writeProgram('example', text)
    return this.run(`exec "${program}" example`)
  }

  #writeProgram(name: string, text: string): void {
    const here = text.replaceAll('localhost:7700', `127.0.0.1:${this.#port}`)
    writeFileSync(join(this.folder, name), here)
  }

  /** Returns the calls of programs since the last time, in order. */
  #takeCalls(): Call[] {
    const files = readdirSync(this.#calls).map((name) => join(this.#calls, name))
    return files.map((file) => {
      const [words = '', variables = ''] = readFileSync(file, 'utf8').split(SEPARATOR)
      rmSync(file)
      const [program = '', ...rest] = words.split('\0').slice(0, -1)
      return { program, words: rest, variables: variablesOf(variables) }
    })
  }

  remove(): void {
    rmSync(this.folder, { recursive: true })
  }
}

const CURL_FLAGS = '--silent --show-error --max-time 20'

/** Returns the path of a program of this machine. */
function programPath(name: string): string {
  const found = findProgram(name)
  if (found === undefined) throw new Error(`there is no ${name} on this machine`)
  return found
}

/** Shims of version managers need programs that the examples may not run. */
function findProgram(name: string): string | undefined {
  const folders = process.env['PATH']!.split(':').filter((folder) => !folder.endsWith('/shims'))
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file))
}

/** Bash alone: two more processes for each call would take longer than the call. */
const PRINT_VARIABLES = `for v in "\${!SVC_@}"; do printf '%s=%s\\0' "$v" "\${!v}"; done`

const noteCall = (name: string, folder: string): string =>
  `{ printf '%s\\0' ${name} "$@"; printf '\\1'; ${PRINT_VARIABLES}; } > "${folder}/$$"`

function variablesOf(text: string): Record<string, string> {
  const pairs = text.split('\0').filter((pair) => pair.startsWith('SVC_'))
  return Object.fromEntries(
    pairs.map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]),
  )
}

/**
 * Returns the command lines of `svc-server` and `svc-tools` in a script that does not run, each up
 * to its pipe, redirection or end.
 */
export function ownCommands(script: string): string[] {
  const joined = script.replaceAll(/\\\n\s*/g, ' ')
  return [
    ...joined.matchAll(/(?:^|[|&;(`] ?)((?:\w+=\S+ )*svc-(?:server|search|tools) .*)$/gm),
  ].map(
    ([, line]) =>
      line!.replace(/(?:'[^']*'|"[^"]*"|[^'"|&;>#)]|(?<=\S)#)*/, '$&\n').split('\n')[0]!,
  )
}
