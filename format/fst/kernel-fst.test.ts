// The kernel over dictionaries gives the same keys as the walks in TypeScript, and the same errors.
import fc from 'fast-check'
import { beforeAll, describe, expect, it } from 'vitest'
import { CorruptionError } from '../errors.ts'
import { KernelMemory, kernel, newKernelMemory, shareKernelMemory } from '../kernel/index.ts'
import {
  buildFst,
  Fst,
  FstCursor,
  FuzzyCursor,
  type FuzzyOptions,
  KernelFst,
  KeyWalk,
} from './index.ts'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const SEGMENT = 5

type Key = Pick<KeyWalk, 'text' | 'hash' | 'ordinal' | 'distance' | 'sameFirst'>

/** Longest walk: hostile bytes may make longer ones. */
const KEYS_MAX = 2000

/** The keys of a walk, then its error. */
function keysOf(walk: KeyWalk): (Key | string)[] {
  const keys: (Key | string)[] = []
  try {
    while (keys.length < KEYS_MAX && walk.next()) {
      const { text, hash, ordinal, distance, sameFirst } = walk
      keys.push({ text, hash, ordinal, distance, sameFirst })
    }
  } catch (error) {
    if (!(error instanceof CorruptionError)) throw error
    keys.push(error.message)
  }
  return keys
}

/**
 * Compares all look-ups of a query, and returns the number of keys near it. Over damaged bytes
 * (not `isSound`) the cursor counts keys where the kernel adds outputs: its walk only has to end.
 */
function compare(fst: Fst, query: string, options: FuzzyOptions, isSound = true): number {
  const own = KernelFst.of(fst, SEGMENT)!
  try {
    const near = keysOf(own.near(query, options))
    expect(near).toEqual(keysOf(new KeyWalk(new FuzzyCursor(fst, query, options))))
    const prefixed = keysOf(own.prefixed(query))
    if (isSound) expect(prefixed).toEqual(keysOf(prefixWalk(fst, query)))
    expect(outcome(() => own.ordinalOf(query))).toEqual(outcome(() => fst.ordinalOf(utf8(query))))
    return near.length
  } finally {
    kernel().memory.release(SEGMENT)
  }
}

function prefixWalk(fst: Fst, prefix: string): KeyWalk {
  const cursor = new FstCursor(fst)
  cursor.seekPrefix(utf8(prefix))
  return new KeyWalk(cursor)
}

function outcome(work: () => number): number | string {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof CorruptionError)) throw error
    return error.message
  }
}

const anyLetter = fc.constantFrom(
  'a',
  'b',
  'c',
  'd',
  '0',
  '-',
  'é',
  'è',
  'д',
  '日',
  '本',
  '😀',
  '😁',
)
const anyWord = (lengthMax: number) =>
  fc.array(anyLetter, { maxLength: lengthMax }).map((letters) => letters.join(''))
const anyOptions = fc
  .record({
    maxDistance: fc.constantFrom(1 as const, 2 as const),
    otherFirstDistanceMax: fc.constantFrom(-1 as const, 0 as const, 1 as const, 2 as const),
    prefix: fc.boolean(),
  })
  .filter(({ maxDistance, otherFirstDistanceMax }) => otherFirstDistanceMax <= maxDistance)

beforeAll(() => shareKernelMemory(new KernelMemory(newKernelMemory(), 0)))

describe('the kernel over dictionaries', () => {
  it('finds the keys that the twins find', () => {
    let found = 0
    fc.assert(
      fc.property(
        fc.array(anyWord(7), { maxLength: 300 }),
        anyWord(8),
        anyOptions,
        (words, query, options) => {
          found += compare(new Fst(buildFst(words.map(utf8))), query, options)
        },
      ),
      { numRuns: 1000 },
    )
    expect(found).toBeGreaterThan(1000)
  })

  it('continues walks over many batches, also while other walks run', () => {
    const words = Array.from({ length: 1000 }, (_, i) => `${(i * 7919) % 1000}`.padStart(4, 'a'))
    const fst = new Fst(buildFst(words.sort().map(utf8)))
    const own = KernelFst.of(fst, SEGMENT)!
    const options = { maxDistance: 2, otherFirstDistanceMax: 2, prefix: true } as const
    const near = own.near('a5', options)
    const all = own.prefixed('')
    for (const twin = new FstCursor(fst); twin.next(); ) {
      near.next()
      expect(all.next()).toBe(true)
      expect(all.ordinal).toBe(twin.ordinal)
      expect(utf8(all.text)).toEqual(twin.bytes.slice(0, twin.length))
    }
    expect([all.next(), all.next()]).toEqual([false, false])
    compare(fst, 'a5', options)
  })

  it('walks over keys that are not UTF-8', () => {
    // A byte of ASCII inside a code point of three bytes.
    const options = { maxDistance: 2, otherFirstDistanceMax: 2, prefix: false } as const
    expect(compare(new Fst(buildFst([Uint8Array.of(0, 0xe0, 0)])), '', options)).toBe(1)
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 8 }), { maxLength: 100 }),
        anyWord(4),
        anyOptions,
        (keys, query, options) => {
          compare(new Fst(buildFst(keys)), query, options)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('leaves what does not fit into its room to the twins', () => {
    const long = 'x'.repeat(1500)
    const fst = new Fst(buildFst([utf8('word'), utf8(long)]))
    const options = { maxDistance: 1, otherFirstDistanceMax: -1, prefix: false } as const
    for (const query of ['word', 'wod', 'é'.repeat(341), 'x'.repeat(700)])
      compare(fst, query, options)
    compare(new Fst(buildFst([utf8('word')])), 'é'.repeat(341), options)
  })

  it('gives the errors of the twins for damaged bytes, and reads no others', () => {
    let damaged = 0
    fc.assert(
      fc.property(
        fc.array(anyWord(7), { minLength: 1, maxLength: 100 }),
        fc.array(fc.tuple(fc.nat(), fc.nat(255)), { minLength: 1, maxLength: 4 }),
        anyWord(5),
        anyOptions,
        (words, changes, query, options) => {
          const bytes = buildFst(words.map(utf8)).slice()
          for (const [at, value] of changes) bytes[at % bytes.length] = value
          try {
            new Fst(bytes)
          } catch (error) {
            expect(error).toBeInstanceOf(CorruptionError)
            return
          }
          damaged++
          compare(new Fst(bytes), query, options, false)
        },
      ),
      { numRuns: 2000 },
    )
    expect(damaged).toBeGreaterThan(500)
  })
})
