// A server of the search API as a process: started by a command, watched through `/proc`.
import { spawn } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { ToolError } from '../../../tools/terminal/index.ts'
import { type Client, clientOf, pause } from '../../fire/parts/client.ts'
import { cpuSecondsOf, memoryOf } from '../../fire/parts/program.ts'

export type RunningServer = {
  readonly client: Client
  /** Processor time so far, in seconds. */
  readonly cpu: () => number
  /** Resident memory in bytes, now and at its highest. */
  readonly memory: () => { readonly now: number; readonly peak: number }
  readonly stop: () => Promise<void>
}

const START_MS_MAX = 60_000
const POLL_MS = 2
const OUTPUT_CHARACTERS_MAX = 2_000
const MB = 1e6

/**
 * Starts `command`, whose words may hold `{db}` and `{port}`, and returns when `isReady` does.
 * `onLine` receives each line that it prints.
 * @throws ToolError with its output if it ends first or is late
 */
export async function startSystem(
  command: string,
  db: string,
  isReady: (client: Client) => Promise<boolean>,
  onLine: (line: string) => void = () => undefined,
): Promise<RunningServer> {
  const port = await freePort()
  const filled = (word: string) => word.replaceAll('{db}', db).replaceAll('{port}', String(port))
  const [program = '', ...words] = command.split(' ').map(filled)
  const child = spawn(program, words, { cwd: join(db, '..'), stdio: ['ignore', 'pipe', 'pipe'] })
  const kill = (): void => void child.kill('SIGKILL')
  process.once('exit', kill)
  let output = ''
  createInterface(child.stdout).on('line', onLine)
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output = (output + text).slice(-OUTPUT_CHARACTERS_MAX)
    })
  }
  let hasEnded = false
  const ended = new Promise<void>((resolve) => {
    child.once('error', (error) => {
      output += error.message
      resolve()
    })
    child.once('close', () => resolve())
  }).then(() => {
    hasEnded = true
    process.removeListener('exit', kill)
  })
  const client = clientOf(`http://127.0.0.1:${port}`)
  const isUp = (): Promise<boolean> => isReady(client).catch(() => false)
  for (const begun = performance.now(); !(await isUp()); await pause(POLL_MS)) {
    if (!hasEnded && performance.now() - begun < START_MS_MAX) continue
    kill()
    throw new ToolError(`${command} does not answer: ${output}`)
  }
  const pid = child.pid ?? 0
  return {
    client,
    cpu: () => cpuSecondsOf(pid),
    memory: () => memoryOf(pid) ?? { now: 0, peak: 0 },
    stop: async () => {
      client.close()
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** Returns a port of the loopback interface that is free now. */
function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer()
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      server.close(() => resolve(typeof address === 'object' ? (address?.port ?? 0) : 0))
    })
  })
}

const BLOCK_BYTES = 512

/** Returns megabytes of allocated blocks below a folder. */
export function megabytesBelow(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  const blocks = files
    .filter((file) => file.isFile())
    .map((file) => statSync(join(file.parentPath, file.name)).blocks)
  return (blocks.reduce((sum, count) => sum + count, 0) * BLOCK_BYTES) / MB
}

export const megabytes = (bytes: number): number => bytes / MB
