// Memory of the threads of a server, as V8's inspector reports it. The server must be started with
// `--inspect=127.0.0.1:0`. Garbage is collected first, so that only live objects count: V8 may
// otherwise keep garbage for minutes.
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
  /** Bytes outside V8's heap that objects own, mapped files included. */
  readonly external: number
  /** The part of it in buffers. */
  readonly buffers: number
}

/** Reads the memory of the threads of one process repeatedly. */
export class ThreadProbe {
  readonly #inspector: Inspector

  private constructor(inspector: Inspector) {
    this.#inspector = inspector
  }

  /** @throws if the inspector of the server is off */
  static async open(program: Program): Promise<ThreadProbe> {
    return new ThreadProbe(await inspectorOf(program))
  }

  /**
   * Returns the memory of each thread by name; threads that do not answer are left out. Empty if
   * the process has ended.
   */
  async read(): Promise<readonly ThreadMemory[]> {
    const expression = 'JSON.stringify(process.memoryUsage())'
    const question = { expression, returnByValue: true }
    const names = ['main', ...this.#inspector.threadNames]
    const usages = await this.#inspector.all('Runtime.evaluate', question, LOOK_MS_MAX)
    const known = usages.flatMap((usage, i) => {
      const { value } = (usage['result'] ?? {}) as { readonly value?: string }
      if (value === undefined) return []
      const { heapUsed: heap, external, arrayBuffers: buffers } = JSON.parse(value)
      return [{ name: names[i]!, heap, external, buffers }]
    })
    return known.sort((a, b) => (a.name < b.name ? -1 : 1))
  }

  close(): void {
    this.#inspector.close()
  }
}

function inspectorOf(program: Program): Promise<Inspector> {
  const address = ADDRESS.exec(program.said())?.[1]
  if (address === undefined) throw new Error('the server was not started to be inspected')
  return Inspector.open(address)
}

/** @throws if the inspector of the server is off */
export async function heldBy(program: Program): Promise<Held> {
  const inspector = await inspectorOf(program)
  try {
    // One collection may free objects that hold others.
    for (let i = 0; i < ROUNDS; i++) {
      await inspector.all('HeapProfiler.collectGarbage')
      await pause(ROUND_MS)
    }
    const usages = await inspector.all('Runtime.getHeapUsage')
    const sum = (member: string): number =>
      usages.reduce((bytes, usage) => bytes + Number(usage[member] ?? 0), 0)
    const resident = memoryOf(program.pid)?.now ?? 0
    return { heap: sum('usedSize'), buffers: sum('backingStorageSize'), resident }
  } finally {
    inspector.close()
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
class Inspector {
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

  static async open(address: string): Promise<Inspector> {
    const socket = new WebSocket(address)
    const inspector = new Inspector(socket)
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve)
      socket.addEventListener('error', () => reject(new Error('the inspector does not answer')))
    })
    await inspector.#call('NodeWorker.enable', { waitForDebuggerOnStart: false })
    return inspector
  }

  /** All but the main thread, in the order of `all`. */
  get threadNames(): readonly string[] {
    return [...this.#threads.values()]
  }

  /** Calls every thread, the main one first; threads that have ended return an empty result. */
  all(method: string, params = {}, answerMs = ANSWER_MS_MAX): Promise<readonly Result[]> {
    return Promise.all([
      this.#call(method, params, answerMs),
      ...[...this.#threads.keys()].map((id) => this.#callThread(id, method, params, answerMs)),
    ])
  }

  close(): void {
    this.#socket.close()
  }

  #call(method: string, params: object = {}, answerMs = ANSWER_MS_MAX): Promise<Result> {
    const id = ++this.#last
    this.#socket.send(JSON.stringify({ id, method, params }))
    return this.#answerTo(id, answerMs)
  }

  #callThread(
    sessionId: string,
    method: string,
    params: object,
    answerMs: number,
  ): Promise<Result> {
    const id = ++this.#last
    const message = JSON.stringify({ id, method, params })
    void this.#call('NodeWorker.sendMessageToWorker', { sessionId, message })
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
