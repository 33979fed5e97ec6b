// Routes with an engine that the test makes up: what they pass on to it, who may ask, and their
// answers by the role and the state of the instance.
import { describe, expect, test } from 'vitest'
import { StorageError } from '../../engine/index.ts'
import { ApiError } from '../errors/index.ts'
import type { RawRequest, Route } from '../http/messages/index.ts'
import type { RouteOptions } from './context/index.ts'
import { dumpRoutes } from './dumps.ts'
import { exportRoutes } from './export.ts'
import { instanceRoutes } from './instance.ts'
import { metricsRoutes } from './metrics.ts'
import { networkRoutes } from './network.ts'
import { publicationRoutes } from './publication.ts'
import { snapshotRoutes } from './snapshots.ts'
import { taskRoutes } from './tasks.ts'

type Given = { readonly visible?: unknown; readonly may?: boolean; readonly body?: unknown }

/** Sends a request to one of the routes; returns the reply, or the code and the message. */
async function ask(
  routes: (options: RouteOptions) => readonly Route[],
  options: object,
  name: string,
  { visible = null, may = true, body }: Given = {},
) {
  const [method, path] = name.split(' ')
  const all = routes({
    registrationOf: () => 'registration',
    ...options,
  } as unknown as RouteOptions)
  const { handle } = all.find((one) => one.method === method && one.path === path)!
  const caller = { visible, may: () => may }
  const request = { query: '', params: {}, caller, read: () => Promise.resolve(body) }
  try {
    return await handle(request as unknown as RawRequest)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return [error.code, error.message]
  }
}

const TASK = {
  uid: 3,
  indexUid: null,
  status: 'enqueued',
  kind: 'x',
  enqueuedAt: 0,
  customMetadata: null,
}
const SUMMARY = {
  taskUid: 3,
  indexUid: null,
  status: 'enqueued',
  type: 'x',
  enqueuedAt: '1970-01-01T00:00:00Z',
}

describe('the publication of an instance', () => {
  const status = (lease: unknown) => ({ status: { lease } })
  const follows = { checkedAt: 1000, snapshot: 's', missingIndexes: 0 }
  const shown = (engine: object, asked: Given = {}) =>
    ask(
      publicationRoutes,
      { engine: { follows: null, publication: null, unpublishedWrites: () => 2, ...engine } },
      'GET /publication',
      asked,
    )

  test.each<[object, object]>([
    [{}, { role: 'single', publishes: null, follows: null }],
    [
      { publication: status(null) },
      { role: 'publisher', publishes: { lease: null }, follows: null },
    ],
    [
      { publication: status({ term: 1 }) },
      { role: 'writer', publishes: { lease: { term: 1 } }, follows: null },
    ],
    [
      { follows },
      {
        role: 'follower',
        publishes: null,
        follows: { ...follows, checkedAt: '1970-01-01T00:00:01.000Z' },
      },
    ],
    [
      { follows: { ...follows, checkedAt: null } },
      { role: 'follower', publishes: null, follows: { ...follows, checkedAt: null } },
    ],
  ])('of %j is shown', async (engine, body) => {
    expect(await shown(engine)).toEqual({ status: 200, body: { ...body, unpublishedWrites: 2 } })
  })

  test('is hidden from keys for some indexes', async () => {
    const words = 'The API key must allow access to all indexes.'
    expect(await shown({}, { visible: () => true })).toEqual(['invalid_api_key', words])
  })
})

test('metrics are a text, for keys of all indexes, while their feature is on', async () => {
  const shown = (features: object, asked: Given = {}) =>
    ask(
      metricsRoutes,
      { engine: { administration: { features } }, metrics: { text: async () => 'm 1\n' } },
      'GET /metrics',
      asked,
    )
  expect(await shown({ metrics: true })).toEqual({
    status: 200,
    body: 'm 1\n',
    contentType: 'text/plain; version=0.0.4',
  })
  expect(await shown({ metrics: true }, { visible: () => true })).toEqual([
    'invalid_api_key',
    'The provided API key is invalid. The API key for the `/metrics` route must allow access to ' +
      'all indexes.',
  ])
  expect(await shown({ metrics: false })).toEqual(['feature_not_enabled', expect.any(String)])
})

test('dumps, snapshots and exports are tasks of the whole instance', async () => {
  const enqueued: unknown[] = []
  const enqueue = async (request: unknown) => {
    enqueued.push(request)
    return TASK
  }
  const options = { engine: { tasks: { enqueue, enqueueDump: enqueue } } }
  const content = { kind: 'export', url: 'http://a' }
  expect([
    await ask(dumpRoutes, options, 'POST /dumps'),
    await ask(snapshotRoutes, options, 'POST /snapshots'),
    await ask(exportRoutes, options, 'POST /export', { body: content }),
  ]).toEqual([
    { status: 202, body: SUMMARY },
    { status: 202, body: SUMMARY },
    { status: 200, body: SUMMARY },
  ])
  const whole = { indexUid: null, customMetadata: null, registration: 'registration' }
  expect(enqueued).toEqual([
    'registration',
    { ...whole, content: { kind: 'snapshotCreation' } },
    { ...whole, content },
  ])
})

test.each([
  [true, 'a problem', 500, { status: 'mustRestart' }],
  [false, 'a problem', 503, { status: 'unavailable', message: 'a problem' }],
  [false, null, 200, { status: 'available' }],
])(
  'the health: it needs a restart %s, its storage has %j',
  async (needsRestart, problem, status, body) => {
    const engine = { tasks: { needsRestart }, administration: { storageProblem: () => problem } }
    expect(await ask(instanceRoutes, { engine }, 'GET /health')).toEqual({ status, body })
  },
)

test('the history of sizes is that of the indexes of the key', async () => {
  const history = { view: (visible: unknown) => ({ visible }) }
  const answer = await ask(instanceRoutes, { engine: {}, history }, 'GET /stats/history', {
    visible: 'some',
  })
  expect(answer).toEqual({ status: 200, body: { visible: 'some' } })
})

describe('tasks', () => {
  test('are streamed by an instance that runs them', async () => {
    const streams = { open: (kind: string) => ({ status: 200, body: kind }) }
    const open = (name: string, engine: object) =>
      ask(taskRoutes, { engine, streams }, `GET /${name}/stream`)
    const on = { administration: { features: { tasksStreamingRoute: true } } }
    const off = { administration: { features: { tasksStreamingRoute: false } } }
    for (const [name, kind] of [
      ['tasks', 'task'],
      ['batches', 'batch'],
    ] as const) {
      expect(await open(name, { ...on, follows: null })).toEqual({ status: 200, body: kind })
      expect(await open(name, { ...on, follows: {} })).toEqual([
        'read_only_follower',
        'This instance follows another one and runs no tasks: open the stream there, or read ' +
          '`GET /tasks` and `GET /batches` here now and then.',
      ])
      expect(await open(name, { ...off, follows: {} })).toEqual([
        'feature_not_enabled',
        expect.stringContaining(`Using the /${name}/stream route`),
      ])
    }
  })

  test('are compacted, unless the disk fails', async () => {
    const compact = (run: () => Promise<unknown>) => {
      const features = { taskQueueCompactionRoute: true }
      const engine = { administration: { features }, tasks: { compact: run } }
      return ask(taskRoutes, { engine }, 'POST /tasks/compact')
    }
    expect(await compact(async () => ({ before: 9, after: 4 }))).toEqual({
      status: 200,
      body: {
        preSize: 9,
        postSize: 4,
        status: 'succeeded',
        actionRequired: 'you must restart your instance',
      },
    })
    const full = new StorageError('no_space', 'tasks', 'the disk is full')
    expect(await compact(() => Promise.reject(full))).toEqual({
      status: 500,
      body: { status: 'failed', errorMessage: 'the disk is full' },
    })
    const ours = new TypeError('ours')
    await expect(compact(() => Promise.reject(ours))).rejects.toBe(ours)
  })
})

describe('the network', () => {
  const REMOTE = { url: 'http://b', searchApiKey: 'search-key-of-b', writeApiKey: null }
  const NETWORK = {
    self: 'a',
    remotes: new Map([['b', REMOTE]]),
    shards: new Map([['s', { remotes: ['b'] }]]),
    leader: 'a',
    version: 'v',
  }
  const asked = (name: string, instances: object, more: Given = {}) => {
    const availability = { status: () => 'available' }
    const engine = {
      administration: { features: { network: true } },
      network: { get: () => NETWORK },
    }
    return ask(networkRoutes, { engine, instances: { availability, ...instances } }, name, more)
  }

  test('is shown with its keys to those who may change it', async () => {
    const shown = (searchApiKey: string) => ({
      status: 200,
      body: {
        self: 'a',
        remotes: { b: { ...REMOTE, searchApiKey, status: 'available' } },
        shards: { s: { remotes: ['b'] } },
        leader: 'a',
        version: 'v',
      },
    })
    expect(await asked('GET /network', {})).toEqual(shown('search-key-of-b'))
    expect(await asked('GET /network', {}, { may: false })).toEqual(shown('seXXXX...'))
  })

  test('is changed at once, or by a task', async () => {
    const change = (answer: object) => asked('PATCH /network', { change: async () => answer })
    expect(await change({ task: TASK })).toEqual({ status: 202, body: SUMMARY })
    expect(await change({ network: { ...NETWORK, remotes: new Map() } })).toMatchObject({
      status: 200,
      body: { remotes: {}, leader: 'a' },
    })
  })

  test('passes on what other instances ask', async () => {
    const got: unknown[] = []
    const noted =
      (answer: unknown) =>
      async (...all: readonly unknown[]) => {
        got.push(all)
        return answer
      }
    const ok = { status: 200, body: { a: 1 } }
    const instances = {
      status: noted({ a: 1 }),
      compare: noted({ a: 1 }),
      plan: noted({ a: 1 }),
      repair: noted({ a: 1 }),
      digest: noted({ a: 1 }),
      identity: () => ({ a: 1 }),
    }
    for (const name of ['status', 'replicas', 'digests', 'identity']) {
      expect(await asked(`GET /network/${name}`, instances)).toEqual(ok)
    }
    got.length = 0
    const body = { leader: 'b', previousRemotes: {}, previousShards: {} }
    expect(await asked('POST /network/plan', instances, { body })).toEqual(ok)
    expect(await asked('POST /network/repair', instances, { body: {} })).toEqual(ok)
    const named = { instances: ['b'] }
    expect(await asked('POST /network/repair', instances, { body: named })).toEqual(ok)
    expect(got).toEqual([[{ leader: 'b' }], [[]], [['b']]])
  })

  test('takes messages, which may have no answer', async () => {
    const control = (answer: unknown) =>
      asked('POST /network/control', { receive: async () => answer }, { body: {} })
    expect(await control(null)).toEqual({ status: 200, body: '' })
    expect(await control({ a: 1 })).toEqual({ status: 200, body: { a: 1 } })
  })
})
