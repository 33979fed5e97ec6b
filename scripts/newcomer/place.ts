// The working folder of the newcomer, empty but for the installed package. Commands run there as a
// user would write them, and its servers are ended with it.
import { type ChildProcess, spawn } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Outcome } from './report.ts'

export type Variables = { readonly [name: string]: string }
export type Call = {
  readonly method?: string
  readonly path: string
  readonly body?: string
  /** The Content-Type: JSON if absent; an empty text sets none. */
  readonly type?: string
  readonly key?: string
}
export type Server = {
  readonly url: string
  readonly call: (call: Call) => Promise<Outcome>
  /** Ends the server as a user would; resolves to its exit and its whole output. */
  readonly stop: () => Promise<Outcome>
}

const COMMAND_MS_MAX = 120_000
const START_MS_MAX = 60_000
const STOP_MS_MAX = 20_000
const POLL_MS = 100

export class Place {
  readonly folder: string
  readonly #running = new Set<ChildProcess>()

  constructor(folder: string) {
    this.folder = folder
  }

  path(name: string): string {
    return join(this.folder, name)
  }

  write(name: string, text: string | Uint8Array): void {
    writeFileSync(this.path(name), text)
  }

  /** Runs a program of the package to its end. */
  run(program: string, words: readonly string[], variables: Variables = {}): Promise<Outcome> {
    return endOf(this.#spawn(this.#installed(program), words, variables), COMMAND_MS_MAX)
  }

  /** Runs `npx PROGRAM …`, which takes some seconds longer than `run`. */
  npx(program: string, words: readonly string[]): Promise<Outcome> {
    return endOf(this.#spawn('npx', ['--no', '--', program, ...words], {}), COMMAND_MS_MAX)
  }

  /**
   * Starts a server on a free port; with `npx` as the program, it starts `svc-search`.
   * @throws Error with its output, if it ends before it listens
   */
  async start(
    program: 'npx' | 'svc-server',
    words: readonly string[] = [],
    variables: Variables = {},
  ): Promise<Server> {
    const address = `127.0.0.1:${await freePort()}`
    const all = ['--http-addr', address, ...words]
    const child =
      program === 'npx'
        ? this.#spawn('npx', ['--no', '--', 'svc-search', ...all], variables)
        : this.#spawn(this.#installed(program), all, variables)
    const end = endOf(child, null)
    const url = `http://${address}`
    await Promise.race([
      untilHealthy(url),
      end.then(({ text }) => {
        throw new Error(`the server ended before it listened:\n${text}`)
      }),
    ])
    return {
      url,
      call: (call) => request(url, call),
      stop: () => {
        // Ctrl-C in a terminal reaches the whole group; npx does not pass other signals on.
        if (program === 'npx') signalGroup(child, 'SIGINT')
        else child.kill('SIGTERM')
        return within(child, end)
      },
    }
  }

  /** Ends all processes that still run. */
  close(): void {
    for (const child of this.#running) signalGroup(child, 'SIGKILL')
  }

  #installed(program: string): string {
    return this.path(join('node_modules/.bin', program))
  }

  /** Starts a process in a separate group, so that its children end with it (`npx` has some). */
  #spawn(command: string, words: readonly string[], variables: Variables): ChildProcess {
    const child = spawn(command, words, {
      cwd: this.folder,
      env: { ...cleanEnvironment(), ...variables },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    })
    this.#running.add(child)
    child.once('close', () => this.#running.delete(child))
    return child
  }
}

/** Returns the environment without variables that would change the output for a newcomer. */
function cleanEnvironment(): NodeJS.ProcessEnv {
  const own = Object.entries(process.env).filter(([name]) => !/^(?:SVC_|MEILI_)/.test(name))
  return { ...Object.fromEntries(own), NPM_CONFIG_LOGLEVEL: 'error' }
}

function signalGroup(child: ChildProcess, name: NodeJS.Signals): void {
  try {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, name)
  } catch (error) {
    // The group has ended meanwhile.
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

/** Kills a server that does not stop. */
async function within(child: ChildProcess, end: Promise<Outcome>): Promise<Outcome> {
  const timer = setTimeout(() => signalGroup(child, 'SIGKILL'), STOP_MS_MAX)
  try {
    return await end
  } finally {
    clearTimeout(timer)
  }
}

/** Waits for the end of a process; kills it after `millisMax` milliseconds, or never if null. */
function endOf(child: ChildProcess, millisMax: number | null): Promise<Outcome> {
  let text = ''
  const add = (chunk: Buffer): void => {
    text += chunk.toString()
  }
  child.stdout?.on('data', add)
  child.stderr?.on('data', add)
  const timer =
    millisMax === null ? null : setTimeout(() => signalGroup(child, 'SIGKILL'), millisMax)
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      if (timer !== null) clearTimeout(timer)
      resolve({ code, text })
    })
  })
}

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function untilHealthy(url: string): Promise<void> {
  const end = Date.now() + START_MS_MAX
  while (Date.now() < end) {
    try {
      if ((await fetch(`${url}/health`)).ok) return
    } catch (error) {
      // It does not listen yet.
      if (!(error instanceof TypeError)) throw error
    }
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
  throw new Error(`no server listens at ${url} after ${START_MS_MAX / 1000} seconds`)
}

async function request(url: string, call: Call): Promise<Outcome> {
  const { method = 'GET', path, body, type = 'application/json', key } = call
  const response = await fetch(url + path, {
    method,
    headers: {
      ...(body === undefined || type === '' ? {} : { 'content-type': type }),
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
    body: body ?? null,
  })
  return { code: response.status, text: await response.text() }
}

/** Waits until a task has finished; the outcome is the task. */
export async function finished(server: Server, accepted: Outcome, key?: string): Promise<Outcome> {
  const { taskUid } = JSON.parse(accepted.text) as { readonly taskUid: number }
  const end = Date.now() + START_MS_MAX
  for (;;) {
    const found = await server.call({ path: `/tasks/${taskUid}`, ...(key ? { key } : {}) })
    const { status } = JSON.parse(found.text) as { readonly status: string }
    if (!['enqueued', 'processing'].includes(status) || Date.now() > end) return found
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}
