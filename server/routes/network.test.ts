// Other instances ask about tasks: who may ask, how long an answer waits, and each answer.
import { expect, test } from 'vitest'
import { asTaskUid } from '../../format/ids.ts'
import { ApiError } from '../errors/index.ts'
import type { RawRequest } from '../http/messages/index.ts'
import type { RouteOptions } from './context/index.ts'
import { networkRoutes } from './network.ts'

type World = {
  readonly network?: boolean
  readonly isMember?: boolean
  readonly isContained?: boolean
}

async function asked(path: string, query: string, world: World = {}) {
  const { network = true, isMember = true, isContained = true } = world
  const waits: unknown[] = []
  const own = async ({ uid, indexes }: Wanted, { ms }: { readonly ms: number }) => {
    waits.push([uid, indexes(), ms])
    return isContained
  }
  const engine = {
    administration: { features: { network } },
    visibility: { arrivedAt: (remote: string) => (remote === 'b' ? 41 : null) },
  }
  const instances = { isMember: () => isMember, contained: { own } }
  const routes = networkRoutes({ engine, instances } as unknown as RouteOptions)
  const { handle } = routes.find((route) => route.path === path)!
  try {
    const { status, body } = await handle({ query } as RawRequest)
    return { status, body, waits }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { status: error.status, body: error.code, waits }
  }
}
type Wanted = { readonly uid: number; readonly indexes: () => readonly string[] | null }

const QUESTION = 'minTaskUid=7&minTaskTimeout=20&indexUids=a,b'

test.each<[World, number, unknown, number]>([
  [{}, 200, {}, 1],
  [{ isContained: false }, 504, 'task_not_visible_yet', 1],
  [{ isMember: false }, 403, 'invalid_api_key', 0],
  [{ network: false }, 400, 'feature_not_enabled', 0],
])('whether a task is contained, in %j: %i %j', async (world, status, body, waited) => {
  const answer = await asked('/network/contains', QUESTION, world)
  const wait = [asTaskUid(7), ['a', 'b'], 20]
  expect(answer).toEqual({ status, body, waits: Array(waited).fill(wait) })
})

test.each([
  ['b', 41],
  ['c', null],
])('up to which task those of %s have arrived: %j', async (remote, upTo) => {
  const answer = await asked('/network/arrived', `remote=${remote}`)
  expect(answer).toMatchObject({ status: 200, body: { upTo } })
  const refused = await asked('/network/arrived', `remote=${remote}`, { network: false })
  expect(refused).toMatchObject({ status: 400, body: 'feature_not_enabled' })
})
