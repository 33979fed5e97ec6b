// A publisher and its store: what is sent, when, and what clients and the operator learn of it.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { MiB } from '../../../format/bytes/index.ts'
import { asTaskUid } from '../../../format/ids.ts'
import { LOG_RECORD_HEADER_BYTES } from '../../../format/log/index.ts'
import type { Bucket, NextHead, WriterLease } from '../../backup/objstore/index.ts'
import { headKey, snapshotName } from '../../backup/objstore/keys.ts'
import { NOW } from '../../backup/objstore/test-bucket.ts'
import { MemoryObjects } from '../../backup/objstore/test-memory-store.ts'
import { type Archiver, decodeHead, encodeHead } from '../../backup/snapshot/index.ts'
import { EngineFault } from '../../model/index.ts'
import { openManifest, PUBLISHING } from '../../store/catalog/index.ts'
import { RotatingLog } from '../../store/logs/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import { storeTurnsOf } from '../../task-kinds/database/index.ts'
import { LeasedTerm } from './leased-term.ts'
import { DIGEST_BYTES_MAX, KEPT_MIN, LAST_MS, RETENTION_MS, RETENTION_STATES } from './limits.ts'
import type { PublishOptions } from './options.ts'
import { Publisher, type PublisherParts } from './publisher.ts'
import { UnpublishedWrites } from './unpublished.ts'

const place = { prefix: 'p', name: 'db' }
const HOUR_MS = 3_600_000
/** Waits until an expectation holds; the limit of the test ends it. */
const until = (check: () => void): Promise<void> => vi.waitFor(check, 30_000)
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

afterEach(() => {
  vi.restoreAllMocks()
  vi.useRealTimers()
})

/** A lease that a test gives and takes. */
function fakeLease() {
  let lose = (): void => undefined
  const lost = new Promise<void>((resolve) => {
    lose = resolve
  })
  const published: (readonly [string, number])[] = []
  const publish = async (head: string, nextTask: number): Promise<void> => {
    published.push([head, nextTask])
  }
  const state = { isHeld: true, isLost: false, term: 4, instance: 'i', nextTask: asTaskUid(0) }
  return { ...state, lost, lose, publish, published }
}
type FakeLease = ReturnType<typeof fakeLease>
const asLease = (lease: FakeLease): WriterLease => lease as unknown as WriterLease

type Given = Partial<Omit<PublishOptions, 'lease'>> & {
  readonly lease?: FakeLease
  readonly archiver?: Archiver
  readonly unpublished?: UnpublishedWrites
}

/** A publisher of a database without indexes, whose log the test makes longer. */
async function publisherWith({ lease, archiver, unpublished, ...options }: Given = {}) {
  const objects = new MemoryObjects()
  const fs = new FakeDisk().mount()
  const drawLogSalt = (): number => 1
  const manifest = await openManifest(fs, { version: '1.0.0', upgrade: false, drawLogSalt })
  fs.makeDirectory('tasks')
  const log = await RotatingLog.open(fs, {
    folder: 'tasks',
    name: 'tasks',
    kind: 'TASK',
    drawLogSalt,
  })
  let nextTask = 0
  const add = async (bytes = 100): Promise<void> => {
    nextTask++
    await log.append(1, new Uint8Array(bytes).fill(nextTask))
  }
  await add()
  const requests: string[] = []
  let failing: string | null = null
  const transport: PublishOptions['store']['transport'] = (request) => {
    requests.push(request.method)
    return failing === request.method
      ? Promise.reject(new TypeError('broken'))
      : objects.transport(request)
  }
  const store: PublishOptions['store'] = {
    transport,
    url: 'https://store.test/',
    region: 'r',
    bucket: 'b',
    place,
    credentials: { kind: 'keys', accessKey: 'AK', secretKey: 'SK' },
    lanesMax: 2,
    level: 0,
    partBytes: 1e9,
    signatureSeconds: 60,
    incremental: true,
    retain: null,
    now: () => NOW,
    retryPauseMs: 1,
    retryMsMax: 1,
  }
  const messages: (readonly [string, string])[] = []
  const reported: unknown[] = []
  let number = 0
  const names = {
    next: async (_bucket: Bucket): Promise<NextHead> => {
      number++
      const at = { term: 1, number }
      return { name: snapshotName(at, 7), placed: { ...at, instance: 'i' } }
    },
  }
  const parts = {
    options: {
      store,
      intervalMs: HOUR_MS,
      say: (level: string, words: string) => messages.push([level, words]),
      report: (_: string, error: unknown) => reported.push(error),
      ...options,
      ...(lease === undefined ? {} : { lease: asLease(lease) }),
    },
    fs,
    manifest,
    log,
    queue: {
      upkeep: {
        get cut() {
          return { bytes: log.bytes, nextTask: asTaskUid(nextTask), bodies: [] }
        },
      },
    },
    views: { lease: () => null },
    version: '1.0.0',
    archiver: archiver ?? { run: () => Promise.reject(new Error('no thread')) },
    now: () => NOW * 1000,
    names: lease === undefined ? names : new LeasedTerm(asLease(lease), 7),
    unpublished: unpublished ?? null,
  } as unknown as PublisherParts
  const publisher = new Publisher(parts)
  const headsIn = (): string[] =>
    [...objects.objects.keys()].filter((key) => /published/.test(key)).sort()
  return {
    publisher,
    objects,
    fs,
    log,
    add,
    requests,
    messages,
    reported,
    names,
    turns: storeTurnsOf(store),
    headsIn,
    head: (at: number) => decodeHead(objects.objects.get(headsIn().at(at)!)!),
    fail: (method: string | null) => {
      failing = method
    },
  }
}

describe('a publication', () => {
  it('sends a state once, and then only what the store lacks', async () => {
    const { publisher, requests, headsIn, head, add, fs, objects } = await publisherWith({
      writer: 'here',
    })
    let published = 0
    await publisher.publish(() => published++)
    expect(headsIn()).toHaveLength(1)
    expect(head(0)).toMatchObject({ version: '1.0.0', writer: 'here', placed: { number: 1 } })
    expect(fs.list('').includes(PUBLISHING) ? fs.list(PUBLISHING) : []).toEqual([])
    const before = [requests.length, objects.objects.size]
    await publisher.publish(() => published++)
    expect([requests.length, objects.objects.size]).toEqual(before)
    await add()
    await publisher.publish(() => published++)
    // The log, the manifest with another salt, and the head.
    expect(objects.objects.size - before[1]!).toBe(3)
    expect(published).toBe(3)
    const { status } = publisher
    expect(status).toMatchObject({ mode: 'interval', problem: null, isRefused: false, lease: null })
    expect(status.snapshot).toBe(snapshotName({ term: 1, number: 2 }, 7))
    expect(status.publishedAt).toBe(head(1).createdAt)
  })

  it('names no writer without a lease', async () => {
    const { publisher, head } = await publisherWith()
    await publisher.publish()
    expect('writer' in head(0)).toBe(false)
  })

  it('under a lease tells it the state, then removes what clients sent', async () => {
    const removed: number[] = []
    const bodies = { list: async () => [], remove: async (file: number) => void removed.push(file) }
    const unpublished = new UnpublishedWrites(bodies, asTaskUid(0))
    const lease = fakeLease()
    const { publisher, head } = await publisherWith({ lease, unpublished })
    await unpublished.remove(9)
    await publisher.publish()
    expect(lease.published).toEqual([[publisher.status.snapshot, 1]])
    expect([removed, unpublished.from]).toEqual([[9], 1])
    expect(head(0).placed).toEqual({ term: 4, number: 1, instance: 'i' })
    expect(publisher.status.lease).toEqual({ term: 4, isHeld: true })
  })

  it('fails if its lease does not take it over', async () => {
    const lease = fakeLease()
    const publish = () => Promise.reject(new EngineFault('writer_lease_lapsed', 'taken'))
    const { publisher } = await publisherWith({ lease: { ...lease, publish } })
    let published = 0
    await expect(publisher.publish(() => published++)).rejects.toThrow('taken')
    expect([published, publisher.status.snapshot]).toEqual([0, null])
  })

  it('without its lease sends nothing', async () => {
    const lease = { ...fakeLease(), isHeld: false }
    const { publisher, requests } = await publisherWith({ lease })
    await expect(publisher.publish()).rejects.toMatchObject({ code: 'writer_lease_lapsed' })
    expect(requests).toEqual([])
  })

  it('computes checksums of many bytes in a thread', async () => {
    for (const more of [0, 1]) {
      let bytes = 0
      const run: Archiver['run'] = async ({ files }) => {
        bytes = files.reduce((sum, file) => sum + file.bytes, 0)
        return { bytes, digests: files.map(() => 'ab'.repeat(32)) }
      }
      const { publisher, log, add } = await publisherWith({ archiver: { run } })
      while (log.bytes < DIGEST_BYTES_MAX) {
        const left = DIGEST_BYTES_MAX - log.bytes - LOG_RECORD_HEADER_BYTES
        await add(Math.min(left, MiB))
      }
      if (more > 0) await add()
      await publisher.publish()
      expect(bytes).toBe(more > 0 ? log.bytes : 0)
    }
  })

  it('removes old states, at intervals or after many', async () => {
    const { publisher, turns, objects, headsIn, add } = await publisherWith()
    const retain = vi.spyOn(turns, 'retain')
    const clock = vi.spyOn(performance, 'now').mockReturnValue(5)
    const publish = async (): Promise<number> => {
      await add()
      await publisher.publish()
      return retain.mock.calls.length
    }
    for (let i = 10; i < 16; i++) {
      const head = { version: '1.0.0', createdAt: '2026-01-01T00:00:00Z', sequence: 1, files: [] }
      const key = headKey(place, `20260101-0304${i}006000-1a2b3c4d`, 'published')
      objects.objects.set(key, encodeHead(head))
    }
    expect(await publish()).toBe(1)
    expect(headsIn()).toHaveLength(KEPT_MIN)
    for (let i = 1; i < RETENTION_STATES; i++) expect(await publish()).toBe(1)
    expect(await publish()).toBe(2)
    clock.mockReturnValue(5 + RETENTION_MS - 1)
    expect(await publish()).toBe(2)
    clock.mockReturnValue(5 + RETENTION_MS)
    expect(await publish()).toBe(3)
  })
})

describe('a publication that fails', () => {
  it('is reported once, and again when it has succeeded', async () => {
    const { publisher, messages, reported, fail, turns, headsIn } = await publisherWith()
    fail('PUT')
    await publisher.stop()
    await publisher.stop()
    const place = 'The database could not be published to the bucket `b` of store.test: '
    expect(messages).toEqual([['warn', `${place}TypeError: broken`]])
    expect(reported.map(String)).toEqual(['TypeError: broken'])
    expect(turns.known).toBeNull()
    expect(publisher.status).toMatchObject({ problem: 'TypeError: broken', isRefused: false })
    fail(null)
    await publisher.stop()
    expect(messages.slice(1)).toEqual([['info', 'The database is published again.']])
    expect(publisher.status).toMatchObject({ problem: null, isRefused: false })
    expect(headsIn()).toHaveLength(1)
    await publisher.stop()
    expect(messages).toHaveLength(2)
  })

  it.each([
    ['another_publisher', 'error', true],
    ['io_error', 'warn', false],
  ] as const)('by %s is an expected failure', async (code, level, isRefused) => {
    const { publisher, messages, reported, names } = await publisherWith()
    names.next = () => Promise.reject(new EngineFault(code, 'not here'))
    await publisher.stop()
    expect(messages).toMatchObject([[level, expect.stringMatching(/store\.test: not here$/)]])
    expect([reported, publisher.status.isRefused]).toEqual([[], isRefused])
  })

  it('is repeated soon while a write waits, and ends no pause', async () => {
    const { publisher, fail, requests, add } = await publisherWith({ mode: 'sync' })
    publisher.start()
    await until(() => expect(requests).toContain('PUT'))
    fail('PUT')
    await add()
    const write = publisher.acknowledged(true)
    await until(() => expect(publisher.status.problem).not.toBeNull())
    const before = requests.length
    void publisher.acknowledged(true).catch(() => undefined)
    await turn()
    expect(requests.length).toBe(before)
    fail(null)
    await write
    await publisher.stop()
  })
})

describe('a write', () => {
  it.each<[string, Given, boolean, boolean]>([
    ['is acknowledged at once', {}, true, false],
    ['waits in the mode sync', { mode: 'sync' }, true, true],
    ['of a task is acknowledged under a lease', { lease: fakeLease() }, true, false],
    ['other than a task waits under a lease', { lease: fakeLease() }, false, true],
    ['other than a task is acknowledged without one', {}, false, false],
  ])('%s', async (_, given, isTask, waits) => {
    const { publisher, headsIn } = await publisherWith(given)
    let isAcknowledged = false
    const write = publisher.acknowledged(isTask).then(() => {
      isAcknowledged = true
    })
    await turn()
    expect(isAcknowledged).toBe(!waits)
    await publisher.stop()
    await write
    expect(headsIn()).toHaveLength(1)
  })

  it('ends the pause that it meets', async () => {
    const { publisher, add, headsIn } = await publisherWith({ mode: 'sync' })
    publisher.start()
    await until(() => expect(headsIn()).toHaveLength(1))
    await add()
    await publisher.acknowledged(true)
    expect(headsIn()).toHaveLength(2)
    await publisher.stop()
  })

  it('whose body is kept is published soon if the queue wants it', async () => {
    const bodies = { list: async () => [], remove: async () => undefined }
    const unpublished = new UnpublishedWrites(bodies, asTaskUid(0))
    const lease = fakeLease()
    const { publisher, add, headsIn } = await publisherWith({ lease, unpublished })
    publisher.start()
    await until(() => expect(headsIn()).toHaveLength(1))
    await add()
    unpublished.publish()
    await until(() => expect(headsIn()).toHaveLength(2))
    await publisher.stop()
  })

  it('is published soon if the queue wants it during a publication', async () => {
    const bodies = { list: async () => [], remove: async () => undefined }
    const unpublished = new UnpublishedWrites(bodies, asTaskUid(0))
    let isFirst = true
    const lease = {
      ...fakeLease(),
      // The head is in the store, and the pause has not begun.
      publish: async (): Promise<void> => {
        if (isFirst) {
          isFirst = false
          await add()
          unpublished.publish()
        }
      },
    }
    const { publisher, add, headsIn } = await publisherWith({ lease, unpublished })
    publisher.start()
    await until(() => expect(headsIn()).toHaveLength(2))
    await publisher.stop()
  })

  it('is refused when the lease is not held', async () => {
    const lease = fakeLease()
    const { publisher } = await publisherWith({ lease })
    publisher.expectHeld()
    await publisher.acknowledged(true)
    lease.isHeld = false
    expect(() => publisher.expectHeld()).toThrow(/does not hold the writer lease/)
    await expect(publisher.acknowledged(true)).rejects.toMatchObject({
      code: 'write_not_published',
    })
    ;(await publisherWith()).publisher.expectHeld()
  })
})

describe('the end of publishing', () => {
  it('publishes the last changes, and leaves no timer', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { publisher, headsIn } = await publisherWith()
    await publisher.stop()
    expect(headsIn()).toHaveLength(1)
    expect(vi.getTimerCount()).toBe(0)
  })

  it('takes a limited time', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    const { publisher, names, messages } = await publisherWith({ mode: 'sync' })
    names.next = ({ signal }) =>
      new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
    const write = publisher.acknowledged(true)
    write.catch(() => undefined)
    const stopped = publisher.stop()
    await until(() => expect(vi.getTimerCount()).toBe(2))
    vi.advanceTimersByTime(LAST_MS)
    await stopped
    await expect(write).rejects.toMatchObject({ code: 'write_not_published' })
    expect(messages).toEqual([])
  })

  it('of a process that lost its lease publishes nothing', async () => {
    const lease = fakeLease()
    const { publisher, requests } = await publisherWith({ lease })
    const write = publisher.acknowledged(false)
    lease.isLost = true
    lease.lose()
    await expect(write).rejects.toMatchObject({ code: 'write_not_published' })
    publisher.start()
    await publisher.stop()
    expect(requests).toEqual([])
  })
})
