// Tasks as members of a cluster register them: with a uid that the request sets, or as a dry run.
// Also a queue that is full, or too long.
import { afterEach, expect, test } from 'vitest'
import { FakeDisk } from '../../engine/store/storage/index.ts'
import { openTestEngine, type TestEngine } from '../../engine/testing/test-engine.ts'
import { readConfig } from '../config/index.ts'
import { Log } from '../log/index.ts'
import { readRegistration } from './replication.ts'
import { type Running, run } from './run.ts'

type Body = { readonly [member: string]: unknown }
type Ask = (
  method: string,
  path: string,
  body?: unknown,
  headers?: { readonly [name: string]: string },
) => Promise<Body>

let running: Running | null = null
let engine: TestEngine

async function started(
  options: { readonly [name: string]: string },
  limits: Parameters<typeof openTestEngine>[1] = {},
  disk: FakeDisk = new FakeDisk(),
): Promise<Ask> {
  const config = await readConfig(new Map(), { SVC_HTTP_ADDR: '127.0.0.1:0', ...options })
  const log = new Log({ level: 'OFF', mode: 'human', write: () => undefined, now: () => 0 })
  engine = await openTestEngine(disk.mount(), limits)
  running = await run(config, engine, log)
  const url = `http://127.0.0.1:${running.address.port}`
  return async (method, path, body, headers = {}) => {
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const sent = body === undefined ? null : JSON.stringify(body)
    const answer = await fetch(url + path, { method, headers: { ...type, ...headers }, body: sent })
    const text = await answer.text()
    return { status: answer.status, ...(text === '' ? {} : (JSON.parse(text) as Body)) }
  }
}

afterEach(async () => {
  await running?.stop()
  running = null
})

const CLUSTER = { SVC_EXPERIMENTAL_REPLICATION_PARAMETERS: 'true' }

/** One request for each route that registers a task. */
const WRITES: readonly (readonly [method: string, path: string, body?: unknown])[] = [
  ['POST', '/indexes', { uid: 'a' }],
  ['PATCH', '/indexes/a', { primaryKey: 'id' }],
  ['DELETE', '/indexes/a'],
  ['POST', '/indexes/a/compact'],
  ['POST', '/swap-indexes', []],
  ['POST', '/indexes/a/documents', [{ id: 1 }]],
  ['PUT', '/indexes/a/documents', [{ id: 1, text: 'x'.repeat(20_000) }]],
  ['DELETE', '/indexes/a/documents'],
  ['DELETE', '/indexes/a/documents/1'],
  ['POST', '/indexes/a/documents/delete', { filter: 'a = 1' }],
  ['POST', '/indexes/a/documents/delete-batch', [1]],
  ['PATCH', '/indexes/a/settings', {}],
  ['DELETE', '/indexes/a/settings'],
  ['PUT', '/indexes/a/settings/stop-words', ['x']],
  ['DELETE', '/indexes/a/settings/stop-words'],
  ['POST', '/tasks/cancel?uids=1'],
  ['DELETE', '/tasks?uids=1'],
  ['POST', '/dumps'],
  ['POST', '/snapshots'],
  ['POST', '/export', { url: 'http://127.0.0.1:1', indexes: {} }],
]

test('uses the uid of the header on every route that registers a task', async () => {
  const ask = await started(CLUSTER)
  let uid = 0
  for (const [method, path, body] of WRITES) {
    uid += 3
    const answer = await ask(method, path, body, { TaskId: String(uid) })
    expect(answer, `${method} ${path}`).toMatchObject({ taskUid: uid, status: 'enqueued' })
    expect((await ask(method, path, body))['taskUid']).toBe(uid + 1)
    uid += 1
  }
  expect(await ask('POST', '/indexes', { uid: 'b' }, { TaskId: '2' })).toMatchObject({
    status: 400,
    code: 'bad_request',
    message: `Received bad task id: 2 should be >= to ${uid + 1}.`,
  })
  await engine.idle()
  const { total } = await ask('GET', '/tasks?limit=1')
  expect(total).toBe(2 * WRITES.length)
})

test('answers a dry run and deletes its payload', async () => {
  const disk = new FakeDisk()
  const ask = await started(CLUSTER, {}, disk)
  for (const [method, path, body] of WRITES) {
    const answer = await ask(method, path, body, { DryRun: 'TRUE', TaskId: '7' })
    expect(answer, `${method} ${path}`).toMatchObject({ taskUid: 7, status: 'enqueued' })
  }
  expect(await ask('POST', '/indexes', { uid: 'b' }, { DryRun: 'yes' })).toMatchObject({
    taskUid: 0,
  })
  await engine.idle()
  expect(await ask('GET', '/tasks')).toMatchObject({ total: 1 })
  expect(await ask('GET', '/indexes')).toMatchObject({ total: 1 })
  expect(disk.mount().list('tasks/bodies')).toEqual([])
})

test('deletes the payload of a refused uid', async () => {
  const disk = new FakeDisk()
  const ask = await started(CLUSTER, {}, disk)
  const documents = [{ id: 1, text: 'x'.repeat(20_000) }]
  expect(await ask('POST', '/indexes/a/documents', documents, { TaskId: 'x' })).toMatchObject({
    status: 400,
    code: 'bad_request',
  })
  expect(disk.mount().list('tasks/bodies')).toEqual([])
})

test('ignores the headers without the option', async () => {
  const ask = await started({})
  const headers = { TaskId: 'x', DryRun: 'true' }
  expect(await ask('POST', '/indexes', { uid: 'b' }, headers)).toMatchObject({ taskUid: 0 })
  await engine.idle()
  expect(await ask('GET', '/tasks')).toMatchObject({ total: 1 })
})

test('accepts the last possible uid and refuses later tasks', async () => {
  const ask = await started(CLUSTER)
  const create = (headers?: { readonly [name: string]: string }) =>
    ask('POST', '/indexes', { uid: 'b' }, headers)
  expect(await create({ TaskId: '4294967294' })).toMatchObject({ taskUid: 4294967294 })
  expect(await create()).toMatchObject({ status: 422, code: 'no_space_left_on_device' })
  await engine.idle()
  expect(await ask('GET', '/tasks/4294967294')).toMatchObject({ status: 'succeeded' })
})

test.each([
  ['', 'Could not parse the TaskId as a u32: cannot parse integer from empty string'],
  ['-1', 'Could not parse the TaskId as a u32: invalid digit found in string'],
  ['1.0', 'Could not parse the TaskId as a u32: invalid digit found in string'],
  ['x', 'Could not parse the TaskId as a u32: invalid digit found in string'],
  ['4294967296', 'Could not parse the TaskId as a u32: number too large to fit in target type'],
  ['ü', 'TaskId is not a valid utf-8 string: it has other bytes'],
])('a uid that reads %j is refused', (text, message) => {
  const header = (name: string) => (name === 'taskid' ? text : undefined)
  expect(() => readRegistration({ header })).toThrow(message)
})

test('refuses writes with 422 while the queue is full', async () => {
  const ask = await started({}, { queueBytesMax: 2000 })
  let answer: Body = {}
  for (let i = 0; i < 100 && answer['status'] !== 422; i++) {
    answer = await ask('POST', '/indexes', { uid: `i${i}` })
  }
  expect(answer).toMatchObject({
    status: 422,
    code: 'no_space_left_on_device',
    type: 'system',
    message: expect.stringContaining('the limit of the task database has been reached'),
  })
  await engine.idle()
  expect(await ask('POST', '/tasks/cancel?uids=99')).toMatchObject({ status: 422 })
  expect(await ask('DELETE', '/tasks?statuses=succeeded')).toMatchObject({ status: 'enqueued' })
  await engine.idle()
  expect(await ask('POST', '/indexes', { uid: 'more' })).toMatchObject({ status: 'enqueued' })
})

test('deletes the oldest tasks of a long queue', async () => {
  const ask = await started({}, { taskCountMax: 5 })
  for (let i = 0; i < 8; i++) {
    await ask('POST', '/indexes', { uid: `i${i}` })
    await engine.idle()
  }
  const { results, total } = await ask('GET', '/tasks?types=taskDeletion')
  expect(total).toBeGreaterThan(0)
  expect(results).toMatchObject([
    { details: { originalFilter: expect.stringMatching(/^\?beforeEnqueuedAt=.*succeeded/) } },
  ])
})
