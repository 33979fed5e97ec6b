// The parts of the object store that need no store: names, lanes, requests and answers.

import { describe, expect, it } from 'vitest'
import { Canceled } from '../../model/index.ts'
import { encodeHead } from '../snapshot/index.ts'
import { retain } from './incremental.ts'
import { archiveKey, headKey, isSnapshotName, nameInKey, objectsOf, snapshotName } from './keys.ts'
import { DELETED_OBJECTS_MAX, SMALL_REQUESTS_MAX } from './limits.ts'
import { answer, bucketOf, keyOf } from './test-bucket.ts'
import { MemoryObjects } from './test-memory-store.ts'
import { bodyOf, TransportFault } from './transport.ts'
import { StoreTurns } from './turns.ts'
import { Lanes, Slots } from './uploads.ts'
import { completionXml, listedIn, rootOf } from './xml.ts'

const turn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1))

describe('keys', () => {
  const place = { prefix: '/a//b/', name: 'data.ms' }
  const file = { path: 'segments/000001.docs', bytes: 1, sha256: 'ab'.repeat(32) }

  it('are under the prefix, with any slashes around it', () => {
    expect(archiveKey(place)).toBe('a/b/data.ms.snapshot')
    expect(archiveKey({ ...place, prefix: '' })).toBe('data.ms.snapshot')
    expect(objectsOf(place, file)[0]!.key).toBe(`a/b/data.ms/files/${file.sha256}-000001.docs`)
  })

  it('of snapshots sort by position and are distinguished from others', () => {
    const early = snapshotName({ term: 9, number: 1234 }, 0xffffffff)
    const late = snapshotName({ term: 10, number: 1 }, 1)
    expect(early).toBe('90000009-000000001234-ffffffff')
    expect([late, early].sort()).toEqual([early, late])
    expect(nameInKey(place, headKey(place, late, 'snapshots'), 'snapshots')).toBe(late)
    for (const key of ['a/b/data.ms/snapshots/x.json', 'a/b/data.ms/snapshots/', 'x']) {
      expect(nameInKey(place, key, 'snapshots')).toBe(null)
    }
    expect(isSnapshotName('../../etc')).toBe(false)
  })
})

describe('lanes', () => {
  it('run a limited number at the same time', async () => {
    const lanes = new Lanes(3)
    const slots = new Slots(2)
    let begun = 0
    let inSlots = 0
    let most = 0
    for (let i = 0; i < 20; i++) {
      await lanes.add(async () => {
        begun++
        expect(begun).toBeLessThanOrEqual(3)
        await slots.run(async () => {
          most = Math.max(most, ++inSlots)
          await turn()
          inSlots--
        })
        begun--
      })
    }
    await lanes.finish()
    expect(most).toBe(2)
  })

  it('end with the first failure', async () => {
    const lanes = new Lanes(2)
    const fail = (text: string) => async () => {
      await turn()
      throw new Error(text)
    }
    const added = (async () => {
      for (let i = 0; i < 5; i++) await lanes.add(fail(`failure ${i}`))
    })()
    await expect(added).rejects.toThrow('failure 0')
    await expect(lanes.finish()).rejects.toThrow('failure 0')
  })
})

describe('a request', () => {
  it('is signed with its time and the session, and encodes special characters', async () => {
    const urls: string[] = []
    const bucket = bucketOf(({ url }) => {
      urls.push(url)
      return answer(200)
    })
    await bucket.put("a b/ü'(x)*", bodyOf(new Uint8Array(1)))
    const { origin, pathname, searchParams } = new URL(urls[0]!)
    expect(origin + pathname).toBe('https://store.test/b/a%20b/%C3%BC%27%28x%29%2A')
    expect(Object.fromEntries(searchParams)).toMatchObject({
      'X-Amz-Date': '20260102T030405Z',
      'X-Amz-Expires': '60',
      'X-Amz-Security-Token': 'ST',
      'X-Amz-Credential': 'AK/20260102/r/s3/aws4_request',
      'X-Amz-SignedHeaders': 'host',
    })
    expect(searchParams.get('X-Amz-Signature')).toMatch(/^[0-9a-f]{64}$/)
  })

  it('is repeated after temporary failures until the time is over', async () => {
    let time = 0
    let tries = 0
    const bucket = bucketOf(
      () => {
        tries++
        time += 100
        throw new TransportFault(true, 'error sending request: ECONNRESET')
      },
      { now: () => time, retryMsMax: 500 },
    )
    await expect(bucket.begin('k')).rejects.toThrow('S3 HTTP error: error sending request')
    expect(tries).toBeGreaterThan(3)
    expect(tries).toBeLessThan(8)
  })

  it('is not repeated after a refusal, and names its secrets', async () => {
    let tries = 0
    const bucket = bucketOf(({ secrets }) => {
      tries++
      expect(secrets).toEqual(['AK', 'SK', 'ST'])
      return answer(403, '<Error>no</Error>')
    })
    const words = 'S3 error: status: 403, body: <Error>no</Error>'
    await expect(bucket.begin('k')).rejects.toMatchObject({ message: words })
    expect(tries).toBe(1)
  })

  it('is not sent after the work was canceled', async () => {
    const controller = new AbortController()
    controller.abort()
    const bucket = bucketOf(() => answer(200), { signal: controller.signal })
    await expect(bucket.list('')).rejects.toThrow(Canceled)
  })

  it('fails if an answer with status 200 holds an error', async () => {
    const bucket = bucketOf(() => answer(200, '<Error><Code>InternalError</Code></Error>'))
    await expect(bucket.complete('k', 'u', ['e'], 1)).rejects.toThrow('InternalError')
  })
})

describe('XML', () => {
  it('is parsed, and other texts are recognized', async () => {
    const text =
      '<R><Contents><Key>a&amp;b&#x27;&#233;&lt;&amp;lt;</Key><Size>3</Size></Contents></R>'
    const key = "a&b'é<&lt;"
    expect(listedIn((await rootOf(text, 'R'))!)).toEqual([{ key, bytes: 3 }])
    expect(await rootOf(text, 'Other')).toBe(null)
    for (const broken of ['', '<R>', 'text', '{"R":1}'])
      expect(await rootOf(broken, 'R')).toBe(null)
  })

  it('of a completion names every part and escapes ETags', () => {
    expect(completionXml(['"a"', '<b>&'])).toBe(
      '<CompleteMultipartUpload>' +
        '<Part><PartNumber>1</PartNumber><ETag>"a"</ETag></Part>' +
        '<Part><PartNumber>2</PartNumber><ETag>&lt;b&gt;&amp;</ETag></Part>' +
        '</CompleteMultipartUpload>',
    )
  })
})

describe('retention', () => {
  const place = { prefix: '', name: 'db' }
  const head = (i: number): string => snapshotName({ term: 7, number: i + 1 }, i)
  const sha256 = (i: number): string => String(i).padStart(64, '0')
  const name = (i: number): string => `segments/${String(i + 1).padStart(6, '0')}.docs`
  const file = (i: number) => ({ path: name(i), bytes: 1, sha256: sha256(i) })
  const fileKey = (i: number): string => objectsOf(place, file(i))[0]!.key

  const textOf = (i: number): string => {
    const placed = { term: 7, number: i + 1, instance: 'me' }
    const given = { version: '1.0.0', createdAt: '2026-01-02T03:04:05Z', sequence: i }
    return new TextDecoder().decode(encodeHead({ ...given, placed, files: [file(i)] }))
  }

  /** Returns a store with a head for each file, and files that no head names. */
  function storeOf(heads: number, unnamed: number) {
    const objects = new Map<string, string>()
    for (let i = 0; i < heads; i++) objects.set(headKey(place, head(i), 'published'), textOf(i))
    for (let i = 0; i < heads + unnamed; i++) objects.set(fileKey(i), 'x')
    let [deletions, most] = [0, 0]
    let release: () => void
    // Holds the first deletions until as many run as may: a busy machine starts them slowly.
    const full = new Promise<void>((resolve) => {
      release = resolve
    })
    const bucket = bucketOf(async (request) => {
      const { method, url } = request
      const { searchParams } = new URL(url)
      const key = keyOf(request)
      if (method === 'DELETE') {
        most = Math.max(most, ++deletions)
        if (deletions === SMALL_REQUESTS_MAX) release()
        await full
        await turn()
        deletions--
        return answer(objects.delete(key) ? 204 : 404)
      }
      if (!searchParams.has('list-type')) {
        const text = objects.get(key)
        return text === undefined ? answer(404) : answer(200, text)
      }
      const prefix = searchParams.get('prefix') ?? ''
      const keys = [...objects.keys()].filter((one) => one.startsWith(prefix))
      const items = keys.map((one) => `<Contents><Key>${one}</Key><Size>1</Size></Contents>`)
      return answer(200, `<ListBucketResult>${items.join('')}</ListBucketResult>`)
    })
    return { bucket, objects, most: () => most }
  }

  /** The same without a limit of deletions. */
  function plainStoreOf(heads: number, unnamed: number) {
    const store = new MemoryObjects()
    for (let i = 0; i < heads; i++) store.set(headKey(place, head(i), 'published'), textOf(i))
    for (let i = 0; i < heads + unnamed; i++) store.set(fileKey(i), 'x')
    return { bucket: store.bucket(), objects: store.objects, hidden: store.hidden }
  }

  it('keeps only the newest states and those of followers, with their files', async () => {
    const { bucket, objects, most } = storeOf(30, 5)
    const leased = new Set([head(4)])
    const gone = await retain(bucket, place, {
      kind: 'published',
      count: 2,
      leased,
      turns: new StoreTurns(),
    })
    expect(gone.length).toBe(27)
    const kept = [4, 28, 29]
    const keys = kept.flatMap((i) => [headKey(place, head(i), 'published'), fileKey(i)])
    expect([...objects.keys()].sort()).toEqual(keys.sort())
    expect(most()).toBe(SMALL_REQUESTS_MAX)
  })

  it('keeps what it cannot judge: damaged heads, their files, and objects of others', async () => {
    const { bucket, objects } = plainStoreOf(5, 2)
    const damaged = headKey(place, snapshotName({ term: 6, number: 1 }, 1), 'published')
    const newer = headKey(place, snapshotName({ term: 9, number: 1 }, 1), 'published')
    const others = ['db/files/notes.txt', 'db/published/readme.json', 'db/other', 'dbx/files/x']
    objects.set(damaged, Buffer.from('x'))
    for (const key of others) objects.set(key, Buffer.from('x'))
    const turns = new StoreTurns()
    const retention = { kind: 'published', count: 2, leased: new Set<string>(), turns } as const
    // One that was read once may have been a part; then only files of deleted heads are deleted.
    await retain(bucket, place, retention)
    expect(objects.has(fileKey(0))).toBe(true)
    await retain(bucket, place, retention)
    const files = (): number[] => [0, 1, 2, 3, 4, 5, 6].filter((i) => objects.has(fileKey(i)))
    objects.set(newer, Buffer.from('{"format":99}'))
    objects.set(headKey(place, head(2), 'published'), Buffer.from(textOf(2)))
    for (let i = 0; i < 3; i++) await retain(bucket, place, retention)
    expect(objects.has(headKey(place, head(2), 'published'))).toBe(false)
    expect(files()).toEqual([0, 1, 2, 3, 4, 5, 6])
    objects.delete(newer)
    objects.set(headKey(place, head(2), 'published'), Buffer.from(textOf(2)))
    for (let i = 0; i < 3; i++) await retain(bucket, place, retention)
    expect(files()).toEqual([0, 1, 3, 4, 5, 6])
    objects.delete(damaged)
    await retain(bucket, place, retention)
    expect(files()).toEqual([3, 4])
    for (const key of others) expect(objects.has(key), key).toBe(true)
  })

  it('deletes no file while the store refuses a head', async () => {
    const store = new MemoryObjects()
    for (let i = 0; i < 4; i++) {
      store.set(headKey(place, head(i), 'published'), textOf(i))
      store.set(fileKey(i), 'x')
    }
    store.set(fileKey(4), 'x')
    let refused: string | null = headKey(place, head(1), 'published')
    const bucket = bucketOf((request) =>
      keyOf(request) === refused ? answer(403) : store.transport(request),
    )
    const leased = new Set<string>()
    const turns = new StoreTurns()
    const retention = { kind: 'published', count: 1, leased, turns } as const
    expect(await retain(bucket, place, retention)).toEqual([head(0), head(2)])
    const keysOf = (heads: readonly number[], files: readonly number[]): readonly string[] =>
      [...heads.map((i) => headKey(place, head(i), 'published')), ...files.map(fileKey)].sort()
    expect([...store.objects.keys()].sort()).toEqual(keysOf([1, 3], [0, 1, 2, 3, 4]))
    refused = null
    expect(await retain(bucket, place, retention)).toEqual([head(1)])
    expect([...store.objects.keys()].sort()).toEqual(keysOf([3], [3]))
  })

  it('deletes nothing after a mistake of the code', async () => {
    const store = new MemoryObjects()
    for (let i = 0; i < 3; i++) store.set(headKey(place, head(i), 'published'), textOf(i))
    const bucket = bucketOf((request) => {
      if (keyOf(request).includes(head(2))) throw new TypeError('a mistake')
      return store.transport(request)
    })
    const retained = retain(bucket, place, {
      kind: 'published',
      count: 1,
      leased: new Set(),
      turns: new StoreTurns(),
    })
    await expect(retained).rejects.toThrow(new TypeError('a mistake'))
    expect(store.objects.size).toBe(3)
  })

  it('keeps the heads that this process wrote, also while lists lack them', async () => {
    const { bucket, objects, hidden } = plainStoreOf(3, 0)
    const turns = new StoreTurns()
    turns.writes(head(2), 'published')
    hidden.add(headKey(place, head(2), 'published'))
    const retention = { kind: 'published', count: 1, leased: new Set<string>(), turns } as const
    expect(await retain(bucket, place, retention)).toEqual([head(0), head(1)])
    expect([...objects.keys()].sort()).toEqual([...hidden, fileKey(2)].sort())
    // Followers may just have read what was written in the last seconds.
    for (let i = 3; i < 8; i++) {
      objects.set(headKey(place, head(i), 'published'), Buffer.from(textOf(i)))
      turns.writes(head(i), 'published')
    }
    expect(await retain(bucket, place, retention)).toEqual([])
    expect(turns.own.length).toBe(6)
  })

  it('deletes a limited number of objects per call', async () => {
    const { bucket, objects } = storeOf(1, DELETED_OBJECTS_MAX + 7)
    const leased = new Set<string>()
    const turns = new StoreTurns()
    const retention = { kind: 'published', count: 1, leased, turns } as const
    await retain(bucket, place, retention)
    expect(objects.size).toBe(2 + 7)
    await retain(bucket, place, retention)
    expect([...objects.keys()].sort()).toEqual(
      [headKey(place, head(0), 'published'), fileKey(0)].sort(),
    )
  })
})
