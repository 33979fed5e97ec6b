// What a server's main thread holds, as V8's inspector tells it: the server has to be started with
// `--inspect=127.0.0.1:0`. Garbage is collected first, so that what is counted is what is kept.
import { WebSocket } from 'undici'
import { pause } from './ask.ts'
import { memoryOf, type Program } from './program.ts'

export const INSPECTED = '--inspect=127.0.0.1:0'

const ADDRESS = /Debugger listening on (ws:\S+)/
const ROUNDS = 3
const ROUND_MS = 150

export type Held = {
  /** Bytes of live objects of the main thread. */
  readonly heap: number
  /** Bytes outside V8's heap that objects of it own: buffers. */
  readonly buffers: number
  /** Of the whole process, all threads; 0 where the system does not tell. */
  readonly resident: number
}

/** @throws when the server is not inspected */
export async function heldBy(program: Program): Promise<Held> {
  const address = ADDRESS.exec(program.said())?.[1]
  if (address === undefined) throw new Error('the server was not started to be inspected')
  const socket = new WebSocket(address)
  const call = caller(socket)
  try {
    await new Promise((resolve, reject) => {
      socket.addEventListener('open', resolve)
      socket.addEventListener('error', () => reject(new Error('the inspector does not answer')))
    })
    // What one collection sets free may hold more.
    for (let i = 0; i < ROUNDS; i++) {
      await call('HeapProfiler.collectGarbage')
      await pause(ROUND_MS)
    }
    const usage = await call('Runtime.getHeapUsage')
    return {
      heap: Number(usage['usedSize'] ?? 0),
      buffers: Number(usage['backingStorageSize'] ?? 0),
      resident: memoryOf(program.pid)?.now ?? 0,
    }
  } finally {
    socket.close()
  }
}

type Result = { readonly [member: string]: unknown }

function caller(socket: WebSocket): (method: string) => Promise<Result> {
  const waiting = new Map<number, (result: Result) => void>()
  let last = 0
  socket.addEventListener('message', ({ data }) => {
    const answer = JSON.parse(String(data)) as { id?: number; result?: Result }
    waiting.get(answer.id ?? 0)?.(answer.result ?? {})
    waiting.delete(answer.id ?? 0)
  })
  return (method) =>
    new Promise((resolve) => {
      waiting.set(++last, resolve)
      socket.send(JSON.stringify({ id: last, method }))
    })
}
