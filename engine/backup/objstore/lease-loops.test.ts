// The loops of the writer lease: a writer keeps its lease, a process that stands by awaits it.
import { describe, expect, it } from 'vitest'
import { asTaskUid } from '../../../format/ids.ts'
import { MemoryRecord, noAnswer, promptStore } from './test-writer-store.ts'
import { WriterLease } from './writer-lease.ts'
import type { WriterStore } from './writer-store.ts'

const LEASE_MS = 8
const START = { term: 4, head: 'a' }

/** A process whose clock goes on by a millisecond whenever it is read. */
function processOf(name: string, store: WriterStore) {
  const messages: string[] = []
  let time = 0
  const lease = new WriterLease({
    store,
    instance: name,
    process: `${name}-1`,
    leaseMs: LEASE_MS,
    say: (level, message) => void messages.push(`${level}: ${message}`),
    now: () => time++,
  })
  return { lease, messages }
}

/** A store that does something before each write of a renewal, by its number from 1. */
function watched(object: MemoryRecord, before: (write: number) => void): WriterStore {
  let writes = 0
  return {
    ...promptStore(object),
    put: async (bytes, etag) => {
      if (object.stored !== null) before(++writes)
      return object.put(bytes, etag)
    },
  }
}

const { signal: NEVER } = new AbortController()

describe('a writer', () => {
  it('renews its lease until its signal ends it, and reports failures once', async () => {
    const object = new MemoryRecord()
    const stop = new AbortController()
    const problems: (string | null)[] = []
    const store = watched(object, (write) => {
      problems.push(a.lease.problem)
      if (write === 2 || write === 3) throw noAnswer()
      if (write === 6) stop.abort()
    })
    const a = processOf('a', store)
    await a.lease.claim(START)
    await a.lease.keep(stop.signal)
    const words = 'S3 HTTP error: no answer'
    expect(problems).toEqual([null, null, words, words, null, null])
    expect(a.messages).toEqual([
      `warn: The writer lease could not be renewed: ${words}`,
      'info: The writer lease works again.',
    ])
    // The claim has the first beat; attempts that fail have beats of their own.
    expect(object.stored?.record).toMatchObject({ term: 5, beat: 6 })
    expect(a.lease.isLost).toBe(false)
  })

  it('stops when another process has its lease', async () => {
    const object = new MemoryRecord()
    const other = processOf('b', promptStore(object))
    const taken = object.put.bind(object)
    const store = watched(object, (write) => {
      if (write !== 2) return
      const { bytes, etag, record } = object.stored!
      expect(bytes.length).toBeGreaterThan(0)
      const stolen = { ...record!, format: 1, term: 6, instance: 'b', process: 'b-1' }
      taken(Buffer.from(JSON.stringify(stolen)), etag)
    })
    const a = processOf('a', store)
    await a.lease.claim(START)
    await a.lease.keep(NEVER)
    await a.lease.lost
    expect(a.lease.isLost).toBe(true)
    expect(a.messages).toEqual([
      'warn: Another instance took the writer lease: it has the term 6 now.',
    ])
    expect((await other.lease.look())?.term).toBe(6)
  })

  it('does not hide its own faults', async () => {
    const object = new MemoryRecord()
    const { lease } = processOf(
      'a',
      watched(object, () => {
        throw new TypeError('ours')
      }),
    )
    await lease.claim(START)
    await expect(lease.keep(NEVER)).rejects.toThrow('ours')
  })
})

describe('a process that stands by', () => {
  it('takes the lease when it is free and this process has the newest state', async () => {
    const object = new MemoryRecord()
    const a = processOf('a', promptStore(object))
    await a.lease.claim(START)
    await a.lease.publish('b', asTaskUid(7))
    await a.lease.release()
    const b = processOf('b', promptStore(object))
    const asked: (string | null)[] = []
    const isReady = (head: string | null): boolean => asked.push(head) === 3
    expect(await b.lease.await(isReady, NEVER)).toBe(true)
    expect(asked).toEqual(['b', 'b', 'b'])
    expect(b.lease.record).toMatchObject({ term: 6, instance: 'b', head: 'b', nextTask: 7 })
    expect(b.messages).toEqual([])
  })

  it('waits while there is no record, or one that is held, and until its signal ends it', async () => {
    const object = new MemoryRecord()
    const stop = new AbortController()
    let looks = 0
    const heads: (string | null)[] = []
    const b = processOf('b', {
      ...promptStore(object),
      get: async () => {
        if (++looks === 3) stop.abort()
        if (looks === 2) throw noAnswer()
        return object.stored
      },
    })
    const isReady = (head: string | null): boolean => heads.push(head) > 0
    expect(await b.lease.await(isReady, stop.signal)).toBe(false)
    expect([looks, heads, b.lease.term]).toEqual([3, [], 0])
    expect(b.messages).toEqual([
      'warn: The writer lease could not be read: S3 HTTP error: no answer',
      'info: The writer lease works again.',
    ])
    expect(await b.lease.await(isReady, AbortSignal.abort())).toBe(false)
    expect(looks).toBe(3)
  })
})

it('the next task of an instance is that of the record, or of the end of its last term', async () => {
  const object = new MemoryRecord()
  const [a, b, c] = ['a', 'b', 'c'].map((name) => processOf(name, promptStore(object)).lease)
  expect(a!.nextTask).toBe(0)
  await a!.claim(START)
  await a!.publish('b', asTaskUid(7))
  await a!.release()
  await b!.look()
  await b!.claim(START)
  await b!.publish('c', asTaskUid(9))
  for (const lease of [a!, c!]) await lease.look()
  expect([a!, b!, c!].map(({ nextTask }) => nextTask)).toEqual([7, 9, 0])
  expect([a!, c!].map(({ instance }) => instance)).toEqual(['a', 'c'])
})
