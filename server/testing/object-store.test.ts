// Snapshots in an object store: a real one, with faults injected on the way to it.
import { request } from 'node:http'
import { describe, expect, it, onTestFinished } from 'vitest'
import {
  findSnapshot,
  heads,
  restoreSnapshot,
  retain,
  StoreTurns,
} from '../../engine/backup/objstore/index.ts'
import { FakeDisk } from '../../engine/store/storage/index.ts'
import type { StoreOptions } from '../../engine/task-kinds/kind/options.ts'
import {
  allTasks,
  documentsOf,
  enqueue,
  openTestEngine,
  type TestEngine,
} from '../../engine/testing/test-engine.ts'
import { sendWork } from '../../engine/testing/test-work.ts'
import { NO_FILTER } from '../../engine/write/task-data/index.ts'
import { KiB } from '../../format/bytes/index.ts'
import { streamingCaller } from '../outbound/index.ts'
import { bucketOf, large } from './test-followers.ts'
import { BUCKET, STORE_KEY, startStore, type TestStore, type Trouble } from './test-object-store.ts'

const PART_BYTES = 64 * KiB

type Place = {
  readonly store: TestStore
  readonly options: StoreOptions
  readonly disk: FakeDisk
  readonly engine: TestEngine
}

async function place(more: Partial<StoreOptions> = {}): Promise<Place> {
  const store = await startStore()
  onTestFinished(store.stop)
  const options: StoreOptions = {
    transport: streamingCaller('any', 2000),
    url: store.url,
    region: 'us-east-1',
    bucket: BUCKET,
    place: { prefix: 'some/where', name: 'db' },
    credentials: { kind: 'keys', accessKey: STORE_KEY, secretKey: STORE_KEY },
    lanesMax: 3,
    level: 0,
    partBytes: PART_BYTES,
    signatureSeconds: 600,
    incremental: false,
    retain: null,
    now: Date.now,
    retryPauseMs: 1,
    retryMsMax: 3000,
    ...more,
  }
  const disk = new FakeDisk()
  const engine = await openTestEngine(disk.mount(), {
    snapshots: { folder: 'snapshots', name: 'db', compact: true, store: options },
  })
  onTestFinished(() => engine.close())
  return { store, options, disk, engine }
}

async function add(engine: TestEngine, from: number, count: number): Promise<void> {
  const docs = large(from, count)
  await sendWork(engine, { name: `w${from}`, kind: 'import', method: 'replace', docs })
  await engine.idle()
}

async function snapshot(engine: TestEngine) {
  const { uid } = await enqueue(engine, null, { kind: 'snapshotCreation' })
  await engine.idle()
  return (await engine.tasks.get(uid, null))!
}

const keysIn = async (options: StoreOptions): Promise<readonly string[]> =>
  (await (await bucketOf(options)).list('')).map(({ key }) => key)

/** Creates a database from the content of the bucket, on a separate disk. */
async function restored(options: StoreOptions, name: string | null = null): Promise<TestEngine> {
  const bucket = await bucketOf(options)
  const found = await findSnapshot(bucket, options.place, name)
  const disk = new FakeDisk()
  const progress = (): void => undefined
  await restoreSnapshot(bucket, options.place, found!, disk.mount(), { progress })
  const engine = await openTestEngine(disk.mount())
  onTestFinished(() => engine.close())
  return engine
}

async function expectSame(engine: TestEngine, other: TestEngine): Promise<void> {
  expect(await documentsOf(other, 'a')).toEqual(await documentsOf(engine, 'a'))
  const open = (await allTasks(other)).filter(({ finishedAt }) => finishedAt === null)
  expect(open, 'the snapshot is not made again').toEqual([])
}

/** Counts uploads that were begun and neither completed nor aborted. */
function openUploads({ passed }: TestStore): number {
  const count = (method: string, pattern: RegExp): number =>
    passed.filter((one) => one.method === method && pattern.test(one.url)).length
  const ended = count('POST', /[?&]uploadId=/) + count('DELETE', /[?&]uploadId=/)
  return count('POST', /[?&]uploads=/) - ended
}

it('the test store stops although a client died in the middle of a body', async () => {
  const store = await startStore()
  const { port } = new URL(store.url)
  const headers = { 'content-length': 100 }
  const sent = request({ host: '127.0.0.1', port, method: 'PUT', path: `/${BUCKET}/half`, headers })
  sent.on('error', () => undefined)
  let arrived = (): void => undefined
  const arrival = new Promise<void>((resolve) => {
    arrived = resolve
  })
  store.trouble = () => {
    arrived()
    return null
  }
  sent.write('x'.repeat(50))
  await arrival
  sent.destroy()
  await store.stop()
})

describe('an archive in a bucket', () => {
  it('goes in parts, several at the same time, and comes back unchanged', async () => {
    const { store, options, engine, disk } = await place()
    await add(engine, 0, 60)
    expect(await snapshot(engine)).toMatchObject({ status: 'succeeded', error: null })
    expect(await keysIn(options)).toEqual(['some/where/db.snapshot'])
    const parts = store.passed.filter(({ url }) => url.includes('partNumber='))
    expect(parts.length).toBeGreaterThan(5)
    const sizes = parts.map(({ bytes }) => bytes)
    expect(sizes.filter((bytes) => bytes === PART_BYTES).length).toBe(parts.length - 1)
    expect(store.mostAtOnce).toBeGreaterThan(1)
    expect(store.mostAtOnce).toBeLessThanOrEqual(3)
    expect(disk.mount().list('staging')).toEqual([])
    await expectSame(engine, await restored(options))
  })

  it('is signed in the query string, for the host alone, with any body', async () => {
    const { store, engine } = await place()
    await add(engine, 0, 3)
    await snapshot(engine)
    for (const { url } of store.passed) {
      const query = new URL(url, 'http://x').searchParams
      expect(query.get('X-Amz-Algorithm')).toBe('AWS4-HMAC-SHA256')
      expect(query.get('X-Amz-Credential')).toMatch(/^S3RVER\/\d{8}\/us-east-1\/s3\/aws4_request$/)
      expect(query.get('X-Amz-Expires')).toBe('600')
      expect(query.get('X-Amz-SignedHeaders')).toBe('host')
      expect(url).toMatch(/^\/backups(?:\/some\/where\/db\.snapshot)?\?/)
    }
  })

  it('can have any name', async () => {
    for (const incremental of [false, true]) {
      const prefix = "a b/ü'(x)+*~=&/%41"
      const { options, engine } = await place({ incremental, place: { prefix, name: 'my db' } })
      await add(engine, 0, 20)
      expect(await snapshot(engine)).toMatchObject({ status: 'succeeded', error: null })
      for (const key of await keysIn(options)) expect(key.slice(0, prefix.length)).toBe(prefix)
      await expectSame(engine, await restored(options))
    }
  })

  it('is compressed where the option says so', async () => {
    const sizes: number[] = []
    for (const level of [0, 9]) {
      const { options, engine } = await place({ level })
      const docs = Array.from({ length: 800 }, (_, id) => ({ id, text: 'the same words' }))
      await sendWork(engine, { name: 'w', kind: 'import', method: 'replace', docs })
      await engine.idle()
      await snapshot(engine)
      sizes.push((await (await bucketOf(options)).size('some/where/db.snapshot')) ?? 0)
      await expectSame(engine, await restored(options))
    }
    expect(sizes[1]).toBeLessThan(sizes[0]! / 2)
  })

  it('replaces the last one only when it is complete', async () => {
    const { store, options, engine } = await place()
    await add(engine, 0, 20)
    await snapshot(engine)
    await add(engine, 100, 20)
    store.trouble = (_, url) => (url.includes('partNumber=2') ? refused(400) : null)
    expect(await snapshot(engine)).toMatchObject({ status: 'failed' })
    store.trouble = () => null
    const other = await restored(options)
    expect((await documentsOf(other, 'a')).length).toBe(20)
    expect(openUploads(store)).toBe(0)
  })
})

const refused = (status: number): Trouble => ({ kind: 'status', status, body: '<Error/>' })

/** Applies the trouble to the first `times` requests of each kind. */
function striking(trouble: Trouble, times: number): TestStore['trouble'] {
  const struck = new Map<string, number>()
  return (method, url) => {
    const { pathname, searchParams } = new URL(url, 'http://x')
    const part = searchParams.get('partNumber') ?? ''
    const sort = `${method} ${pathname} ${part} ${searchParams.has('uploadId')}`
    const count = struck.get(sort) ?? 0
    struck.set(sort, count + 1)
    return count < times ? trouble : null
  }
}

describe('trouble on the way to the store', () => {
  const troubles: readonly Trouble[] = [
    { kind: 'status', status: 500 },
    { kind: 'status', status: 503, body: '<Error><Code>SlowDown</Code></Error>' },
    { kind: 'status', status: 429 },
    { kind: 'reset' },
    { kind: 'slow', ms: 20 },
  ]
  it.each(troubles)('is retried: $kind $status', async (trouble) => {
    for (const incremental of [false, true]) {
      const { store, options, engine } = await place({ incremental })
      await add(engine, 0, 20)
      store.trouble = striking(trouble, 2)
      expect(await snapshot(engine)).toMatchObject({ status: 'succeeded', error: null })
      store.trouble = striking(trouble, 2)
      await expectSame(engine, await restored(options))
    }
  })

  it('that loses answers repeats no work', async () => {
    const { store, options, engine } = await place()
    await add(engine, 0, 20)
    store.trouble = (method, url) =>
      method === 'PUT' && /partNumber=[13]&/.test(url) && !seen(store, url)
        ? { kind: 'lost' }
        : null
    expect(await snapshot(engine)).toMatchObject({ status: 'succeeded', error: null })
    await expectSame(engine, await restored(options))
  })

  it('in the middle of a body continues after the last byte received', async () => {
    for (const incremental of [false, true]) {
      const { store, options, engine } = await place({ incremental })
      await add(engine, 0, 20)
      await snapshot(engine)
      let cuts = 0
      store.trouble = (method, url) => {
        if (method !== 'GET' || url.includes('list-type') || cuts > 3) return null
        cuts++
        return { kind: 'half' }
      }
      await expectSame(engine, await restored(options))
      expect(cuts).toBeGreaterThan(1)
    }
  })

  it.each([
    ['creating', /\?.*uploads=/, 403, 's_3_snapshot_server_error'],
    ['a part', /partNumber=1&/, 403, 's_3_snapshot_server_error'],
    ['completing', /^(?!.*partNumber).*uploadId=/, 400, 'invalid_s_3_snapshot_request'],
    ['a part, for long', /partNumber=1&/, 500, 's_3_snapshot_server_error'],
  ])(
    'that does not end fails the task and leaves nothing: %s',
    async (_, pattern, status, code) => {
      const { store, options, engine, disk } = await place({ retryMsMax: 30 })
      await add(engine, 0, 20)
      store.trouble = (method, url) =>
        method !== 'DELETE' && pattern.test(url)
          ? { kind: 'status', status, body: `<Error><Key>${STORE_KEY}</Key></Error>` }
          : null
      const { error } = await snapshot(engine)
      expect(error?.code).toBe(code)
      expect(error?.message).toContain(`status: ${status}`)
      expect(error?.message).not.toContain(STORE_KEY)
      store.trouble = () => null
      expect(await keysIn(options)).toEqual([])
      expect(openUploads(store)).toBe(0)
      expect(disk.mount().list('staging')).toEqual([])
    },
  )

  it('with a full local disk aborts the upload', async () => {
    const { store, options, engine, disk } = await place()
    await add(engine, 0, 20)
    disk.fail({ on: 'write', errno: 'ENOSPC', path: 'staging/part-00003' })
    expect((await snapshot(engine)).error?.code).toBe('no_space_left_on_device')
    expect(await keysIn(options)).toEqual([])
    expect(openUploads(store)).toBe(0)
    expect(disk.mount().list('staging')).toEqual([])
    expect((await snapshot(engine)).status).toBe('succeeded')
  })

  it('with an unreachable store fails with a message without its address', async () => {
    const { engine } = await place({ url: 'http://127.0.0.1:1', retryMsMax: 20 })
    const { error } = await snapshot(engine)
    expect(error).toEqual({
      code: 's_3_snapshot_server_error',
      message: 'S3 HTTP error: error sending request: ECONNREFUSED',
    })
  })

  it('with an address that may not be called fails immediately', async () => {
    const { engine } = await place({ transport: streamingCaller(null) })
    expect((await snapshot(engine)).error?.message).toBe('S3 HTTP error: bad uri: Rejected URI')
  })

  it('that takes longer than the limit of a snapshot ends it', async () => {
    const { store, engine, options } = await place({ signatureSeconds: 1 })
    await add(engine, 0, 20)
    store.trouble = (_, url) => (url.includes('partNumber=') ? { kind: 'slow', ms: 2500 } : null)
    const { error } = await snapshot(engine)
    expect(error?.message).toBe('S3 error: the snapshot took longer than 1 seconds')
    store.trouble = () => null
    expect(await keysIn({ ...options, signatureSeconds: 60 })).toEqual([])
  })

  it('does not delay a task that is canceled', async () => {
    const { store, engine, disk } = await place({ retryMsMax: 60_000 })
    await add(engine, 0, 20)
    store.trouble = (_, url) => (url.includes('partNumber=2') ? refused(503) : null)
    const { uid } = await enqueue(engine, null, { kind: 'snapshotCreation' })
    while (!store.passed.some(({ url }) => url.includes('partNumber=1'))) await moment()
    await engine.tasks.enqueueCancelation({ ...NO_FILTER, uids: [uid] }, `?uids=${uid}`, null)
    await engine.idle()
    expect((await engine.tasks.get(uid, null))?.status).toBe('canceled')
    expect(openUploads(store)).toBe(0)
    expect(disk.mount().list('staging')).toEqual([])
  })
})

const seen = ({ passed }: TestStore, url: string): boolean => {
  const part = /partNumber=\d+/.exec(url)?.[0] ?? ''
  return passed.some((one) => one.method === 'PUT' && one.url.includes(`${part}&`))
}
const moment = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5))

describe('incremental snapshots', () => {
  it('send what the bucket lacks, and each can be restored by its name', async () => {
    const { store, options, engine } = await place({ incremental: true })
    await add(engine, 0, 60)
    await engine.allMerged()
    await snapshot(engine)
    const first = store.passed.reduce((sum, { bytes }) => sum + bytes, 0)
    const before = await documentsOf(engine, 'a')
    await add(engine, 1000, 1)
    store.passed.length = 0
    await snapshot(engine)
    const second = store.passed.reduce((sum, { bytes }) => sum + bytes, 0)
    expect(second).toBeLessThan(first / 5)
    const names = await heads.names(await bucketOf(options), options.place)
    expect(names.length).toBe(2)
    await expectSame(engine, await restored(options))
    expect(await documentsOf(await restored(options, names[0]!), 'a')).toEqual(before)
  })

  it('exist when their head exists, not before', async () => {
    const { store, options, engine } = await place({ incremental: true, retryMsMax: 20 })
    await add(engine, 0, 20)
    await engine.allMerged()
    store.trouble = (method, url) =>
      method === 'PUT' && url.includes('/snapshots/') ? refused(500) : null
    expect((await snapshot(engine)).status).toBe('failed')
    store.trouble = () => null
    expect(await findSnapshot(await bucketOf(options), options.place, null)).toBe(null)
    store.passed.length = 0
    expect((await snapshot(engine)).status).toBe('succeeded')
    const again = store.passed.filter(({ method }) => method === 'PUT')
    // Segments that were sent before the failure are not sent again.
    expect(again.filter(({ url }) => /\.(docs|text)/.test(url))).toEqual([])
    await expectSame(engine, await restored(options))
  })

  it('are retained in the configured number, with no unused file', async () => {
    const { options, engine } = await place({ incremental: true, retain: 2 })
    for (let i = 0; i < 4; i++) {
      await add(engine, 0, 20 + i)
      await engine.allMerged()
      await snapshot(engine)
    }
    const bucket = await bucketOf(options)
    const names = await heads.names(bucket, options.place)
    expect(names.length).toBe(2)
    const needed = new Set<string>()
    for (const name of names) {
      const { files } = await heads.read(bucket, options.place, { name, kind: 'snapshots' })
      for (const { sha256, path } of files) needed.add(`${sha256}-${path.split('/').at(-1)}`)
    }
    const files = (await bucket.list('some/where/db/files/')).map(({ key }) =>
      key.split('/').at(-1),
    )
    expect([...files].sort()).toEqual([...needed].sort())
    for (const name of names) await restored(options, name)
    const turns = new StoreTurns()
    const retention = { kind: 'snapshots', count: 1, leased: new Set<string>(), turns } as const
    expect(await retain(bucket, options.place, retention)).toEqual([names[0]])
    await expectSame(engine, await restored(options))
  })

  it('that were damaged in the bucket are refused, and no database is created', async () => {
    const { options, engine } = await place({ incremental: true })
    await add(engine, 0, 20)
    await snapshot(engine)
    const bucket = await bucketOf(options)
    const [victim] = (await bucket.list('some/where/db/files/')).filter(({ bytes }) => bytes > 100)
    const bytes = new Uint8Array(victim!.bytes)
    const body = {
      bytes: bytes.length,
      open: async function* () {
        yield bytes
      },
    }
    await bucket.put(victim!.key, body)
    await expect(restored(options)).rejects.toThrow('is not what was uploaded')
  })
})

describe('a role', () => {
  const answer = (credentials: object): string =>
    JSON.stringify({
      AssumeRoleWithWebIdentityResponse: {
        AssumeRoleWithWebIdentityResult: { Credentials: credentials },
      },
    })
  const role = (endpoint: string): StoreOptions['credentials'] => ({
    kind: 'role',
    arn: 'arn:aws:iam::1:role/x',
    durationSeconds: 3600,
    endpoint,
    readToken: () => Promise.resolve(' the token\n'),
  })

  it('is assumed with the token for every snapshot, and its session token is sent', async () => {
    const keys = { AccessKeyId: STORE_KEY, SecretAccessKey: STORE_KEY, SessionToken: 'session' }
    const stsBodies: string[] = []
    const { options } = await place()
    const transport: StoreOptions['transport'] = async (request) => {
      if (request.url !== 'http://sts.test/') return options.transport(request)
      for await (const chunk of request.body!.open()) stsBodies.push(Buffer.from(chunk).toString())
      expect(request.headers['accept']).toBe('application/json')
      const text = Buffer.from(answer(keys))
      return { status: 200, headers: {}, body: once(text) }
    }
    const bucket = await bucketOf({ ...options, transport, credentials: role('http://sts.test/') })
    await bucket.list('')
    expect(Object.fromEntries(new URLSearchParams(stsBodies[0]))).toEqual({
      Action: 'AssumeRoleWithWebIdentity',
      Version: '2011-06-15',
      RoleArn: 'arn:aws:iam::1:role/x',
      RoleSessionName: 'svc-snapshot-session',
      WebIdentityToken: 'the token',
      DurationSeconds: '3600',
    })
  })

  it.each([
    [403, 'no', 'STS request failed with status 403: no'],
    [200, 'no', 'Failed to deserialize STS response: it is not JSON'],
    [200, '{}', 'Failed to deserialize STS response: it holds no credentials'],
  ])('that is refused fails the task: %i %s', async (status, text, message) => {
    const { options } = await place()
    const transport: StoreOptions['transport'] = () =>
      Promise.resolve({ status, headers: {}, body: once(Buffer.from(text)) })
    const opening = bucketOf({ ...options, transport, credentials: role('http://sts.test/') })
    await expect(opening).rejects.toMatchObject({ code: 'internal', message })
  })

  it('without its token file fails the task', async () => {
    const { options } = await place()
    const readToken = (): Promise<string> => Promise.reject(new Error('no such file'))
    const credentials = { ...role('http://sts.test/'), readToken } as StoreOptions['credentials']
    await expect(bucketOf({ ...options, credentials })).rejects.toThrow(
      'Failed to read web identity token file: no such file',
    )
  })
})

async function* once(bytes: Uint8Array) {
  yield bytes
}
