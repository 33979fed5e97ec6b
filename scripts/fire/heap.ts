// What the threads of a server hold, as V8's inspector tells it: the server has to be started with
// `--inspect=127.0.0.1:0`. Garbage is collected first, so that what is counted is what is kept:
// without need, V8 lets much of it lie about for minutes.
import { WebSocket } from 'undici'
import { pause } from './ask.ts'
import { memoryOf, type Program } from './program.ts'

export const INSPECTED = '--inspect=127.0.0.1:0'

const ADDRESS = /Debugger listening on (ws:\S+)/
const ROUNDS = 3
const ROUND_MS = 150
/** A thread may end, or be in the middle of work. */
const ANSWER_MS_MAX = 5000

export type Held = {
  /** Bytes of live objects, of all threads. */
  readonly heap: number
  /** Bytes outside V8's heap that such objects own: buffers. */
  readonly buffers: number
  /** Of the whole process; 0 where the system does not tell. */
  readonly resident: number
}

/** @throws when the server is not inspected */
export async function heldBy(program: Program): Promise<Held> {
  const address = ADDRESS.exec(program.said())?.[1]
  if (address === undefined) throw new Error('the server was not started to be inspected')
  const inspector = await Inspector.open(address)
  try {
    // What one collection sets free may hold more.
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
  readonly params?: { readonly sessionId?: string; readonly message?: string }
}

/** Speaks to the main thread, and through it to the others. */
class Inspector {
  readonly #socket: WebSocket
  readonly #waiting = new Map<number, (result: Result) => void>()
  readonly #threads = new Set<string>()
  #last = 0

  private constructor(socket: WebSocket) {
    this.#socket = socket
    socket.addEventListener('message', ({ data }) => this.#hear(JSON.parse(String(data))))
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

  /** Asks every thread; those that have gone meanwhile tell nothing. */
  all(method: string): Promise<readonly Result[]> {
    return Promise.all([
      this.#call(method),
      ...[...this.#threads].map((sessionId) => this.#callThread(sessionId, method)),
    ])
  }

  close(): void {
    this.#socket.close()
  }

  #call(method: string, params: object = {}): Promise<Result> {
    const id = ++this.#last
    this.#socket.send(JSON.stringify({ id, method, params }))
    return this.#answerTo(id)
  }

  #callThread(sessionId: string, method: string): Promise<Result> {
    const id = ++this.#last
    const message = JSON.stringify({ id, method })
    void this.#call('NodeWorker.sendMessageToWorker', { sessionId, message })
    return this.#answerTo(id)
  }

  #answerTo(id: number): Promise<Result> {
    return new Promise((resolve) => {
      const timer = setTimeout(() => resolve({}), ANSWER_MS_MAX)
      this.#waiting.set(id, (result) => {
        clearTimeout(timer)
        resolve(result)
      })
    })
  }

  #hear({ id, method, result = {}, params = {} }: Message): void {
    const { sessionId = '', message } = params
    if (method === 'NodeWorker.attachedToWorker') this.#threads.add(sessionId)
    else if (method === 'NodeWorker.detachedFromWorker') this.#threads.delete(sessionId)
    else if (message !== undefined) this.#hear(JSON.parse(message))
    if (id === undefined) return
    this.#waiting.get(id)?.(result)
    this.#waiting.delete(id)
  }
}
