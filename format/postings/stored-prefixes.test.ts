// Stored prefixes in memory and in a scratch file, and prefixes whose occurrences become bits.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { STORED_PREFIX_TERMS_MIN } from './limits.ts'
import { PrefixCollector } from './prefixes.ts'
import { type Scratch, StoredPrefixes } from './stored-prefixes.ts'

/** A scratch file in memory; `bytes` grows with it. */
function scratchOf(bytes: number[]): Scratch {
  return {
    write(at, added) {
      expect(at).toBe(bytes.length)
      bytes.push(...added)
    },
    read(at, target) {
      target.set(bytes.slice(at, at + target.length))
      return Math.min(target.length, bytes.length - at)
    },
  }
}

const plain = (stored: StoredPrefixes) =>
  [...stored.sorted()].map(({ key, posting }) => [key, [...posting]])

describe('stored prefixes', () => {
  it('are the same in memory and in a scratch file, by ascending key', () => {
    const posting = fc.uint8Array({ minLength: 1, maxLength: 40 })
    const found = fc.uniqueArray(fc.tuple(fc.nat(), posting), { selector: ([key]) => key })
    let inFile = 0
    fc.assert(
      fc.property(found, fc.nat(100), (list, memoryBytesMax) => {
        const bytes: number[] = []
        const inMemory = new StoredPrefixes(null, memoryBytesMax)
        const moved = new StoredPrefixes(() => scratchOf(bytes), memoryBytesMax)
        for (const [key, posting] of list) {
          inMemory.add(key, posting)
          moved.add(key, posting)
        }
        const expected = [...list].sort(([a], [b]) => a - b)
        expect(plain(inMemory)).toEqual(
          expected.map(([key, posting]) => {
            const padding = new Array<number>((4 - (posting.length % 4)) % 4).fill(0)
            return [key, [...posting, ...padding]]
          }),
        )
        expect(plain(moved)).toEqual(plain(inMemory))
        expect(moved.count).toBe(list.length)
        inFile += bytes.length
      }),
      { numRuns: 100 },
    )
    expect(inFile).toBeGreaterThan(0)
  })

  it('open no scratch file for few bytes, and one for many', () => {
    let opened = 0
    const stored = new StoredPrefixes(() => {
      opened++
      return scratchOf([])
    }, 100)
    stored.add(1, new Uint8Array(100))
    expect(opened).toBe(0)
    for (let key = 2; key < 9; key++) stored.add(key, new Uint8Array(60))
    expect(opened).toBe(1)
  })
})

it('prefixes of as many terms as the limit are stored, up to four bytes long', () => {
  const keysOf = (count: number): readonly string[] => {
    const collector = new PrefixCollector(1, 9)
    for (let t = 0; t < count; t++) {
      const term = new TextEncoder().encode(`abcde${String.fromCharCode(0x4e00 + t)}`)
      collector.add(term, Uint32Array.of(1), Uint32Array.of(5), 0, 1)
    }
    return [...collector.finish().sorted()].map(({ key }) => key.toString(16))
  }
  expect(keysOf(STORED_PREFIX_TERMS_MIN - 1)).toEqual([])
  const stored = ['61000000', '61620000', '61626300', '61626364']
  expect(keysOf(STORED_PREFIX_TERMS_MIN)).toEqual(stored)
})

describe('the prefix of one byte', () => {
  /** Each letter has terms enough to be stored, but `c`, whose occurrences are dropped. */
  const terms = ['a', 'b', 'c', 'd'].flatMap((first) =>
    Array.from({ length: first === 'c' ? 20 : STORED_PREFIX_TERMS_MIN * 2 }, (_, t) => {
      return `${first}${String.fromCharCode(97 + (t % 26))}${String(t).padStart(4, '0')}`
    }).sort(),
  )
  const occurrence = fc.tuple(
    fc.nat(4999),
    fc.constantFrom(0, 2, 65_534).chain((field) => fc.nat(70).map((at) => field * 65_536 + at)),
  )

  it('has the same documents, fields and positions from bits as from a list', () => {
    const lists = fc.array(fc.array(occurrence, { minLength: 1, maxLength: 60 }), {
      minLength: terms.length,
      maxLength: terms.length,
    })
    fc.assert(
      fc.property(lists, (all) => {
        const whole = new PrefixCollector(7, 5007)
        const folded = new PrefixCollector(7, 5007, null, 100)
        terms.forEach((term, t) => {
          const pairs = [...all[t]!].sort(([a, x], [b, y]) => a - b || x - y)
          const docs = Uint32Array.from(pairs, ([doc]) => doc + 7)
          const packed = Uint32Array.from(pairs, ([, place]) => place)
          for (const collector of [whole, folded]) {
            collector.add(new TextEncoder().encode(term), docs, packed, 0, docs.length)
          }
        })
        const expected = plain(whole.finish())
        expect(expected.length).toBeGreaterThanOrEqual(3)
        expect(plain(folded.finish())).toEqual(expected)
      }),
      { numRuns: 5 },
    )
  })
})
