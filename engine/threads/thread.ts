// One worker thread as its owner sees it: typed messages both ways, and the news of its end.
import { Worker } from 'node:worker_threads'

export type ThreadOptions<In, Out> = {
  /** The file the thread runs. */
  readonly file: URL
  /** A worker of that file which runs already; it waits for `data` as its first message. */
  readonly running?: Worker | null
  readonly name: string
  /** Given to the thread as `workerData`. */
  readonly data: object
  /** Heap ceilings in MiB; null: those of the process. */
  readonly heapMegabytes: number | null
  /** Room for short-lived objects in MiB; that of the process when absent. */
  readonly youngMegabytes?: number
  readonly onMessage: (message: Out, thread: Thread<In, Out>) => void
  /** The thread ended without being asked to. It is told once, whatever happened. */
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
    this.#worker.on('message', (message: Out) => onMessage(message, this))
    this.#worker.on('messageerror', crash)
    this.#worker.on('error', crash)
    this.#ended = new Promise((resolve) => {
      this.#worker.on('exit', (code) => {
        crash(new Error(`the thread ${name} ended with code ${code}`))
        resolve()
      })
    })
  }

  /** `transfer`: buffers whose memory goes along instead of being copied. */
  post(message: In, transfer: readonly ArrayBuffer[] = []): void {
    if (!this.#crashed && !this.#stopping) this.#worker.postMessage(message, transfer)
  }

  /** Ends the thread wherever it is. */
  async stop(): Promise<void> {
    this.#stopping = true
    await this.#worker.terminate()
    await this.#ended
  }
}
