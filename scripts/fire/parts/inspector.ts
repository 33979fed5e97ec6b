// Memory of the threads of a server, as V8's inspector reports it. The server must be started with
// `--inspect=127.0.0.1:0`.
import { WebSocket } from 'undici'
import { pause } from './client.ts'
import { memoryOf, type Program } from './program.ts'

export const INSPECTED = '--inspect=127.0.0.1:0'

const ADDRESS = /Debugger listening on (ws:\S+)/
const ROUNDS = 3
const ROUND_MS = 150
/** A thread may be ending, or busy. */
const ANSWER_MS_MAX = 5000
/** A thread that sleeps in native code does not answer; `read` does not wait longer for it. */
const LOOK_MS_MAX = 500

export type Held = {
  /** Bytes of live objects, of all threads. */
  readonly heap: number
  /** Bytes outside V8's heap that such objects own: buffers. */
  readonly buffers: number
  /** Of the whole process; 0 if the system does not report it. */
  readonly resident: number
}

/** Memory of one thread, garbage included. */
export type ThreadMemory = {
  /** `main`, or the engine's name of the thread. */
  readonly name: string
  /** Bytes of objects. */
  readonly heap: number
  /** Bytes outside V8's heap that objects own, mapped files included, and those in buffers. */
  readonly external: number
  readonly buffers: number
}

/**
 * Returns what live objects hold: garbage is collected first, because V8 may keep it for minutes.
 * @throws if the inspector of the server is off
 */
export async function heldBy(program: Program): Promise<Held> {
  const probe = await ThreadProbe.open(program)
  try {
    // One collection may free objects that hold others.
    for (let i = 0; i < ROUNDS; i++) {
      await probe.all('HeapProfiler.collectGarbage')
      await pause(ROUND_MS)
    }
    const usages = await probe.all('Runtime.getHeapUsage')
    const sum = (member: string): number =>
      usages.reduce((bytes, usage) => bytes + Number(usage[member] ?? 0), 0)
    const resident = memoryOf(program.pid)?.now ?? 0
    return { heap: sum('usedSize'), buffers: sum('backingStorageSize'), resident }
  } finally {
    probe.close()
  }
}

type Result = { readonly [member: string]: unknown }
type Message = {
  readonly id?: number
  readonly method?: string
  readonly result?: Result
  readonly params?: {
    readonly sessionId?: string
    readonly message?: string
    readonly workerInfo?: { readonly title: string }
  }
}

/** Sends inspector messages to the main thread, and through it to the others. */
export class ThreadProbe {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, (result: Result) => void>()
  /** Session → the name of its thread. */
  readonly #threads = new Map<string, string>()
  #last = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(String(data))))
    socket.addEventListener('close', () => {
      for (const answer of this.#waiting.values()) answer({})
    })
  }

  /** @throws if the inspector of the server is off */
  static async open(program: Program): Promise<ThreadProbe> {
    const address = ADDRESS.exec(program.said())?.[1]
    if (address === undefined) throw new Error('the server was not started to be inspected')
    const socket = new WebSocket(address)
    const probe = new ThreadProbe(socket)
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve)
      socket.addEventListener('error', () => reject(new Error('the inspector does not answer')))
    })
    await probe.#call('NodeWorker.enable', { waitForDebuggerOnStart: false })
    return probe
  }

  /** Returns the memory of each thread by name, without threads that do not answer. */
  async read(): Promise<readonly ThreadMemory[]> {
    const question = { expression: 'JSON.stringify(process.memoryUsage())', returnByValue: true }
    const names = ['main', ...this.#threads.values()]
    const usages = await this.all('Runtime.evaluate', question, LOOK_MS_MAX)
    const known = usages.flatMap((usage, i) => {
      const { value } = (usage['result'] ?? {}) as { readonly value?: string }
      if (value === undefined) return []
      const { heapUsed: heap, external, arrayBuffers: buffers } = JSON.parse(value)
      return [{ name: names[i]!, heap, external, buffers }]
    })
    return known.sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  /** Calls every thread, the main one first; threads that have ended return an empty result. */
  all(method: string, params = {}, answerMs = ANSWER_MS_MAX): Promise<readonly Result[]> {
    const others = [...this.#threads.keys()].map((sessionId) => {
      const id = ++this.#last
      const message = JSON.stringify({ id, method, params })
      void this.#call('NodeWorker.sendMessageToWorker', { sessionId, message })
      return this.#answerTo(id, answerMs)
    })
    return Promise.all([this.#call(method, params, answerMs), ...others])
  }

  close(): void {
    this.#socket.close()
  }

  #call(method: string, params: object, answerMs = ANSWER_MS_MAX): Promise<Result> {
    const id = ++this.#last
    this.#socket.send(JSON.stringify({ id, method, params }))
    return this.#answerTo(id, answerMs)
  }

  #answerTo(id: number, answerMs: number): Promise<Result> {
    if (this.#socket.readyState !== WebSocket.OPEN) return Promise.resolve({})
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve({}), answerMs)
      this.#waiting.set(id, (result) => {
        clearTimeout(timer)
        resolve(result)
      })
    })
  }

  #receive({ id, method, result = {}, params = {} }: Message): void {
    const { sessionId = '', message, workerInfo } = params
    if (method === 'NodeWorker.attachedToWorker') {
      this.#threads.set(sessionId, (workerInfo?.title ?? '').replace(/^\[worker \d+\] /, ''))
    } else if (method === 'NodeWorker.detachedFromWorker') this.#threads.delete(sessionId)
    else if (message !== undefined) this.#receive(JSON.parse(message))
    if (id === undefined) return
    this.#waiting.get(id)?.(result)
    this.#waiting.delete(id)
  }
}
