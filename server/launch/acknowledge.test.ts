// When a write is acknowledged: the order of the lease, the work and the publication.
import { expect, it } from 'vitest'
import { type Engine, EngineFault } from '../../engine/index.ts'
import type { Reply, Route } from '../http/messages/index.ts'
import { withAcknowledgement } from './acknowledge.ts'

type Publication = NonNullable<Engine['publication']>

const lapsed = (): EngineFault => new EngineFault('writer_lease_lapsed', 'lapsed')

function routeOf(reply: Reply, more: Partial<Route>, done: string[]): Route {
  const handle = async (): Promise<Reply> => {
    done.push('handled')
    return reply
  }
  const made = { method: 'POST', path: '/x', permits: 'documents.add', handle, ...more }
  return made as Route
}

/** Sends a request to a route of an instance with a lease; returns the answer and what was done. */
async function ask(
  reply: Reply,
  more: Partial<Route> = {},
  publication: Partial<Publication> = {},
) {
  const done: string[] = []
  const status = { lease: { term: 7, isHeld: true } } as Publication['status']
  const engine = {
    publication: {
      status,
      expectHeld: () => void done.push('held'),
      acknowledged: async (isTask: boolean) => void done.push(isTask ? 'task' : 'change'),
      ...publication,
    },
  }
  const [route] = withAcknowledgement([routeOf(reply, more, done)], engine)
  const request = {} as Parameters<Route['handle']>[0]
  const answer = await Promise.resolve(route!.handle(request)).catch(
    (error: EngineFault) => error.code,
  )
  return { answer, done }
}

const ACCEPTED: Reply = { status: 202, body: '{}', contentType: 'application/json' }

it('a task is acknowledged by the lease, after it was registered', async () => {
  const { answer, done } = await ask(ACCEPTED)
  expect(done).toEqual(['held', 'handled', 'task'])
  expect(answer).toMatchObject({ status: 202, headers: ['Svc-Writer-Term', '7'] })
})

it('a change that is not a task waits as such', async () => {
  const { done } = await ask({ ...ACCEPTED, status: 201 }, { permits: 'keys.create' })
  expect(done).toEqual(['held', 'handled', 'change'])
})

it('a refused request is answered at once, without the term', async () => {
  const { answer, done } = await ask({ ...ACCEPTED, status: 400 })
  expect(done).toEqual(['held', 'handled'])
  expect(answer).toEqual({ ...ACCEPTED, status: 400 })
})

it.each<Partial<Route>>([
  { method: 'GET', permits: 'documents.get' },
  { method: 'POST', permits: 'search' },
  { method: 'POST', permits: 'documents.get' },
  { method: 'POST', permits: 'chatCompletions' },
  { method: 'POST', permits: 'network.update', path: '/network/search' },
])('a request that reads does not wait: %j', async (more) => {
  const { answer, done } = await ask({ ...ACCEPTED, status: 200 }, more)
  expect(done).toEqual(['handled'])
  expect(answer).toEqual({ ...ACCEPTED, status: 200 })
})

it('nothing is done without the lease, and nothing acknowledged once it has ended', async () => {
  const before = await ask(
    ACCEPTED,
    {},
    {
      expectHeld: () => {
        throw lapsed()
      },
    },
  )
  expect(before).toEqual({ answer: 'writer_lease_lapsed', done: [] })
  const after = await ask(ACCEPTED, {}, { acknowledged: () => Promise.reject(lapsed()) })
  expect(after).toEqual({ answer: 'writer_lease_lapsed', done: ['held', 'handled'] })
})

it('without a publication the routes stay as they are', () => {
  const routes = [routeOf(ACCEPTED, {}, [])]
  expect(withAcknowledgement(routes, { publication: null })).toBe(routes)
})
