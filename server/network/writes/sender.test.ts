// A sender with remotes that answer late, wrongly or not at all: tasks arrive in order, no task is
// skipped, and clients do not wait for answers that will not come.
import { expect, test } from 'vitest'
import {
  isConfirmed,
  OutgoingFault,
  type OutgoingRequest,
  type RemoteResult,
  type ReplicationPort,
  type SentTask,
} from '../../../engine/index.ts'
import { asIndexUid, asTaskUid } from '../../../format/ids.ts'
import { ApiError } from '../../errors/index.ts'
import { Sender, type SenderParts } from './sender.ts'

const VERSION = '0193a7f0-0000-7000-8000-000000000000'

type Reply = { readonly status: number; readonly body: string } | Error | 'silence'

const good = (taskUid: number): Reply => ({ status: 202, body: JSON.stringify({ taskUid }) })
const refused = (status: number, code = 'bad_request'): Reply => ({
  status,
  body: JSON.stringify({ code }),
})
const unreachable = new OutgoingFault('unreachable', 'error sending request: ECONNREFUSED')

/** Returns a sender to a remote that plays these replies in order, then confirms all tasks. */
function played(replies: readonly Reply[], count: number, parts: Partial<SenderParts> = {}) {
  const due = new Set(Array.from({ length: count }, (_, uid) => uid))
  const results = new Map<number, RemoteResult>()
  const sent: { readonly uid: number; readonly isRepeated: boolean }[] = []
  const missed: string[] = []
  const behind: string[] = []
  const failures: number[] = []
  const replication = {
    canceledDue: async () => [],
    isCanceled: () => false,
    remotesDue: () => (due.size === 0 ? [] : ['b']),
    oldestDue: () => due.values().next().value ?? null,
    sentTask: async (uid: number): Promise<SentTask> => ({
      uid: asTaskUid(uid),
      indexUid: asIndexUid('films'),
      content: { kind: 'indexDeletion' },
      customMetadata: null,
      version: VERSION,
      documents: null,
      hasEnded: false,
      isVoid: false,
    }),
    results: (uid: number) => {
      const known = results.get(uid)
      return known === undefined ? {} : { b: known }
    },
    answered: async (uid: number, _remote: string, result: RemoteResult) => {
      results.set(uid, result)
      if (isConfirmed(result)) due.delete(uid)
    },
  } as unknown as ReplicationPort
  const send = (request: OutgoingRequest) => {
    const headers = request.headers as { readonly [name: string]: string }
    const uid = Number(headers['X-Svc-Proxy-Origin-TaskUid'])
    sent.push({ uid, isRepeated: headers['svc-proxy-repeated'] === 'true' })
    const reply = replies[sent.length - 1] ?? good(1000 + uid)
    if (reply instanceof Error) return Promise.reject(reply)
    if (reply === 'silence') {
      return new Promise<never>((_, reject) => {
        request.signal?.addEventListener('abort', () => reject(new Error('aborted')))
      })
    }
    return Promise.resolve({ ...reply, headers: {}, body: Buffer.from(reply.body) })
  }
  const sender = new Sender(
    'b',
    {
      replication,
      send: send as unknown as SenderParts['send'],
      times: { connectMs: 50, requestMs: 50, backoffMs: 0 },
      self: () => 'a',
      find: () => ({ url: 'http://b', searchApiKey: null, writeApiKey: null }),
      request: () => ({ method: 'DELETE', path: '/indexes/films', body: null, headers: {} }),
      now: () => performance.now(),
      report: () => undefined,
      cancel: async () => [],
      checkLeadership: async () => undefined,
      unreachable: () => undefined,
      reachable: () => undefined,
      failed: async (_, forMs) => {
        failures.push(forMs)
      },
      behind: (remote) => {
        behind.push(remote)
      },
      missed: async (_, reason) => {
        missed.push(reason)
      },
      ...parts,
    },
    0,
  )
  return { sender, sent, results, due, missed, failures, behind, replication }
}

const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5))
}

test.each([
  ['cannot be reached', unreachable],
  ['is too slow', new OutgoingFault('unreachable', 'late', true)],
  ['fails', refused(500)],
  ['answers something else', { status: 200, body: '<html>maintenance</html>' }],
  ['answers with a text as uid', { status: 202, body: '{"taskUid":"7"}' }],
  ['answers nothing', { status: 200, body: '' }],
  ['refuses the key', refused(403, 'invalid_api_key')],
  ['has too many requests', refused(429)],
  ['has no room', refused(422, 'no_space_left_on_device')],
  ['cannot sync a file', refused(422, 'io_error')],
  ['cannot open a file', refused(422, 'too_many_open_files')],
  ['uses another protocol', refused(503, 'network_protocol_mismatch')],
] as const)('sends the task again to a remote that %s', async (_, reply) => {
  const { sender, sent, results, due, missed } = played([good(1000), reply], 3)
  // Clients get their answers before the remote confirms, because the time for attempts is over.
  await Promise.all([0, 1, 2].map((uid) => sender.waitFor(asTaskUid(uid))))
  sender.wake()
  await until(() => due.size === 0)
  expect(sent).toEqual([
    { uid: 0, isRepeated: false },
    { uid: 1, isRepeated: false },
    { uid: 1, isRepeated: true },
    { uid: 2, isRepeated: false },
  ])
  expect([...results.values()]).toEqual([0, 1, 2].map((n) => ({ taskUid: 1000 + n, error: null })))
  expect(missed).toEqual([])
  await sender.stop()
})

test('reports a task that is refused for good and sends the next one', async () => {
  const { sender, sent, results, missed } = played([refused(400)], 2)
  await Promise.all([0, 1].map((uid) => sender.waitFor(asTaskUid(uid))))
  expect(sent.map(({ uid }) => uid)).toEqual([0, 1])
  expect(results.get(0)).toMatchObject({ error: { code: 'remote_bad_request' }, isFinal: true })
  expect(results.get(1)).toEqual({ taskUid: 1001, error: null })
  expect(missed).toEqual(['refused'])
})

test('sends the outcome of a change to a remote that missed it', async () => {
  const request: SenderParts['request'] = (_, { uid }) => ({
    method: 'POST',
    path: '/network/control',
    body: null,
    headers: {},
    isNews: uid === 0,
  })
  const { sender, results, missed, due } = played([{ status: 200, body: '' }], 2, { request })
  sender.wake()
  await until(() => due.size === 0)
  expect(results.get(0)).toMatchObject({ error: { code: 'unknown_remote' }, isFinal: true })
  expect(missed).toEqual(['absent'])
})

test('keeps all tasks of a silent remote; stopping does not wait for it', async () => {
  const { sender, sent, due } = played(['silence'], 3)
  sender.wake()
  await until(() => sent.length === 1)
  await sender.stop()
  expect(sent.map(({ uid }) => uid)).toEqual([0])
  expect(due.size).toBe(3)
})

test('answers a client after the time for attempts even if an attempt still runs', async () => {
  const { sender, sent, results, behind } = played([good(1000), 'silence'], 3)
  await Promise.all([0, 1, 2].map((uid) => sender.waitFor(asTaskUid(uid))))
  expect(sent.map(({ uid }) => uid)).toEqual([0, 1])
  expect(results.get(0)).toEqual({ taskUid: 1000, error: null })
  for (const uid of [1, 2]) {
    expect(results.get(uid)).toMatchObject({ error: { code: 'remote_timeout' }, isFinal: false })
  }
  expect(behind).toEqual([])
  await sender.stop()
})

test.each([
  ['is silent', ['silence']],
  ['fails', [refused(500), refused(500), refused(500), 'silence']],
] as const)(
  'answers clients of a remote that %s, also where its error cannot be stored',
  async (_, replies) => {
    const reports: string[] = []
    const report: SenderParts['report'] = (message) => reports.push(message)
    const { sender, replication, results } = played(replies, 3, { report })
    const store = replication.answered
    replication.answered = () => Promise.reject(new Error('the disk is full'))
    await Promise.all([0, 1, 2].map((uid) => sender.waitFor(asTaskUid(uid))))
    await until(() => reports.length > 0)
    expect(results.size).toBe(0)
    replication.answered = store
    await sender.waitFor(asTaskUid(1))
    expect(results.has(1)).toBe(true)
    await sender.stop()
  },
)

test('is not down for a client that waits too long while the remote accepts other tasks', async () => {
  const times = { connectMs: 50, requestMs: 60_000, backoffMs: 0 }
  const accepts = played([good(1000), 'silence'], 2, { times })
  await Promise.all([0, 1].map((uid) => accepts.sender.waitFor(asTaskUid(uid))))
  expect(accepts.sender.isDown).toBe(false)
  expect(accepts.results.get(1)).toMatchObject({ error: { code: 'remote_timeout' } })
  await accepts.sender.stop()
  const silent = played(['silence'], 2, { times })
  await Promise.all([0, 1].map((uid) => silent.sender.waitFor(asTaskUid(uid))))
  expect(silent.sender.isDown).toBe(true)
  await silent.sender.stop()
})

test('reports a task whose documents are gone, and sends the next one', async () => {
  const { sender, sent, results, missed, due, replication } = played([], 2)
  const { sentTask } = replication
  Object.assign(replication, {
    sentTask: async (uid: number) => (uid === 0 ? null : sentTask(asTaskUid(uid))),
  })
  sender.wake()
  await until(() => due.size === 0)
  expect(sent.map(({ uid }) => uid)).toEqual([1])
  expect(results.get(0)).toMatchObject({
    error: { code: 'internal', message: 'the documents of the task are not there any more' },
    isFinal: true,
  })
  expect(missed).toEqual(['refused'])
})

test.each([
  // The remote has run none, or some, of the tasks; or it never cancels any.
  ['[]', async () => [], []],
  ['[8]', async () => [asTaskUid(8)], ['refused']],
  ['a refusal', () => Promise.reject(new ApiError('remote_bad_request', 'no')), ['refused']],
] as const)('cancels tasks on a remote that answers %s', async (_, cancel, lacks) => {
  const { sender, sent, results, missed, replication } = played([], 0, { cancel })
  const accepted = { taskUid: asTaskUid(70), error: null }
  results.set(7, accepted)
  let open = [asTaskUid(7), asTaskUid(8)]
  const missedBefore: number[] = []
  Object.assign(replication, {
    canceledDue: async () => (open.length === 0 ? [] : [{ version: VERSION, uids: open }]),
    answered: async (uid: number, _remote: string, result: RemoteResult) => {
      missedBefore.push(missed.length)
      results.set(uid, result)
      open = open.filter((one) => one !== uid)
    },
  })
  sender.wake()
  await until(() => open.length === 0)
  await sender.stop()
  expect([sent, missedBefore]).toEqual([[], [lacks.length, lacks.length]])
  expect(results.get(7)).toEqual(accepted)
  expect(results.get(8)).toMatchObject({
    error: {
      code: 'remote_could_not_send_request',
      message: 'the task was canceled before it was sent',
    },
    isFinal: true,
  })
  expect(missed).toEqual(lacks)
})

// A remote that was away could run the canceled tasks behind the writes.
test.each([
  ['cannot cancel tasks yet', 'remote_remote_error', [0, 1], 1],
  ['was away, only once it has canceled tasks', 'remote_timeout', [0, 1], 2],
] as const)('sends writes to a remote that %s', async (_, code, uids, attemptsBefore) => {
  let attempts = 0
  const open = new Set([7])
  const { sender, sent, due, replication } = played([], 2, {
    times: { connectMs: 50, requestMs: 50, backoffMs: 5000 },
    cancel: async (_, { uids }) => {
      if (attempts++ === 0) throw new ApiError(code, 'not yet')
      for (const uid of uids) open.delete(uid)
      return []
    },
  })
  const groups = async () => (open.size === 0 ? [] : [{ version: VERSION, uids: [...open] }])
  Object.assign(replication, { canceledDue: groups })
  await Promise.all([0, 1].map((uid) => sender.waitFor(asTaskUid(uid))))
  expect([attempts, sent.map(({ uid }) => uid)]).toEqual([attemptsBefore, uids])
  await until(() => open.size === 0)
  expect(due.size).toBe(0)
  await sender.stop()
})

test('reports failed attempts, so that the backlog stays bounded', async () => {
  const { sender, failures, due } = played([unreachable, refused(502)], 1)
  sender.wake()
  await until(() => due.size === 0)
  expect(failures).toHaveLength(2)
  await sender.stop()
})

test('reports a remote as behind only if it lacks tasks whose clients have their answer', async () => {
  const { sender, behind, due } = played([unreachable, good(1000)], 1)
  // The client of the task gets its answer after the first attempt.
  await sender.waitFor(asTaskUid(0))
  await until(() => due.size === 0)
  expect(behind).toEqual(['b'])
  await sender.stop()
  const prompt = played([], 3)
  await Promise.all([0, 1, 2].map((uid) => prompt.sender.waitFor(asTaskUid(uid))))
  expect(prompt.behind).toEqual([])
  await prompt.sender.stop()
})
