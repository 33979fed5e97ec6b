// The term dictionary: building it, finding words, prefixes and misspellings.

import { randomOf } from '../../engine/store/storage/index.ts'
import { buildFst, Fst, FstCursor, FuzzyCursor } from '../../format/fst/index.ts'
import type { Bench, Benchmark, Work } from './benchmark.ts'
import { makeWords, sortedKeys } from './data.ts'

const WORDS = 100_000
const LOOKUPS = 2_000
const QUERIES = 50

const keysOf = ({ isSmoke }: Bench): Uint8Array[] => sortedKeys(makeWords(isSmoke ? 2_000 : WORDS))

/** Returns keys of the dictionary in random order, so that caches do not help. */
function drawn(keys: readonly Uint8Array[], count: number, seed: number): Uint8Array[] {
  const random = randomOf(seed)
  return Array.from({ length: count }, () => keys[random.below(keys.length)]!)
}

function build(bench: Bench): Work {
  const keys = keysOf(bench)
  const bytes = keys.reduce((sum, key) => sum + key.length, 0)
  let written = 0
  const run = (): number => {
    written = buildFst(keys).length
    return written
  }
  return { operations: keys.length, bytes, run, produced: () => written }
}

function lookup(bench: Bench): Work {
  const keys = keysOf(bench)
  const fst = new Fst(buildFst(keys))
  const wanted = drawn(keys, LOOKUPS, 1)
  return {
    operations: wanted.length,
    bytes: null,
    run: () => {
      let sum = 0
      for (const key of wanted) sum += fst.ordinalOf(key)
      return sum
    },
  }
}

/** All keys under prefixes of three bytes. */
function prefix(bench: Bench): Work {
  const keys = keysOf(bench)
  const cursor = new FstCursor(new Fst(buildFst(keys)))
  const prefixes = drawn(keys, QUERIES, 2).map((key) => key.subarray(0, 3))
  const run = (): number => {
    let count = 0
    for (const start of prefixes) {
      cursor.seekPrefix(start)
      while (cursor.next()) count++
    }
    return count
  }
  return { operations: run(), bytes: null, run }
}

/** Words with wrong letters, each searched in the whole dictionary. */
function fuzzy(bench: Bench, maxDistance: 1 | 2): Work {
  const keys = keysOf(bench)
  const fst = new Fst(buildFst(keys))
  const decoder = new TextDecoder()
  const long = keys.filter((key) => key.length >= (maxDistance === 1 ? 5 : 9))
  const queries = drawn(long, QUERIES, 3).map((key) => {
    const word = decoder.decode(key)
    return `${word.slice(0, 3)}${word[4]}${word[3]}${word.slice(5)}`
  })
  const options = { maxDistance, prefix: false, otherFirstDistanceMax: 0 } as const
  return {
    operations: queries.length,
    bytes: null,
    run: () => {
      let found = 0
      for (const query of queries) {
        const cursor = new FuzzyCursor(fst, query, options)
        while (cursor.next()) found++
      }
      return found
    },
  }
}

export const FST_BENCHMARKS: readonly Benchmark[] = [
  { name: 'fst/build', about: 'building from sorted words', operation: 'key', prepare: build },
  { name: 'fst/lookup', about: 'finding a word', operation: 'key', prepare: lookup },
  { name: 'fst/prefix', about: 'words with a prefix', operation: 'key', prepare: prefix },
  {
    name: 'fst/fuzzy-1',
    about: 'words one letter away',
    operation: 'query',
    prepare: (bench) => fuzzy(bench, 1),
  },
  {
    name: 'fst/fuzzy-2',
    about: 'words two letters away',
    operation: 'query',
    prepare: (bench) => fuzzy(bench, 2),
  },
]
