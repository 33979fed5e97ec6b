// The writer record in a store, and the states that are valid beside it.
import { describe, expect, it } from 'vitest'
import { asTaskUid } from '../../../format/ids.ts'
import { snapshotName, writerKey } from './keys.ts'
import { answer, bucketOf } from './test-bucket.ts'
import { MemoryObjects } from './test-memory-store.ts'
import type { StoreAnswer, StoreRequest } from './transport.ts'
import { StoreTurns } from './turns.ts'
import { isValidHead, obeysConditions, readWriter, writerStore } from './writer-store.ts'
import {
  decodeWriter,
  encodeWriter,
  endOf,
  endsWith,
  type TermEnd,
  type WriterRecord,
} from './writer-v1.ts'

const place = { prefix: '', name: 'db' }
const nameOf = (term: number, number: number): string => snapshotName({ term, number }, 1)
const END = { term: 5, instance: 'a', head: nameOf(5, 2), nextTask: asTaskUid(9) }
const RECORD: WriterRecord = {
  term: 6,
  instance: 'b',
  head: nameOf(6, 3),
  nextTask: asTaskUid(12),
  process: 'p',
  leaseMs: 1000,
  beat: 4,
  isReleased: false,
  ends: [END],
}

describe('the record', () => {
  it('is read back, also with members of later releases', () => {
    expect(decodeWriter(encodeWriter(RECORD))).toEqual(RECORD)
    const later = { format: 1, ...RECORD, more: 1, ends: [{ ...END, more: 1 }] }
    expect(decodeWriter(Buffer.from(JSON.stringify(later)))).toMatchObject({ term: 6 })
  })

  it.each([
    ['', 'damaged'],
    ['null', 'damaged'],
    ['{"format":2}', 'newer'],
    [JSON.stringify({ format: 1, ...RECORD, term: 0 }), 'damaged'],
    [JSON.stringify({ format: 1, ...RECORD, term: 1e9 }), 'damaged'],
    [JSON.stringify({ format: 1, ...RECORD, head: '../x' }), 'damaged'],
    [JSON.stringify({ format: 1, ...RECORD, leaseMs: 1e12 }), 'damaged'],
    [JSON.stringify({ format: 1, ...RECORD, ends: Array(65).fill(END) }), 'damaged'],
  ])('that is not one is refused: %s', (text, code) => {
    expect(() => decodeWriter(Buffer.from(text))).toThrow(expect.objectContaining({ code }))
  })

  it('is written only if it has not changed', async () => {
    const objects = new MemoryObjects()
    const store = writerStore(async () => objects.bucket(), place, 1000)
    expect(await store.get()).toBe(null)
    const first = encodeWriter(RECORD)
    const etag = await store.put(first, null)
    expect(await store.put(encodeWriter({ ...RECORD, beat: 9 }), null)).toBe(null)
    expect(await store.put(encodeWriter({ ...RECORD, beat: 9 }), '"other"')).toBe(null)
    expect(await store.get()).toEqual({ record: RECORD, bytes: Buffer.from(first), etag })
    expect(await store.put(encodeWriter({ ...RECORD, beat: 5 }), etag)).not.toBe(null)
    expect((await store.get())?.record?.beat).toBe(5)
  })

  it('that is damaged is reported to readers, and can be replaced', async () => {
    const objects = new MemoryObjects()
    objects.set(writerKey(place), '{"format":1,')
    const turns = new StoreTurns()
    const said: string[] = []
    turns.say = (message) => void said.push(message)
    expect(await readWriter(objects.bucket(), place, turns.unreadable)).toBe(null)
    expect(said.join()).toContain('writer.json')
    const store = writerStore(async () => objects.bucket(), place, 1000)
    const stored = await store.get()
    expect(stored?.record).toBe(null)
    expect(await store.put(encodeWriter(RECORD), stored!.etag)).not.toBe(null)
  })
})

describe('a store of which it is unknown whether it obeys conditions', () => {
  /** Runs the probe in a store that may answer each request otherwise than it should. */
  async function probed(
    reply: (request: StoreRequest, at: number, objects: MemoryObjects) => StoreAnswer | null,
  ) {
    const objects = new MemoryObjects()
    const methods: string[] = []
    const bucket = bucketOf((request) => {
      methods.push(request.method)
      return reply(request, methods.length, objects) ?? objects.transport(request)
    })
    const probe = obeysConditions(bucket, place, 'r')
    return { probe, methods, objects }
  }
  const ignores =
    (condition: string) => (request: StoreRequest, _: number, store: MemoryObjects) => {
      store.obeys = request.headers[condition] === undefined
      return null
    }
  const isConditional = ({ headers }: StoreRequest): boolean =>
    'if-match' in headers || 'if-none-match' in headers
  const withoutTag = ({ method }: StoreRequest) =>
    method === 'GET' ? answer(200, '0', { 'content-length': '1' }) : null

  it.each<[string, Parameters<typeof probed>[0], boolean, string]>([
    ['obeys them', () => null, true, 'PUT PUT GET PUT PUT DELETE'],
    ['ignores `If-None-Match`', ignores('if-none-match'), false, 'PUT PUT DELETE'],
    ['ignores `If-Match`', ignores('if-match'), false, 'PUT PUT GET PUT PUT DELETE'],
    ['reads objects without tags', withoutTag, false, 'PUT PUT GET DELETE'],
    [
      'refuses each conditional write',
      (request) => (isConditional(request) ? answer(412) : null),
      false,
      'PUT PUT GET PUT DELETE',
    ],
    [
      'does not know conditions',
      (request) => (isConditional(request) ? answer(400) : null),
      false,
      'PUT PUT PUT DELETE',
    ],
  ])('that %s is found out, and the probe is removed', async (_, reply, obeys, requests) => {
    const { probe, methods, objects } = await probed(reply)
    expect(await probe).toBe(obeys)
    expect(methods.join(' ')).toBe(requests)
    expect(objects.objects.size).toBe(0)
  })

  it.each([
    ['at once', 1, 'PUT'],
    ['after the first write', 2, 'PUT PUT PUT DELETE'],
  ])('that fails %s is not judged', async (_, from, requests) => {
    const { probe, methods } = await probed(({ method }, at) =>
      at >= from && method === 'PUT' ? answer(403, 'no') : null,
    )
    await expect(probe).rejects.toMatchObject({ message: 'S3 error: status: 403, body: no' })
    expect(methods.join(' ')).toBe(requests)
  })

  it('is not judged by a mistake of the code, and the probe is removed', async () => {
    const { probe, methods, objects } = await probed((request) => {
      if (isConditional(request)) throw new TypeError('a mistake')
      return null
    })
    await expect(probe).rejects.toThrow(new TypeError('a mistake'))
    expect(methods.join(' ')).toBe('PUT PUT DELETE')
    expect(objects.objects.size).toBe(0)
  })
})

it('the last end of each instance stays, also after many terms', () => {
  let ends: TermEnd[] = [END]
  for (let i = 0; i < 500; i++) {
    ends = [...endsWith(ends, { ...END, term: 6 + i, instance: `b${i % 3}` })]
  }
  expect(ends.length).toBe(64)
  expect(endOf({ ...RECORD, ends }, 'a')).toEqual(END)
  expect(ends.at(-1)?.term).toBe(505)
  for (let i = 0; i < 100; i++)
    ends = [...endsWith(ends, { ...END, term: 600 + i, instance: `c${i}` })]
  expect(ends.length).toBe(64)
  expect(decodeWriter(encodeWriter({ ...RECORD, ends })).ends).toEqual(ends)
})

it('a state is valid up to the end of its term', () => {
  const published = (term: number, number: number): boolean =>
    isValidHead(RECORD, { name: nameOf(term, number), kind: 'published' })
  expect([published(6, 3), published(6, 4), published(7, 1)]).toEqual([true, false, false])
  expect([published(5, 2), published(5, 3)]).toEqual([true, false])
  // Before the first end that the record knows, all states are valid.
  expect(published(4, 99)).toBe(true)
  expect(isValidHead(RECORD, { name: nameOf(6, 9), kind: 'snapshots' })).toBe(true)
  expect(isValidHead({ ...RECORD, head: null }, { name: nameOf(6, 1), kind: 'published' })).toBe(
    false,
  )
})
