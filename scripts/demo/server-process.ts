// A server as a child process: started on a free port with its own folder, stopped cleanly.

import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { Client, DemoError } from './client.ts'

export type StartOptions = {
  /** The script for Node.js: the built server. */
  readonly entry: string
  /** The database folder; also the server's working directory. */
  readonly folder: string
  /** 0 means any free port. */
  readonly port: number
  readonly environment: Readonly<Record<string, string | undefined>>
}

export type RunningServer = {
  readonly url: string
  /** Resolves with its exit code or signal when the server has ended for any reason. */
  readonly ended: Promise<string>
  /** Returns its last output, for messages about its end. */
  readonly lastWords: () => string
  /** Sends SIGTERM, later SIGKILL; returns when it has ended. May be called twice. */
  readonly stop: () => Promise<void>
}

const HOST = '127.0.0.1'
const START_LIMIT_MS = 30_000
const STOP_LIMIT_MS = 15_000
const POLL_MS = 25
const OUTPUT_CHARACTERS_MAX = 4_000

/** Returns when the server answers. @throws DemoError if it ends or does not answer in time */
export async function startServer(options: StartOptions): Promise<RunningServer> {
  const port = options.port === 0 ? await freePort() : options.port
  const parameters = ['--http-addr', `${HOST}:${port}`, '--db-path', options.folder]
  parameters.push('--no-analytics', '--log-level', 'WARN')
  // A separate process group: Ctrl-C reaches only the demo, which then stops the server cleanly.
  const child = spawn(process.execPath, [options.entry, ...parameters], {
    cwd: options.folder,
    detached: process.platform !== 'win32',
    env: withoutOwnVariables(options.environment),
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  const server = watch(child, `http://${HOST}:${port}`)
  try {
    await untilHealthy(server)
  } catch (error) {
    await server.stop()
    throw error
  }
  return server
}

function watch(child: ChildProcess, url: string): RunningServer {
  let output = ''
  const listen = (text: string) => {
    output = (output + text).slice(-OUTPUT_CHARACTERS_MAX)
  }
  child.stdout?.setEncoding('utf8').on('data', listen)
  child.stderr?.setEncoding('utf8').on('data', listen)
  const ended = new Promise<string>((resolve) => {
    child.once('error', (error) => resolve(error.message))
    child.once('exit', (code, signal) => resolve(signal ?? `exit code ${code}`))
  })
  // If the demo crashes, its server must not outlive it.
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  void ended.then(() => process.removeListener('exit', kill))
  const stop = async () => {
    if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
    child.kill('SIGTERM')
    const insist = setTimeout(kill, STOP_LIMIT_MS)
    await ended
    clearTimeout(insist)
  }
  return { url, ended, lastWords: () => complaintIn(output), stop }
}

/** Returns the output from the last error line on, or all of it without one. */
function complaintIn(output: string): string {
  const starts = [...output.matchAll(/^.*\berror\b/gim)]
  return output.slice(starts.at(-1)?.index ?? 0).trim()
}

async function untilHealthy(server: RunningServer): Promise<void> {
  const client = new Client(server.url)
  let end: string | null = null
  void server.ended.then((how) => {
    end = how
  })
  for (const started = Date.now(); Date.now() - started < START_LIMIT_MS; ) {
    if (end !== null) throw new DemoError(`The server ended (${end}).\n${server.lastWords()}`)
    if (await client.isHealthy()) return
    await sleep(POLL_MS)
  }
  const words = server.lastWords()
  throw new DemoError(`The server did not answer within ${START_LIMIT_MS / 1000} s.\n${words}`)
}

/** Removes settings of another server of the user, above all its keys. */
function withoutOwnVariables(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string | undefined> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !/^SVC_/i.test(name)))
}

async function freePort(): Promise<number> {
  const probe = createServer()
  probe.listen(0, HOST)
  await once(probe, 'listening')
  const address = probe.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  probe.close()
  await once(probe, 'close')
  return port
}
