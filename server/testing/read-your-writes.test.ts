// Writes that wait until searches show them, and reads that wait for a task, over HTTP.
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from './test-server.ts'

let running: TestServer
/** Accepts writes, and runs none of them. */
let idle: TestServer

beforeAll(async () => {
  running = await startServer()
  idle = await startServer({
    EXPERIMENTAL_MAX_NUMBER_OF_BATCHED_TASKS: '0',
    MASTER_KEY: 'a master key of enough bytes',
  })
})
afterAll(async () => {
  await running.stop()
  await idle.stop()
})

type Sent = { readonly body?: unknown; readonly headers?: { readonly [name: string]: string } }

/** Returns status, body and the newest task of the answer. */
async function send(
  { url }: TestServer,
  method: string,
  path: string,
  { body, headers }: Sent = {},
) {
  const answer = await fetch(url + path, {
    method,
    headers: {
      authorization: 'Bearer a master key of enough bytes',
      'content-type': 'application/json',
      ...headers,
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
  const newest = answer.headers.get('svc-task-uid')
  const retryAfter = answer.headers.get('retry-after')
  const read: ReturnType<typeof JSON.parse> = await answer.json()
  return { status: answer.status, body: read, newest, retryAfter }
}

describe('a write that waits', () => {
  test('is answered with its task when the change is visible', async () => {
    const path = '/indexes/films/documents?primaryKey=id&wait=searchable'
    const written = await send(running, 'POST', path, { body: [{ id: 1, title: 'Heat' }] })
    expect(written).toMatchObject({ status: 200, body: { uid: 0, status: 'succeeded' } })
    const { body } = await send(running, 'POST', '/indexes/films/search', { body: { q: 'heat' } })
    expect(body.hits).toEqual([{ id: 1, title: 'Heat' }])
  })

  test.each([
    ['PUT', '/indexes/films/documents', [{ id: 2 }]],
    ['POST', '/indexes/films/documents/delete-batch', [2]],
    ['POST', '/indexes/films/documents/delete', { filter: 'id = 7' }],
    ['DELETE', '/indexes/films/documents/2', undefined],
    ['PATCH', '/indexes/films/settings', { filterableAttributes: ['id'] }],
    ['DELETE', '/indexes/films/settings/stop-words', undefined],
    ['POST', '/indexes', { uid: 'songs' }],
    ['PATCH', '/indexes/songs', { primaryKey: 'name' }],
    ['POST', '/swap-indexes', [{ indexes: ['films', 'songs'] }]],
    ['POST', '/swap-indexes', [{ indexes: ['films', 'songs'] }]],
    ['DELETE', '/indexes/songs', undefined],
    ['POST', '/tasks/cancel?uids=0', undefined],
    ['DELETE', '/tasks?uids=0', undefined],
  ] as const)('%s %s', async (method, path, body) => {
    const waiting = `${path}${path.includes('?') ? '&' : '?'}wait=searchable&timeout=30000`
    const { status, body: task } = await send(running, method, waiting, { body })
    expect([status, typeof task.finishedAt]).toEqual([200, 'string'])
    expect(task.details?.originalFilter ?? '').not.toContain('wait')
  })

  test('is answered with 200 if the task fails', async () => {
    const path = '/indexes/films/documents?wait=searchable'
    const { status, body } = await send(running, 'POST', path, { body: [{ title: 'Ran' }] })
    expect(status).toBe(200)
    expect(body).toMatchObject({ status: 'failed', error: { code: 'missing_document_id' } })
  })

  test('is answered as usual when the time is over', async () => {
    const path = '/indexes/films/documents?wait=searchable&timeout=20'
    const { status, body } = await send(idle, 'POST', path, { body: [{ id: 1 }] })
    expect([status, body.status, typeof body.taskUid]).toEqual([202, 'enqueued', 'number'])
  })

  test.each([
    ['wait=soon', 'invalid_task_wait'],
    ['wait=searchable&timeout=60001', 'invalid_task_wait_timeout'],
    ['wait=searchable&timeout=x', 'invalid_task_wait_timeout'],
    ['timeout=5', 'bad_request'],
  ])('%s is refused, and nothing is written', async (query, code) => {
    const before = await send(running, 'GET', '/tasks?limit=1')
    const { status, body } = await send(running, 'POST', `/indexes/films/documents?${query}`, {
      body: [{ id: 9 }],
    })
    expect([status, body.code]).toEqual([400, code])
    expect((await send(running, 'GET', '/tasks?limit=1')).body.total).toBe(before.body.total)
  })
})

const READS = [
  ['GET', '/indexes/films/search?q=heat', undefined],
  ['POST', '/indexes/films/search', { q: 'heat' }],
  ['GET', '/indexes/films/documents', undefined],
  ['GET', '/indexes/films/documents/1', undefined],
  ['POST', '/indexes/films/documents/fetch', {}],
  ['POST', '/multi-search', { queries: [{ indexUid: 'films' }] }],
  ['POST', '/multi-search', { federation: {}, queries: [{ indexUid: 'films' }] }],
] as const

describe('a read that names a task', () => {
  test.each(READS)('%s %s contains it, and says so', async (method, path, body) => {
    const document = { body: [{ id: 1, title: 'Heat' }] }
    const write = await send(running, 'POST', '/indexes/films/documents', document)
    const { taskUid: uid } = write.body
    const named = body === undefined ? undefined : { ...body, minTaskUid: uid }
    const query = body === undefined ? `${path.includes('?') ? '&' : '?'}minTaskUid=${uid}` : ''
    const read = await send(running, method, path + query, { body: named })
    expect([read.status, Number(read.newest)]).toEqual([200, uid])
  })

  test.each(READS)('%s %s is refused in time', async (method, path, body) => {
    const headers = { 'Svc-Min-Task-Uid': '100000', 'Svc-Min-Task-Timeout': '10' }
    const read = await send(running, method, path, { body, headers })
    expect(read).toMatchObject({ status: 504, retryAfter: '1', newest: null })
    expect(read.body.code).toBe('task_not_visible_yet')
  })

  test('waits for a task that does not exist yet', async () => {
    const last = await send(running, 'DELETE', '/tasks?uids=0&wait=searchable')
    const next = last.body.uid + 1
    const query = `minTaskUid=${next}&minTaskTimeout=30000`
    const read = send(running, 'GET', `/indexes/films/search?${query}`)
    // A task of another index is enough: it cannot change the answer.
    const write = await send(running, 'POST', '/indexes', { body: { uid: 'later' } })
    expect(write.body.taskUid).toBe(next)
    expect((await read).status).toBe(200)
  })

  test.each([
    ['minTaskUid', -1, 'invalid_min_task_uid'],
    ['minTaskUid', '1', 'invalid_min_task_uid'],
    ['minTaskUid', 2 ** 32, 'invalid_min_task_uid'],
    ['minTaskTimeout', 60_001, 'invalid_min_task_timeout'],
  ])('refuses %s %j', async (name, value, code) => {
    const body = { [name]: value }
    const read = await send(running, 'POST', '/indexes/films/search', { body })
    expect([read.status, read.body.code]).toEqual([400, code])
    const several = { queries: [{ indexUid: 'films', ...body }] }
    const multi = await send(running, 'POST', '/multi-search', { body: several })
    expect([multi.status, multi.body.code]).toEqual([400, code])
  })

  test('does not list the members to those who misspell them', async () => {
    const { body } = await send(running, 'POST', '/indexes/films/search', { body: { minTask: 1 } })
    expect(body.message).not.toContain('minTaskUid')
  })

  test('waits for a query of several, in its own index', async () => {
    await send(idle, 'POST', '/indexes', { body: { uid: 'waiting' } })
    const { body } = await send(idle, 'POST', '/indexes', { body: { uid: 'other' } })
    const ask = async (first: object, second: object) => {
      const queries = [
        { indexUid: 'waiting', ...first },
        { indexUid: 'none', ...second },
      ]
      return (await send(idle, 'POST', '/multi-search', { body: { queries } })).body.code
    }
    const min = { minTaskUid: body.taskUid, minTaskTimeout: 10 }
    expect(await ask(min, {})).toBe('task_not_visible_yet')
    // It is visible to the second query, which has no waiting task: only the index is missing.
    expect(await ask({}, min)).toBe('index_not_found')
  })
})

describe('a tenant token', () => {
  test('learns nothing about tasks of other indexes', async () => {
    const { results } = (await send(idle, 'GET', '/keys')).body
    const key = results.find(({ name }: { name: string }) => name.includes('Search'))
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const claims = { apiKeyUid: key.uid, searchRules: ['seen'] }
    const signed = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`
    const token = `${signed}.${createHmac('sha256', key.key).update(signed).digest('base64url')}`
    const headers = { authorization: `Bearer ${token}` }
    const { body } = await send(idle, 'POST', '/indexes', { body: { uid: 'hidden' } })
    const search = (uid: string) =>
      send(idle, 'GET', `/indexes/${uid}/search?minTaskUid=${body.taskUid}&minTaskTimeout=0`, {
        headers,
      })
    // The task waits; the token cannot find out.
    expect((await search('seen')).body.code).toBe('index_not_found')
    expect((await search('hidden')).status).toBe(403)
    const queries = [{ indexUid: 'hidden', minTaskUid: body.taskUid, minTaskTimeout: 0 }]
    const multi = await send(idle, 'POST', '/multi-search', { headers, body: { queries } })
    expect(multi.status).toBe(403)
  })
})
