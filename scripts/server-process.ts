// A server as a process of its own, as users start it: on the loopback interface, with its own
// folder, ended by a signal.
import { spawn } from 'node:child_process'
import { ToolError } from '../tools/terminal/index.ts'

export type ServerProcess = {
  readonly url: string
  /** Resolves to its exit code or signal, and the end of its output. */
  readonly ended: Promise<string>
  /** Sends SIGTERM, later SIGKILL; returns `ended`. */
  readonly stop: () => Promise<string>
}

export type ServerStart = {
  /** The program with its arguments. */
  readonly command: readonly string[]
  readonly cwd: string
  readonly variables?: NodeJS.ProcessEnv
  /** 0, the default, means any free port. */
  readonly port?: number
}

const START_MS_MAX = 60_000
const STOP_MS_MAX = 20_000
const OUTPUT_CHARACTERS_MAX = 4_000
const LISTENING = / listening host=\S+ port=(\d+)/

/** Returns when the server listens. @throws ToolError with its output if it ends before */
export async function startServer(start: ServerStart): Promise<ServerProcess> {
  const [program = '', ...words] = start.command
  const address = `127.0.0.1:${start.port ?? 0}`
  const child = spawn(program, [...words, '--http-addr', address, '--no-analytics'], {
    cwd: start.cwd,
    // A group of its own: Ctrl-C reaches only the caller, which then stops the server.
    detached: process.platform !== 'win32',
    env: { ...cleanEnvironment(), ...start.variables },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  let output = ''
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('close', (code, signal) => resolve(`${signal ?? `exit code ${code}`}\n${output}`))
  })
  void ended.then(() => process.removeListener('exit', kill))
  const stop = async (): Promise<string> => {
    child.kill('SIGTERM')
    const killTimer = setTimeout(kill, STOP_MS_MAX)
    const how = await ended
    clearTimeout(killTimer)
    return how
  }
  const listening = new Promise<string>((resolve) => {
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (text: string) => {
        output = (output + text).slice(-OUTPUT_CHARACTERS_MAX)
        const port = LISTENING.exec(output)?.[1]
        if (port !== undefined) resolve(port)
      })
    }
  })
  const late = setTimeout(kill, START_MS_MAX)
  const port = await Promise.race([listening, ended.then(() => null)])
  clearTimeout(late)
  if (port === null) throw new ToolError(`The server ended: ${await ended}`)
  return { url: `http://127.0.0.1:${port}`, ended, stop }
}

/** Returns the environment without settings of another server of the user, above all its keys. */
const cleanEnvironment = (): NodeJS.ProcessEnv =>
  Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(?:SVC|MEILI)_/i.test(name)))
