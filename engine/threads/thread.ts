// One worker thread from its owner's side: typed messages in both directions, and a report of its
// end.
import { Worker } from 'node:worker_threads'
import { leanCompilation } from '../runtime/index.ts'
import { LOADING_MS } from './limits.ts'

export type ThreadOptions<In, Out> = {
  /** The file that the thread runs. */
  readonly file: URL
  /** A worker that already runs this file; it waits for `data` as its first message. */
  readonly running?: Worker | null
  readonly name: string
  /** Passed to the thread as `workerData`. */
  readonly data: object
  /** Heap ceiling in MiB; null means that of the process. */
  readonly heapMegabytes: number | null
  /** Young heap in MiB; absent means that of the process. */
  readonly youngMegabytes?: number
  readonly onMessage: (message: Out, thread: Thread<In, Out>) => void
  /** Called once if the thread ends without being stopped. */
  readonly onCrash: (error: Error, thread: Thread<In, Out>) => void
}

export class Thread<In, Out> {
  readonly name: string
  readonly #worker: Worker
  readonly #ended: Promise<void>
  #stopping = false
  #crashed = false

  constructor(options: ThreadOptions<In, Out>) {
    const { file, name, data, heapMegabytes, youngMegabytes, onMessage, onCrash } = options
    this.name = name
    if (options.running) {
      this.#worker = options.running
      this.#worker.postMessage(data)
    } else {
      this.#worker = new Worker(file, {
        name,
        workerData: data,
        resourceLimits: {
          ...(heapMegabytes === null ? {} : { maxOldGenerationSizeMb: heapMegabytes }),
          ...(youngMegabytes === undefined ? {} : { maxYoungGenerationSizeMb: youngMegabytes }),
        },
      })
    }
    const crash = (error: Error): void => {
      if (this.#stopping || this.#crashed) return
      this.#crashed = true
      onCrash(error, this)
    }
    // A thread that was started ahead may be online already: it loads until its first message.
    const loaded = leanCompilation.suspend()
    this.#worker.once('online', () => setTimeout(loaded, LOADING_MS).unref())
    this.#worker.once('message', loaded)
    this.#worker.on('message', (message: Out) => onMessage(message, this))
    this.#worker.on('messageerror', crash)
    this.#worker.on('error', crash)
    this.#ended = new Promise((resolve) => {
      this.#worker.on('exit', (code) => {
        loaded()
        crash(new Error(`the thread ${name} ended with code ${code}`))
        resolve()
      })
    })
  }

  /** `transfer`: buffers that are moved to the thread instead of being copied. */
  post(message: In, transfer: readonly ArrayBuffer[] = []): void {
    if (!this.#crashed && !this.#stopping) this.#worker.postMessage(message, transfer)
  }

  /** Terminates the thread at any point of its work. */
  async stop(): Promise<void> {
    this.#stopping = true
    await this.#worker.terminate()
    await this.#ended
  }
}
