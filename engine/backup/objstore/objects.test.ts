// Single objects of a bucket: conditional writes, short reads, sizes, heads, and keys of leases.
import { describe, expect, it } from 'vitest'
import { encodeHead } from '../snapshot/index.ts'
import { heads, UnreadableHeads } from './heads.ts'
import { followerInKey, headKey, leaseKey, snapshotName, writerKey } from './keys.ts'
import { answer, bucketOf } from './test-bucket.ts'
import { MemoryObjects } from './test-memory-store.ts'
import { bodyOf, type StoreAnswer, type StoreRequest, TransportFault } from './transport.ts'
import { readWriter } from './writer-store.ts'

const PLACE = { prefix: 'p', name: 'db' }
const BODY = bodyOf(new Uint8Array(1))

/** A bucket whose store gives one answer, and the requests that it got. */
function answering(reply: () => StoreAnswer) {
  const requests: StoreRequest[] = []
  const bucket = bucketOf((request) => {
    requests.push(request)
    return reply()
  })
  return { bucket, requests }
}

describe('a write under a condition', () => {
  it('returns the new tag, or null if the object is another one', async () => {
    const taken = answering(() => answer(200, '', { etag: '"new"' }))
    expect(await taken.bucket.putIf('k', BODY, '"old"')).toBe('"new"')
    expect(await taken.bucket.putIf('k', BODY, null)).toBe('"new"')
    expect(taken.requests.map(({ headers }) => headers)).toMatchObject([
      { 'if-match': '"old"' },
      { 'if-none-match': '*' },
    ])
    for (const status of [409, 412]) {
      expect(await answering(() => answer(status)).bucket.putIf('k', BODY, null)).toBeNull()
    }
  })

  it('fails if the store does not answer with a tag', async () => {
    const { bucket } = answering(() => answer(200))
    await expect(bucket.putIf('k', BODY, null)).rejects.toMatchObject({
      code: 's_3_snapshot_server_error',
      message: 'S3 HTTP error: an object was taken without an ETag',
    })
  })
})

describe('a short object', () => {
  async function* chunks(...texts: readonly string[]): AsyncGenerator<Uint8Array> {
    for (const text of texts) yield Buffer.from(text)
  }

  it('is read with its tag; of a longer one the beginning', async () => {
    const of = (max: number, headers = {}) =>
      answering(() => ({ status: 200, headers, body: chunks('ab', 'cd', 'ef') })).bucket.read(
        'k',
        max,
      )
    const shown = async (max: number) => Buffer.from((await of(max))!.bytes).toString()
    expect(await Promise.all([1, 2, 3, 4, 6].map(shown))).toEqual([
      'ab',
      'abcd',
      'abcd',
      'abcdef',
      'abcdef',
    ])
    expect((await of(6, { etag: '"e"' }))?.etag).toBe('"e"')
    expect((await of(6))?.etag).toBeNull()
    expect(await answering(() => answer(404)).bucket.read('k', 6)).toBeNull()
  })

  it('is not read in part if the connection breaks', async () => {
    async function* broken(fault: Error): AsyncGenerator<Uint8Array> {
      yield Buffer.from('ab')
      throw fault
    }
    const read = (fault: Error) =>
      answering(() => ({ status: 200, headers: {}, body: broken(fault) })).bucket.read('k', 6)
    await expect(read(new TransportFault(true, 'reset'))).rejects.toMatchObject({
      code: 's_3_snapshot_server_error',
      message: 'S3 HTTP error: reset',
    })
    const ours = new TypeError('ours')
    await expect(read(ours)).rejects.toBe(ours)
  })

  it('has a size, unless it does not exist', async () => {
    const size = (reply: StoreAnswer) => answering(() => reply).bucket.size('k')
    expect(await size(answer(200, '', { 'content-length': '12' }))).toBe(12)
    expect(await size(answer(200))).toBeNaN()
    expect(await size(answer(404))).toBeNull()
    await expect(size(answer(403))).rejects.toThrow('S3 error: status: 403, body: ')
  })
})

describe('a head', () => {
  const name = snapshotName({ term: 7, number: 1 }, 1)
  const ref = { name, kind: 'published' } as const
  const storeWith = (sha256: string | null) => {
    const store = new MemoryObjects()
    const placed = { term: 7, number: 1, instance: 'me' }
    const given = { version: '1.0.0', createdAt: '2026-01-02T03:04:05Z', sequence: 1, placed }
    const files = [{ path: 'VERSION', bytes: 1, sha256 }]
    store.objects.set(headKey(PLACE, name, 'published'), encodeHead({ ...given, files }))
    return store.bucket()
  }

  it('exists as the kind that it is', async () => {
    const bucket = storeWith(null)
    expect(await heads.exists(bucket, PLACE, ref)).toBe(true)
    expect(await heads.exists(bucket, PLACE, { ...ref, kind: 'snapshots' })).toBe(false)
  })

  it('of a store has the checksum of each file', async () => {
    const sha256 = 'ab'.repeat(32)
    expect((await heads.read(storeWith(sha256), PLACE, ref)).files[0]?.sha256).toBe(sha256)
    await expect(heads.read(storeWith(null), PLACE, ref)).rejects.toMatchObject({
      code: 'damaged',
      message: 'its head has no checksum of `VERSION`',
    })
  })
})

it('a writer record that is damaged is skipped, one of a newer release is not', async () => {
  const store = new MemoryObjects()
  const messages: string[] = []
  const unreadable = new UnreadableHeads((message) => void messages.push(message))
  const read = () => readWriter(store.bucket(), PLACE, unreadable)
  store.set(writerKey(PLACE), '{"format":2}')
  await expect(read()).rejects.toMatchObject({ code: 'newer' })
  expect(messages).toEqual([])
  store.set(writerKey(PLACE), '{}')
  expect([await read(), await read(), messages.length]).toEqual([null, null, 1])
})

it.each([
  [leaseKey(PLACE, 'one-1'), 'one-1'],
  [leaseKey(PLACE, 'f'.repeat(100)), 'f'.repeat(100)],
  [leaseKey(PLACE, 'f'.repeat(101)), null],
  [leaseKey(PLACE, 'a b'), null],
  [leaseKey(PLACE, 'a/b'), null],
  [leaseKey({ ...PLACE, name: 'other' }, 'one'), null],
  [leaseKey(PLACE, 'one').replace('.json', '.txt'), null],
])('the key %s is the lease of %s', (key, follower) => {
  expect(followerInKey(PLACE, key)).toBe(follower)
})
