// Single objects of a bucket: conditional writes, short reads, sizes, heads, keys of leases, and
// answers that break off.
import { describe, expect, it } from 'vitest'
import { encodeHead } from '../snapshot/index.ts'
import { serverError } from './answers.ts'
import { heads, UnreadableHeads } from './heads.ts'
import { followerInKey, headKey, leaseKey, snapshotName, writerKey } from './keys.ts'
import { FollowerLeases, putLease } from './leases.ts'
import { LEASE_MS } from './limits.ts'
import { answer, bucketOf, keyOf, queryOf } from './test-bucket.ts'
import { MemoryObjects } from './test-memory-store.ts'
import { bodyOf, type StoreAnswer, type StoreRequest, TransportFault } from './transport.ts'
import { readWriter, writerStore } from './writer-store.ts'

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

describe('an answer that breaks off', () => {
  async function* broken(fault: Error): AsyncGenerator<Uint8Array> {
    yield Buffer.from('<a>')
    throw fault
  }
  const breaking = (status: number, fault: Error) =>
    answering(() => ({ status, headers: { etag: '"e"' }, body: broken(fault) })).bucket
  const reset = new TransportFault(true, 'reset')
  const ours = new TypeError('ours')

  it('fails a request that reads it', async () => {
    await expect(breaking(200, reset).begin('k')).rejects.toMatchObject({
      code: 's_3_snapshot_server_error',
      message: 'S3 HTTP error: reset',
    })
    await expect(breaking(200, ours).begin('k')).rejects.toBe(ours)
  })

  it('does not fail one that drops it, except by a fault of the code', async () => {
    const drops: readonly ((fault: Error) => Promise<unknown>)[] = [
      (fault) => breaking(404, fault).delete('k'),
      (fault) => breaking(404, fault).abort('k', 'u'),
      (fault) => breaking(412, fault).putIf('k', BODY, null),
      (fault) => breaking(404, fault).read('k', 1),
    ]
    for (const drop of drops) {
      expect((await drop(reset)) ?? null).toBeNull()
      await expect(drop(ours)).rejects.toBe(ours)
    }
  })
})

it('an object or an upload that is gone need not be removed; a refusal is an error', async () => {
  const remove = (status: number) => {
    const { bucket } = answering(() => answer(status, 'no'))
    return Promise.allSettled([bucket.delete('k'), bucket.abort('k', 'u')])
  }
  for (const status of [200, 204, 404]) {
    expect((await remove(status)).map((one) => one.status)).toEqual(['fulfilled', 'fulfilled'])
  }
  const reason = serverError('S3 error: status: 403, body: no')
  expect(await remove(403)).toEqual(Array(2).fill({ status: 'rejected', reason }))
})

it('a list whose pages begin again is refused', async () => {
  const page = (next: string) =>
    `<IsTruncated>true</IsTruncated><NextContinuationToken>${next}</NextContinuationToken>`
  let pages = 0
  const { bucket, requests } = answering(() =>
    answer(200, `<ListBucketResult>${page(`t${pages++ % 3}`)}</ListBucketResult>`),
  )
  await expect(bucket.list('p/')).rejects.toThrow('S3 XML error: the list of `p/` does not end')
  expect(requests.length).toBe(4)
})

it('a store that refuses to list uploads has none', async () => {
  const list = '<ListMultipartUploadsResult><Upload><Key>k</Key><UploadId>u</UploadId></Upload>'
  const bucket = (status: number) =>
    answering(() => answer(status, `${list}</ListMultipartUploadsResult>`)).bucket
  expect(await bucket(200).openUploads('')).toEqual([{ key: 'k', uploadId: 'u' }])
  expect(await bucket(501).openUploads('')).toEqual([])
})

it('the next page of uploads is requested with the markers that the store gave', async () => {
  const pages = [
    '<IsTruncated>true</IsTruncated><NextKeyMarker>k</NextKeyMarker>',
    '<IsTruncated>true</IsTruncated><NextUploadIdMarker>u</NextUploadIdMarker>',
  ]
  const { bucket, requests } = answering(() =>
    answer(200, `<ListMultipartUploadsResult>${pages.shift()}</ListMultipartUploadsResult>`),
  )
  expect(await bucket.openUploads('')).toEqual([])
  const first = { uploads: '', prefix: '', 'encoding-type': 'url' }
  expect(requests.map(queryOf)).toEqual([first, { ...first, 'key-marker': 'k' }])
})

describe('leases', () => {
  it('of a list are forgotten once it no longer has them', async () => {
    const store = new MemoryObjects()
    let now = 0
    const leases = new FollowerLeases(() => now)
    const names = async () => [...(await leases.snapshots(store.bucket(), PLACE))]
    const put = () =>
      putLease(store.bucket(), PLACE, { follower: 'f', snapshot: 's', renewedAt: 1 })
    await put()
    expect(await names()).toEqual(['s'])
    store.objects.clear()
    expect(await names()).toEqual([])
    // The same record again: it is a lease that this process sees for the first time.
    now += LEASE_MS + 1
    await put()
    expect(await names()).toEqual(['s'])
  })

  it('expire only after their time, and are removed after twice their time', async () => {
    const store = new MemoryObjects()
    let now = 0
    const leases = new FollowerLeases(() => now)
    await putLease(store.bucket(), PLACE, { follower: 'f', snapshot: 's', renewedAt: 1 })
    const states: (readonly [string, number])[] = []
    for (now of [0, LEASE_MS, LEASE_MS + 1, 2 * LEASE_MS, 2 * LEASE_MS + 1]) {
      const names = await leases.snapshots(store.bucket(), PLACE)
      states.push([[...names].join(), store.objects.size])
    }
    expect(states).toEqual([
      ['s', 1],
      ['s', 1],
      ['', 1],
      ['', 1],
      ['', 0],
    ])
  })

  it('have keys of a form; other objects in their folder are not read', async () => {
    const store = new MemoryObjects()
    const text = JSON.stringify({ follower: 'a b', snapshot: 's', renewedAt: 1 })
    store.set(leaseKey(PLACE, 'a b'), text)
    const gets: string[] = []
    const bucket = bucketOf((request) => {
      gets.push(keyOf(request))
      return store.transport(request)
    })
    expect(await new FollowerLeases().snapshots(bucket, PLACE)).toEqual(new Set())
    expect(gets).toEqual([''])
  })

  it('are not known without the store', async () => {
    const store = new MemoryObjects()
    store.set(leaseKey(PLACE, 'f'), '{}')
    const bucket = bucketOf((request) =>
      keyOf(request) === '' ? store.transport(request) : answer(403, 'no'),
    )
    const failed = new FollowerLeases().snapshots(bucket, PLACE)
    await expect(failed).rejects.toThrow('S3 error: status: 403, body: no')
  })
})

it('a writer record without a tag is read, and one of a newer release is not', async () => {
  const read = (text: string) =>
    writerStore(async () => answering(() => answer(200, text)).bucket, PLACE, 1000).get()
  expect(await read('{}')).toEqual({ record: null, bytes: Buffer.from('{}'), etag: '' })
  await expect(read('{"format":2}')).rejects.toMatchObject({ code: 'newer' })
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
