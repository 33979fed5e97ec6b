// For clusters whose members are sent the same requests: the header `TaskId` says which uid a task
// gets, `DryRun` that it is only answered. Whatever route takes a task in, the headers of its
// request are read when it does: they are at hand for the whole of a request.
import { AsyncLocalStorage } from 'node:async_hooks'
import type { Engine, Registration } from '../engine/index.ts'
import { ApiError } from './errors/index.ts'
import type { Route, RouteRequest } from './http/index.ts'

const TASK_ID = 'taskid'
const DRY_RUN = 'dryrun'
const UID_MAX = 0xffffffff

type Headers = Pick<RouteRequest, 'header'>

/** What the headers of a request say. @throws ApiError bad_request */
export function readRegistration({ header }: Headers): Registration {
  const isDry = header(DRY_RUN)?.toLowerCase() === 'true'
  const text = header(TASK_ID)
  return { uid: text === undefined ? null : readUid(text), isDry }
}

function readUid(text: string): number {
  const problem = uidProblem(text)
  if (problem === null) return Number(text)
  throw new ApiError('bad_request', problem)
}

function uidProblem(text: string): string | null {
  const refused = (why: string): string => `Could not parse the TaskId as a u32: ${why}`
  if (/[^\x20-\x7e]/.test(text)) return 'TaskId is not a valid utf-8 string: it has other bytes'
  if (text === '') return refused('cannot parse integer from empty string')
  if (!/^\+?\d+$/.test(text)) return refused('invalid digit found in string')
  return Number(text) > UID_MAX ? refused('number too large to fit in target type') : null
}

/** An engine that heeds the headers of the request in whose course it is asked. */
export class Replication {
  readonly #requests = new AsyncLocalStorage<Headers>()
  readonly engine: Engine

  constructor(engine: Engine) {
    const registration = (): Registration => {
      const request = this.#requests.getStore()
      return request === undefined ? { uid: null, isDry: false } : readRegistration(request)
    }
    const heeding: Partial<Engine> = {
      enqueue: async (request) => engine.enqueue({ ...request, registration: registration() }),
      enqueueDump: async () => engine.enqueueDump(registration()),
      enqueueDocuments: async (indexUid, body, options) =>
        engine.enqueueDocuments(indexUid, body, { ...options, registration: registration() }),
      enqueueCancelation: async (...[filter, query, visible]) =>
        engine.enqueueCancelation(filter, query, visible, registration()),
      enqueueDeletion: async (...[filter, query, visible]) =>
        engine.enqueueDeletion(filter, query, visible, registration()),
    }
    this.engine = new Proxy(engine, {
      get: (target, name) => {
        const own: unknown = Reflect.get(heeding, name)
        if (own !== undefined) return own
        const value: unknown = Reflect.get(target, name, target)
        return typeof value === 'function' ? value.bind(target) : value
      },
    })
  }

  /** The routes, with their requests at hand for the engine. */
  routes(routes: readonly Route[]): readonly Route[] {
    return routes.map((route) => ({
      ...route,
      handle: (request) =>
        this.#requests.run({ header: (name) => request.header(name) }, () => route.handle(request)),
    }))
  }
}
