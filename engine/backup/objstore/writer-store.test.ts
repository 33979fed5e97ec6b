// The writer record in a store, and the states that are valid beside it.
import { describe, expect, it } from 'vitest'
import { asTaskUid } from '../../../format/ids.ts'
import { snapshotName, writerKey } from './keys.ts'
import { MemoryObjects } from './test-memory-store.ts'
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

it('a store that ignores conditions is found out, and the probe is removed', async () => {
  const objects = new MemoryObjects()
  expect(await obeysConditions(objects.bucket(), place, 'r')).toBe(true)
  objects.obeys = false
  expect(await obeysConditions(objects.bucket(), place, 'r')).toBe(false)
  expect(objects.objects.size).toBe(0)
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
