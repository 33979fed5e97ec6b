// The writer lease: single steps, and many processes in a world where requests are late and lost.
import { describe, expect, it } from 'vitest'
import { asTaskUid } from '../../../format/ids.ts'
import { EngineFault } from '../../model/index.ts'
import { type Random, randomOf } from '../../store/storage/index.ts'
import { MemoryRecord, noAnswer, promptStore, World } from './test-writer-store.ts'
import { WriterLease } from './writer-lease.ts'
import type { WriterStore } from './writer-store.ts'
import { decodeWriter } from './writer-v1.ts'

const LEASE_MS = 1000
const START = { term: 4, head: 'a' }

/** A process with a clock of its own. */
function processOf(name: string, store: WriterStore, clock = { ms: 0 }) {
  const said: string[] = []
  const lease = new WriterLease({
    store,
    instance: name,
    process: `${name}-1`,
    leaseMs: LEASE_MS,
    say: (_, message) => void said.push(message),
    now: () => clock.ms,
  })
  return { lease, clock, said }
}

/** Returns a store that executes the next write and loses the answer whenever `lose` was called. */
function losing(object: MemoryRecord): { readonly store: WriterStore; readonly lose: () => void } {
  let isLosing = false
  const put: WriterStore['put'] = async (bytes, etag) => {
    const written = object.put(bytes, etag)
    if (!isLosing) return written
    isLosing = false
    throw noAnswer()
  }
  const lose = (): void => {
    isLosing = true
  }
  return { store: { ...promptStore(object), put }, lose }
}

describe('the lease', () => {
  it('begins with the term after those of the place, and renews by changing the record', async () => {
    const object = new MemoryRecord()
    const { lease } = processOf('a', promptStore(object))
    expect(await lease.look()).toBe(null)
    expect(await lease.claim(START)).toBe(true)
    expect(lease.record).toMatchObject({ term: 5, head: 'a', beat: 0, ends: [], instance: 'a' })
    await lease.renew()
    await lease.publish('b', asTaskUid(7))
    expect(decodeWriter(object.bytes!)).toMatchObject({ term: 5, head: 'b', nextTask: 7, beat: 2 })
  })

  it('is held for three quarters of its time after the last renewal began', async () => {
    const { lease, clock } = processOf('a', promptStore(new MemoryRecord()))
    await lease.claim(START)
    clock.ms = 749
    expect(lease.isHeld).toBe(true)
    clock.ms = 750
    expect(lease.isHeld).toBe(false)
    await lease.publish('b', asTaskUid(1))
    expect(lease.isHeld).toBe(true)
  })

  it('counts from the moment when a renewal was sent, not from its answer', async () => {
    const object = new MemoryRecord()
    const clock = { ms: 0 }
    const slow: WriterStore = {
      ...promptStore(object),
      put: async (bytes, etag) => {
        const written = object.put(bytes, etag)
        clock.ms += 700
        return written
      },
    }
    const { lease } = processOf('a', slow, clock)
    await lease.claim(START)
    expect(lease.isHeld).toBe(true)
    clock.ms += 50
    expect(lease.isHeld).toBe(false)
  })

  it('is not extended by a renewal whose answer was lost, but by the one after it', async () => {
    const object = new MemoryRecord()
    const { store, lose } = losing(object)
    const { lease, clock } = processOf('a', store)
    await lease.claim(START)
    clock.ms = 100
    lose()
    await expect(lease.renew()).rejects.toThrow('no answer')
    const lost = decodeWriter(object.bytes!)
    clock.ms = 700
    await lease.renew()
    // The record that others watch changed again: they wait from then on.
    expect(decodeWriter(object.bytes!).beat).toBeGreaterThan(lost.beat)
    clock.ms = 700 + 749
    expect(lease.isHeld).toBe(true)
    clock.ms = 700 + 750
    expect(lease.isHeld).toBe(false)
  })

  it('keeps the term of a claim whose answer was lost', async () => {
    const object = new MemoryRecord()
    const { store, lose } = losing(object)
    const { lease } = processOf('a', store)
    for (let i = 0; i < 3; i++) {
      lose()
      await expect(lease.claim(START)).rejects.toThrow('no answer')
      await lease.look()
    }
    expect(await lease.claim(START)).toBe(true)
    expect(lease.record).toMatchObject({ term: 5, head: 'a', ends: [] })
    await lease.publish('b', asTaskUid(1))
    expect(decodeWriter(object.bytes!)).toMatchObject({ term: 5, head: 'b', instance: 'a' })
  })

  it('is taken after its time of silence, counted from the first look at the record', async () => {
    const object = new MemoryRecord()
    const store = promptStore(object)
    const a = processOf('a', store)
    await a.lease.claim(START)
    // Its clock shows another time, which does not matter.
    const b = processOf('b', store, { ms: 1e9 })
    await b.lease.look()
    b.clock.ms += LEASE_MS - 1
    expect(b.lease.isFree).toBe(false)
    await a.lease.renew()
    await b.lease.look()
    b.clock.ms += LEASE_MS - 1
    expect(b.lease.isFree).toBe(false)
    b.clock.ms += 1
    expect(b.lease.isFree).toBe(true)
    expect(await b.lease.claim(START)).toBe(true)
    expect(b.lease.record).toMatchObject({
      term: 6,
      ends: [{ term: 5, instance: 'a', head: 'a', nextTask: 0 }],
    })
    await expect(a.lease.publish('c', asTaskUid(9))).rejects.toMatchObject({
      code: 'writer_lease_lapsed',
    })
    expect(a.lease.isLost).toBe(true)
    expect(a.lease.isHeld).toBe(false)
    await a.lease.lost
    expect(a.said.join()).toContain('term 6')
    expect(b.lease.record?.head).toBe('a')
  })

  it('is not taken by a process that has not seen the last renewal', async () => {
    const object = new MemoryRecord()
    const a = processOf('a', promptStore(object))
    await a.lease.claim(START)
    const b = processOf('b', promptStore(object))
    await b.lease.look()
    b.clock.ms += 10 * LEASE_MS
    await a.lease.renew()
    expect(await b.lease.claim(START)).toBe(false)
    expect(b.lease.isFree).toBe(false)
  })

  it('is free at once when it is released, and for the instance that held it last', async () => {
    const object = new MemoryRecord()
    const a = processOf('a', promptStore(object))
    await a.lease.claim(START)
    const again = processOf('a', promptStore(object))
    await again.lease.look()
    expect(again.lease.isFree).toBe(true)
    const b = processOf('b', promptStore(object))
    await b.lease.look()
    expect(b.lease.isFree).toBe(false)
    await a.lease.release()
    expect(a.lease.isHeld).toBe(false)
    await b.lease.look()
    expect(b.lease.isFree).toBe(true)
  })

  it('continues after an answer was lost, whether the record was written or not', async () => {
    const object = new MemoryRecord()
    let lose: 'none' | 'before' | 'after' = 'none'
    const store: WriterStore = {
      get: async () => object.stored,
      put: async (bytes, etag) => {
        const how = lose
        lose = 'none'
        if (how === 'before') throw noAnswer()
        const written = object.put(bytes, etag)
        if (how === 'after') throw noAnswer()
        return written
      },
    }
    const { lease } = processOf('a', store)
    await lease.claim(START)
    for (const how of ['before', 'after'] as const) {
      lose = how
      await expect(lease.publish('b', asTaskUid(2))).rejects.toThrow('no answer')
      await lease.publish('c', asTaskUid(3))
      expect(lease.record).toMatchObject({ head: 'c', nextTask: 3 })
      expect(lease.isLost).toBe(false)
    }
  })

  it('accepts its own record when the store executes a request twice', async () => {
    const object = new MemoryRecord()
    // As a repetition after a lost answer: the second attempt is refused.
    const store: WriterStore = {
      get: async () => object.stored,
      put: async (bytes, etag) => {
        object.put(bytes, etag)
        return object.put(bytes, etag)
      },
    }
    const { lease } = processOf('a', store)
    expect(await lease.claim(START)).toBe(true)
    await lease.publish('b', asTaskUid(2))
    expect(lease.isLost).toBe(false)
    expect(lease.isHeld).toBe(true)
  })

  it('is lost when its record is removed', async () => {
    const object = new MemoryRecord()
    const a = processOf('a', promptStore(object))
    await a.lease.claim(START)
    object.bytes = null
    await expect(a.lease.renew()).rejects.toMatchObject({ code: 'writer_lease_lapsed' })
    expect(a.said.join()).toContain('removed')
  })

  it('ends with an error if the store refuses every record', async () => {
    const object = new MemoryRecord()
    const { lease } = processOf('a', promptStore(object))
    await lease.claim(START)
    let puts = 0
    object.put = () => {
      puts++
      return null
    }
    await expect(lease.renew()).rejects.toThrow('refuses')
    expect([lease.isLost, puts]).toEqual([false, 5])
  })
})

type Acknowledged = { readonly term: number; readonly head: string }

/** Acts as a process that wants to be the writer, until `end`; returns what it acknowledged. */
async function act(
  world: World,
  name: string,
  random: Random,
  acknowledged: Acknowledged[],
  leases: Set<WriterLease>,
  isOver: () => boolean,
): Promise<void> {
  const offset = random.below(1e6)
  for (let life = 0; !isOver(); life++) {
    const lease = new WriterLease({
      store: world.store,
      instance: name,
      process: `${name}-${life}`,
      leaseMs: LEASE_MS,
      say: () => undefined,
      now: () => world.time + offset,
    })
    leases.add(lease)
    let count = 0
    while (!isOver() && !lease.isLost) {
      await world.later(4 * LEASE_MS)
      try {
        if (lease.term === 0) {
          await lease.look()
          // Only another process: the folder of an instance has one at a time.
          if (lease.isFree && lease.record?.instance !== name) await lease.claim(START)
        } else if (random.below(2) === 0) await lease.renew()
        else {
          const head = `${String(lease.term).padStart(6, '0')}-${String(++count).padStart(6, '0')}`
          await lease.publish(head, asTaskUid(count))
          if (lease.isHeld) acknowledged.push({ term: lease.term, head })
        }
      } catch (error) {
        if (!(error instanceof EngineFault)) throw error
      }
    }
    leases.delete(lease)
  }
}

const SEEDS = Number(process.env['SVC_LEASE_SEEDS'] ?? 30)

describe('many processes', () => {
  const seeds = Array.from({ length: SEEDS }, (_, i) => i + 1)
  it.each(seeds)('have one writer at a time, and lose nothing (seed %i)', async (seed) => {
    const random = randomOf(seed)
    const world = new World(random)
    const acknowledged: Acknowledged[] = []
    const leases = new Set<WriterLease>()
    let isOver = false
    const all = ['a', 'b', 'c'].map((name) =>
      act(world, name, random, acknowledged, leases, () => isOver),
    )
    let mostHolders = 0
    for (let i = 0; i < 3000; i++) {
      await world.step(60)
      const holders = [...leases].filter(({ isHeld }) => isHeld)
      mostHolders = Math.max(mostHolders, holders.length)
    }
    isOver = true
    let isDone = false
    const ended = Promise.all(all).then(() => {
      isDone = true
    })
    for (let i = 0; i < 10_000 && !isDone; i++) await world.step(60)
    await ended
    expect(mostHolders).toBe(1)
    const record = decodeWriter(world.object.bytes!)
    expect(record.term).toBeGreaterThan(START.term + 3)
    expect(acknowledged.length).toBeGreaterThan(20)
    // Terms follow one another, and each ended with all that it had acknowledged.
    const ends = new Map([...record.ends, record].map((end) => [end.term, end.head ?? '']))
    for (const [i, { term, head }] of acknowledged.entries()) {
      expect(term).toBeGreaterThanOrEqual(acknowledged[i - 1]?.term ?? 0)
      const end = ends.get(term)
      if (end !== undefined) expect(head <= end, `${head} after ${end}`).toBe(true)
    }
  })
})
