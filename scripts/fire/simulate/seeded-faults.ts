// Faults of the code, put in on purpose. Each has to be found by seeds of its mode: if none finds it,
// the clients of the simulation are too weak.
import type { Engine } from '../../../engine/index.ts'
import type { Tamper } from './instance.ts'
import type { Mode } from './simulate.ts'

type DocumentsPort = Engine['documents']
type TasksPort = Engine['tasks']

export type SeededFault = {
  readonly what: string
  readonly mode: Mode
  /** The first seed that finds it. */
  readonly seed: number
  readonly tamper: () => Tamper
  /** The first problem that is noticed. */
  readonly noticed: RegExp
}

/** An instance that has the fault. */
const FAULTY = 'b'
/** The first writes after the start are not those of the clients. */
const DROPPED_WRITE = 3
/** One read in this many is answered with the state that was read first. */
const OLD_SHARE = 3

/** The answer of an instance that has accepted a write. */
const CONFIRMATION = Buffer.from(
  JSON.stringify({
    taskUid: 1000,
    indexUid: 'main',
    status: 'enqueued',
    type: 'documentAdditionOrUpdate',
    enqueuedAt: '2027-01-01T00:00:00Z',
  }),
)

function dropsWrite(): Tamper {
  let writes = 0
  return {
    accept: (name, { method, path, headers }) => {
      const isCopy = 'X-Svc-Proxy-Origin-Remote' in headers
      const isWrite = method === 'POST' && path.includes('/documents?')
      if (name !== FAULTY || !isCopy || !isWrite || ++writes !== DROPPED_WRITE) return null
      return { status: 202, headers: {}, body: CONFIRMATION }
    },
  }
}

const takesBusyAsConfirmed = (): Tamper => ({
  received: ({ url }, answer) =>
    answer.status === 429 && url.includes('/indexes/')
      ? { status: 202, body: CONFIRMATION }
      : answer,
})

/** Deletes again after the next write of documents, as if an old request came late. */
function deletesTwice(engine: Engine): Engine {
  let again: (() => Promise<unknown>) | null = null
  const tasks = overriding<TasksPort>(engine.tasks, {
    enqueue: async (request) => {
      const isCopy = request.registration?.network?.kind === 'origin'
      if (isCopy && request.content.kind === 'documentDeletion') {
        again = () => engine.tasks.enqueue(request)
      }
      return engine.tasks.enqueue(request)
    },
  })
  const documents = overriding<DocumentsPort>(engine.documents, {
    enqueueDocuments: async (...given) => {
      const accepted = await engine.documents.enqueueDocuments(...given)
      const late = again
      again = null
      // The machine may be off by now.
      await late?.().catch(() => undefined)
      return accepted
    },
  })
  return overriding(engine, { tasks, documents })
}

function showsOlderState(engine: Engine): Engine {
  const first = new Map<string, Awaited<ReturnType<DocumentsPort['get']>>>()
  let reads = 0
  const documents = overriding<DocumentsPort>(engine.documents, {
    get: async (indexUid, id, ...rest) => {
      const shown = await engine.documents.get(indexUid, id, ...rest)
      const key = `${indexUid}/${id}`
      const old = first.get(key)
      if (old === undefined) first.set(key, shown)
      return old !== undefined && ++reads % OLD_SHARE === 0 ? old : shown
    },
  })
  return overriding(engine, { documents })
}

/** Returns an object with some members in place of those of another one. */
const overriding = <T extends object>(target: T, members: Partial<T>): T =>
  new Proxy(target, {
    get: (_, name) => {
      if (name in members) return members[name as keyof T]
      const value: unknown = Reflect.get(target, name, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })

export const SEEDED_FAULTS: readonly SeededFault[] = [
  {
    what: 'an instance drops a write that it has confirmed',
    mode: 'network',
    seed: 2,
    tamper: dropsWrite,
    noticed: /client reads version null/,
  },
  {
    what: 'a leader takes a 429 for a confirmation',
    mode: 'network',
    seed: 4,
    tamper: takesBusyAsConfirmed,
    noticed: /settings of first on b/,
  },
  {
    what: 'a replica deletes documents a second time after a later write',
    mode: 'network',
    seed: 12,
    tamper: () => ({
      engine: (name, engine) => (name === FAULTY ? deletesTwice(engine) : engine),
    }),
    noticed: /missing or differ|client reads version null/,
  },
  {
    what: 'a follower shows an older state',
    mode: 'followers',
    seed: 3,
    tamper: () => ({
      engine: (_, engine) => (engine.follows === null ? engine : showsOlderState(engine)),
    }),
    noticed: /reads version/,
  },
]
