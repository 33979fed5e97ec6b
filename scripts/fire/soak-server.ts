// A server that is restarted and killed while clients keep sending requests: they wait until it is
// back.
import { readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { type Answer, type AskOptions, type Client, clientOf } from './ask.ts'
import { INSPECTED, type ThreadMemory, ThreadProbe } from './heap.ts'
import { type Program, startProgram } from './program.ts'

type Running = {
  readonly program: Program
  readonly client: Client
  /** Closed before the process ends: Node would wait for it. */
  readonly probe: ThreadProbe
}

export class SoakServer {
  readonly #db: string
  readonly #words: readonly string[]
  #running: Promise<Running>
  #isEnding = false

  constructor(db: string, words: readonly string[]) {
    this.#db = db
    this.#words = words
    this.#running = this.#start()
  }

  /** Returns the process that runs now, or the next one when it runs. */
  async program(): Promise<Program> {
    return (await this.#running).program
  }

  /** Returns memory of its threads; empty while it ends. */
  async threads(): Promise<readonly ThreadMemory[]> {
    return (await this.#running).probe.read()
  }

  /** Returns null if the server ended meanwhile; then it is unknown whether the request arrived. */
  async ask(method: string, path: string, options?: AskOptions): Promise<Answer | null> {
    const running = this.#running
    const { client, program } = await running
    try {
      return await client.ask(method, path, options)
    } catch (error) {
      if (this.#running === running && program.isRunning() && !this.#isEnding) throw error
      return null
    }
  }

  /** Ends the process with this signal and starts another one. Resolves when that listens. */
  async restart(signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
    const { program, client, probe } = await this.#running
    this.#running = (async () => {
      probe.close()
      program.kill(signal)
      await program.ended
      client.close()
      return this.#start()
    })()
    await this.#running
  }

  async stop(): Promise<void> {
    this.#isEnding = true
    const { program, client, probe } = await this.#running
    probe.close()
    client.close()
    await program.stop()
  }

  async #start(): Promise<Running> {
    const program = startProgram({ db: this.#db, node: [INSPECTED], words: this.#words })
    const client = clientOf(await program.url)
    return { program, client, probe: await ThreadProbe.open(program) }
  }
}

/** Returns bytes of all files below a folder; files that are removed meanwhile do not count. */
export function bytesBelow(folder: string): number {
  let bytes = 0
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name)
    try {
      bytes += entry.isDirectory() ? bytesBelow(path) : statSync(path).blocks * 512
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    }
  }
  return bytes
}

/** Returns the number of open descriptors of a process; 0 if the system does not report it. */
export function descriptorsOf(pid: number): number {
  try {
    return readdirSync(`/proc/${pid}/fd`).length
  } catch (error) {
    // The process has just ended, or the folder does not exist on this system.
    if (!['ENOENT', 'EACCES'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
    return 0
  }
}
