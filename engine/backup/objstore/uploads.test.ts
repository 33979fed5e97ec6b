// Multipart uploads, slices of files, names of objects, leases: on a store in memory.
import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Canceled } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import type { Bucket } from './bucket.ts'
import { smallObject } from './heads.ts'
import {
  headKey,
  leaseKey,
  nameInKey,
  objectsOf,
  positionOf,
  snapshotName,
  TERM_MAX,
} from './keys.ts'
import { FollowerLeases, putLease } from './leases.ts'
import { LEASE_BYTES_MAX, LEASE_MS, LEASES_MAX, SLICE_BYTES } from './limits.ts'
import { fileOfSnapshot } from './remote-snapshots.ts'
import { answer, bucketOf, keyOf, queryOf, sentBytes } from './test-bucket.ts'
import { bodyOf, type StoreAnswer, type StoreRequest } from './transport.ts'
import { abortLeftOvers, sliceOf, uploadInParts } from './uploads.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

/** Ends a chunk at every length, so that a reader can stop exactly at the announced one. */
async function* byteByByte(bytes: Uint8Array) {
  for (const byte of bytes) yield Uint8Array.of(byte)
}

/** A store in memory with multipart uploads. */
class MemoryStore {
  readonly objects = new Map<string, Uint8Array>()
  readonly uploads = new Map<string, { readonly key: string; readonly parts: Uint8Array[] }>()
  /** Status of the answer to a part. */
  partStatus: (number: number) => number = () => 200
  mostParts = 0
  #running = 0
  #next = 1

  bucket(signal = new AbortController().signal): Bucket {
    return bucketOf((request) => this.#answer(request), { signal })
  }

  async #answer(request: StoreRequest): Promise<StoreAnswer> {
    const [key, query] = [keyOf(request), queryOf(request)]
    const { uploadId, prefix = '' } = query
    if (uploadId !== undefined) return this.#uploadAnswer(request, uploadId)
    if (request.method === 'POST') {
      const id = `id${this.#next++}`
      this.uploads.set(id, { key, parts: [] })
      const text = `<UploadId>${id}</UploadId>`
      return answer(200, `<InitiateMultipartUploadResult>${text}</InitiateMultipartUploadResult>`)
    }
    if (request.method === 'PUT') this.objects.set(key, await sentBytes(request))
    if (request.method === 'DELETE') return answer(this.objects.delete(key) ? 204 : 404)
    if ('uploads' in query) {
      const entries = [...this.uploads].map(
        ([id, one]) => `<Upload><Key>${one.key}</Key><UploadId>${id}</UploadId></Upload>`,
      )
      return answer(
        200,
        `<ListMultipartUploadsResult>${entries.join('')}</ListMultipartUploadsResult>`,
      )
    }
    if (key === '') {
      const keys = [...this.objects.keys()].filter((one) => one.startsWith(prefix))
      const items = keys.map((one) => `<Contents><Key>${one}</Key><Size>1</Size></Contents>`)
      return answer(200, `<ListBucketResult>${items.join('')}</ListBucketResult>`)
    }
    const object = this.objects.get(key)
    if (object === undefined) return answer(404)
    const headers = { 'content-length': String(object.length) }
    return { status: 200, headers, body: byteByByte(object) }
  }

  async #uploadAnswer(request: StoreRequest, id: string): Promise<StoreAnswer> {
    const upload = this.uploads.get(id)
    if (upload === undefined) return answer(404, '<Error><Code>NoSuchUpload</Code></Error>')
    if (request.method === 'PUT') {
      const number = Number(queryOf(request)['partNumber'])
      this.mostParts = Math.max(this.mostParts, ++this.#running)
      await turn()
      this.#running--
      if (request.signal.aborted) throw new Canceled()
      const status = this.partStatus(number)
      if (status === 200) upload.parts[number - 1] = await sentBytes(request)
      return answer(status, '', { etag: `"${number}"` })
    }
    this.uploads.delete(id)
    if (request.method === 'DELETE') return answer(204)
    const text = Buffer.from(await sentBytes(request)).toString()
    const tags = [...text.matchAll(/<ETag>"(\d+)"<\/ETag>/g)].map(([, tag]) => Number(tag))
    expect(tags).toEqual(upload.parts.map((_, i) => i + 1))
    this.objects.set(upload.key, Buffer.concat(upload.parts))
    return answer(200, '<CompleteMultipartUploadResult/>')
  }
}

describe('a multipart upload', () => {
  const upload = (store: MemoryStore, parts: readonly Uint8Array[], lanes: number): Promise<void> =>
    uploadInParts(store.bucket(), 'k', lanes, async ({ add }) => {
      for (const [i, part] of parts.entries()) await add(i + 1, bodyOf(part), async () => undefined)
    })

  it('joins the parts in order, with a limited number at the same time', async () => {
    const parts = fc.array(fc.uint8Array({ maxLength: 9 }), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(parts, fc.integer({ min: 1, max: 4 }), async (parts, lanes) => {
        const store = new MemoryStore()
        await upload(store, parts, lanes)
        expect(Buffer.from(store.objects.get('k')!)).toEqual(Buffer.concat(parts))
        expect(store.mostParts).toBeLessThanOrEqual(lanes)
        expect(store.uploads.size).toBe(0)
      }),
      { numRuns: 10 },
    )
  })

  it('that fails leaves neither an object nor parts', async () => {
    for (const failing of [1, 3, 6]) {
      const store = new MemoryStore()
      store.partStatus = (number) => (number === failing ? 403 : 200)
      const parts = Array.from({ length: 6 }, () => new Uint8Array(1))
      await expect(upload(store, parts, 2)).rejects.toThrow('status: 403')
      expect([store.objects.size, store.uploads.size]).toEqual([0, 0])
    }
  })

  it('that is canceled, or whose source fails, is aborted as well', async () => {
    const store = new MemoryStore()
    const controller = new AbortController()
    const canceled = uploadInParts(store.bucket(controller.signal), 'k', 1, async ({ add }) => {
      controller.abort()
      await add(1, bodyOf(new Uint8Array(1)), async () => undefined)
    })
    await expect(canceled).rejects.toThrow(Canceled)
    const failure = new Error('the file is gone')
    const failed = uploadInParts(store.bucket(), 'k', 1, () => Promise.reject(failure))
    await expect(failed).rejects.toBe(failure)
    expect([store.objects.size, store.uploads.size]).toEqual([0, 0])
  })

  it('of a killed server is aborted, others stay', async () => {
    const store = new MemoryStore()
    for (const key of ['db/1', 'db/2', 'other/1']) await store.bucket().begin(key)
    await abortLeftOvers(store.bucket(), 'db/', (key) => key === 'db/1')
    expect([...store.uploads.values()].map(({ key }) => key)).toEqual(['db/2', 'other/1'])
  })
})

describe('a slice of a file', () => {
  it('has its bytes at every attempt, and fails if the file is too short', async () => {
    const fs = new FakeDisk().mount()
    const bytes = Uint8Array.from({ length: SLICE_BYTES * 2 + 5 }, (_, i) => i * 7 + (i >> 8))
    const file = await fs.openAsync('f', 'create')
    await file.writeAsync(0, bytes)
    file.close()
    const read = async (at: number, length: number): Promise<Buffer> => {
      const chunks: Uint8Array[] = []
      for await (const chunk of sliceOf(fs, 'f', at, length).open()) chunks.push(chunk)
      return Buffer.concat(chunks)
    }
    for (const [at, length] of [
      [0, 0],
      [0, bytes.length],
      [3, SLICE_BYTES],
      [SLICE_BYTES - 1, SLICE_BYTES + 6],
    ] as const) {
      expect((await read(at, length)).equals(bytes.subarray(at, at + length))).toBe(true)
    }
    await expect(read(1, bytes.length)).rejects.toMatchObject({ code: 'short_file' })
  })
})

describe('names of objects', () => {
  it('of heads are read back and sort by position', () => {
    const position = fc.record({ term: fc.integer({ min: 1, max: TERM_MAX }), number: fc.nat() })
    const place = { prefix: '//p//', name: 'data .ms' }
    fc.assert(
      fc.property(position, position, fc.nat(0xffffffff), (a, b, mark) => {
        const [one, other] = [a, b].map((each) => snapshotName(each, mark))
        const key = headKey(place, one!, 'published')
        expect(nameInKey(place, key, 'published')).toBe(one)
        expect(nameInKey(place, key, 'snapshots')).toBe(null)
        expect(positionOf(one!)).toEqual(a)
        expect(one! < other!).toBe(a.term === b.term ? a.number < b.number : a.term < b.term)
        expect('20991231-235959999999-ffffffff' < one!).toBe(true)
      }),
    )
  })

  it.each([
    '',
    '../',
    'x',
    '20260102-030405000000-1a2b3c4',
    '20260102-030405000000-1A2B3C4D',
    'a/20260102-030405000000-1a2b3c4d',
  ])('of heads are not %j', (name) => {
    const place = { prefix: '', name: 'db' }
    expect(nameInKey(place, headKey(place, name, 'snapshots'), 'snapshots')).toBe(null)
  })
})

describe('a file in pieces', () => {
  const place = { prefix: '', name: 'db' }
  const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

  it('is joined front to back, and any damage is found', async () => {
    const contents = fc.array(fc.uint8Array({ minLength: 1, maxLength: 9 }), {
      minLength: 1,
      maxLength: 5,
    })
    const damage = fc.constantFrom('none', 'byte', 'short', 'long')
    await fc.assert(
      fc.asyncProperty(contents, damage, fc.nat(), async (contents, damage, drawn) => {
        const pieces = contents.map((bytes) => ({ bytes: bytes.length, sha256: sha256(bytes) }))
        const bytes = contents.reduce((sum, piece) => sum + piece.length, 0)
        const file = { path: 'tasks/tasks-000001.log', bytes, sha256: null, pieces }
        const store = new MemoryStore()
        const objects = objectsOf(place, file)
        let from = 0
        for (const [i, object] of objects.entries()) {
          expect(object.from).toBe(from)
          from += object.bytes
          store.objects.set(object.key, contents[i]!)
        }
        const { key } = objects[drawn % objects.length]!
        const stored = Uint8Array.from(store.objects.get(key)!)
        if (damage === 'byte') stored[drawn % stored.length]! ^= 1
        const changed = {
          none: stored,
          byte: stored,
          short: stored.subarray(1),
          long: Buffer.concat([stored, stored]),
        }
        store.objects.set(key, changed[damage])
        const chunks: Uint8Array[] = []
        const read = async (): Promise<void> => {
          for await (const chunk of fileOfSnapshot(store.bucket(), place, file)) chunks.push(chunk)
        }
        if (damage !== 'none') {
          await expect(read()).rejects.toMatchObject({ code: 'damaged' })
          return
        }
        await read()
        expect(Buffer.concat(chunks)).toEqual(Buffer.concat(contents))
      }),
      { numRuns: 30 },
    )
  })
})

describe('leases', () => {
  const place = { prefix: '', name: 'db' }
  const lease = (follower: string, renewedAt = 0) => ({ follower, snapshot: follower, renewedAt })

  it('keep snapshots while they change, and are removed long after', async () => {
    const bucket = new MemoryStore().bucket()
    let now = 5
    const leases = new FollowerLeases(() => now)
    const names = async (): Promise<readonly string[]> =>
      [...(await leases.snapshots(bucket, place))].sort()
    // The clocks of followers do not matter: one is years behind, one goes back.
    await putLease(bucket, place, lease('behind', 0))
    await putLease(bucket, place, lease('back', 9e15))
    expect(await names()).toEqual(['back', 'behind'])
    now += LEASE_MS
    await putLease(bucket, place, lease('back', 8e15))
    expect(await names()).toEqual(['back', 'behind'])
    now += 1
    expect(await names()).toEqual(['back'])
    now += LEASE_MS
    // A late one may be renewed at any moment, so its object stays for a while.
    expect(await bucket.size(leaseKey(place, 'behind'))).toBeGreaterThan(0)
    expect(await names()).toEqual([])
    expect(await bucket.size(leaseKey(place, 'behind'))).toBe(null)
    await putLease(bucket, place, lease('behind', 0))
    expect(await names()).toEqual(['behind'])
  })

  it('of more followers than planned are all read', async () => {
    const store = new MemoryStore()
    const followers = Array.from({ length: LEASES_MAX + 5 }, (_, i) => `f${i}`)
    for (const follower of followers) {
      const text = JSON.stringify(lease(follower))
      store.objects.set(leaseKey(place, follower), Buffer.from(text))
    }
    const leases = new FollowerLeases()
    expect((await leases.snapshots(store.bucket(), place)).size).toBe(followers.length)
  })

  it.each([
    '',
    'null',
    '[]',
    '{"follower":"f","snapshot":"s"}',
    '{"follower":"f","snapshot":1,"renewedAt":0}',
    '{"follower":"f","snapshot":"s","renewedAt":-1}',
    '{"follower":"other","snapshot":"s","renewedAt":1}',
    '{"follower":"f"',
    `${JSON.stringify(lease('f'))}${' '.repeat(LEASE_BYTES_MAX)}`,
  ])('that cannot be read keep nothing and are never removed: %j', async (text) => {
    const store = new MemoryStore()
    store.objects.set(leaseKey(place, 'f'), Buffer.from(text))
    let now = 0
    const leases = new FollowerLeases(() => now)
    for (let i = 0; i < 3; i++) {
      expect((await leases.snapshots(store.bucket(), place)).size).toBe(0)
      now += 2 * LEASE_MS
    }
    expect(store.objects.size).toBe(1)
  })
})

it('a short JSON object is read whole; longer ones and others are refused', async () => {
  const store = new MemoryStore()
  const read = (text: string, max: number) => {
    store.objects.set('k', Buffer.from(text))
    return smallObject(store.bucket(), 'k', max)
  }
  expect((await read('{"a":123}', 9)).length).toBe(9)
  await expect(read('{"a":1234}', 9)).rejects.toMatchObject({ code: 'too_large' })
  for (const text of ['', ' {}', 'x'.repeat(20)]) {
    await expect(read(text, 9)).rejects.toMatchObject({ code: 'damaged' })
  }
  await expect(smallObject(store.bucket(), 'none', 9)).rejects.toMatchObject({ code: 'missing' })
})
