// How much of its segments a view reads: a result is read once, and no more documents than a
// question needs.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { buildFst, Fst } from '../../../format/fst/index.ts'
import { IdSet } from '../../../format/idset/index.ts'
import type { TextReader } from '../../../format/postings/index.ts'
import { uniteLive } from './live-sets.ts'
import { countInLargest, countNear, countNearUpTo, nearSets } from './near.ts'
import { isReadWhole, partsOf } from './pair-cache.ts'
import { SegmentText } from './segment-text.ts'
import { dropResultsOf, nextSegmentKey, SetCache, THREAD_SETS } from './set-cache.ts'
import { SmallPostings } from './small-postings.ts'
import { type Documents, encoder, Pair } from './test-support.ts'
import { TextIndex } from './text-index.ts'
import { ViewSegments } from './view-segments.ts'
import { EVERYWHERE, scopeOf, whereOfScope } from './where.ts'
import type { Word } from './word.ts'

afterEach(() => void vi.restoreAllMocks())

/** `count` documents, each with the words of `wordsOf` in one field. */
const documents = (count: number, wordsOf: (id: number) => readonly string[]): Documents =>
  new Map(Array.from({ length: count }, (_, id) => [id, [wordsOf(id)]] as const))

const indexOf = (all: Documents, deleted: readonly number[] = []): TextIndex =>
  new Pair({ segments: [all], deleted: new Set(deleted), smallDocumentsMax: 0 }).index

/** Returns the numbers of documents in which places of words were read. */
function readBy(work: () => unknown): number[] {
  const spy = vi.spyOn(TextIndex.prototype, 'occurrences')
  work()
  const counts = spy.mock.calls.map(([, , ids]) => ids.length)
  spy.mockRestore()
  return counts
}

describe('near pairs', () => {
  const index = indexOf(
    documents(6000, (id) => [
      'all',
      'every',
      ...(id < 5000 ? ['most'] : []),
      ...(id % 6 === 0 ? ['some'] : []),
      ...(id < 255 ? ['few'] : []),
      ...(id < 300 ? [`w${id}`] : []),
    ]),
  )
  const word = (text: string): Word => index.word(text)!
  const pair = (left: readonly string[], right: string, rightPrefix: string | null = null) => ({
    left: left.map(word),
    right: [word(right)],
    rightPrefix,
    byWord: true,
  })
  const first = (count: number): IdSet => IdSet.range(0, count)
  const thrice = (work: () => unknown): number[][] => [1, 2, 3].map(() => readBy(work))

  it.each<[string, Parameters<typeof pair>, number, number[][]]>([
    ['few documents', [['few'], 'all'], 10, [[255, 255], [], []]],
    [
      '1000 documents, of which few are wanted',
      [['some'], 'all'],
      60,
      [[10, 10], [1000, 1000], []],
    ],
    ['1000 documents, of which half are wanted', [['some'], 'every'], 3000, [[1000, 1000], [], []]],
    ['5000 documents', [['most'], 'all'], 60, [[60, 60], [], []]],
    ['few documents with a prefix', [['few'], 'all', 'ev'], 10, [[255, 255, 255], [], []]],
  ])('of %s are read', (_, asked, wanted, read) => {
    expect(thrice(() => nearSets(index, pair(...asked), first(wanted)))).toEqual(read)
  })

  it('of very many words are read each time', () => {
    const words = (count: number): string[] => Array.from({ length: count }, (_, i) => `w${i}`)
    const read = (count: number) =>
      thrice(() => nearSets(index, pair(words(count), 'all'), first(10)))
    expect(read(127)).toEqual([[127, 127], [], []])
    expect(read(128)).toEqual(Array(3).fill([10, 10]))
  })

  it('are counted from cached results, or up to a number', () => {
    const [all, few, some] = ['all', 'few', 'some'].map(word) as [Word, Word, Word]
    expect(thrice(() => countNear(index, few, some, true))).toEqual([[43, 43], [], []])
    const upTo = (enough: number) => readBy(() => countNearUpTo(index, all, all, false, enough))
    expect([0, 255, 256, 767, 768, 9999].map((enough) => upTo(enough).length / 2)).toEqual([
      1, 1, 2, 2, 3, 5,
    ])
    const each = [256, 512, 1024, 2048, 2160]
    expect(upTo(9999)).toEqual(each.flatMap((count) => [count, count]))
  })

  it('of the parts of a word are read once', () => {
    const splits = index.splitsOf('mostsome')
    expect(splits.map(({ part }) => part.at)).toEqual([4])
    const { part } = splits[0]!
    expect(thrice(() => countInLargest(index, 'mostsome', part, true))).toEqual([
      [834, 834],
      [],
      [],
    ])
    expect(thrice(() => countInLargest(index, 'mostsome', part, false))).toEqual([
      [834, 834],
      [],
      [],
    ])
    expect(countInLargest(index, 'mostsome', { ...part, bothMax: 0 }, true)).toBe(0)
  })
})

describe('the cache of pairs', () => {
  it('reads at most 65,536 documents at once', () => {
    const read: number[] = []
    const nothing = (ids: Uint32Array): IdSet[] => {
      read.push(ids.length)
      return []
    }
    for (const count of [65_536, 65_537]) {
      partsOf({} as TextReader, `${count}`, IdSet.range(0, count), nothing)
    }
    expect(read).toEqual([65_536, 65_536, 1])
  })

  it('forgets all pairs after 4096', () => {
    const reader = {} as TextReader
    const wants = (key: string) => isReadWhole(reader, key, 1, 1000)
    for (let i = 0; i < 4096; i++) expect(wants(`${i}`)).toBe(false)
    expect(wants('more')).toBe(false)
    expect([wants('more'), wants('0')]).toEqual([true, false])
  })
})

describe('a segment', () => {
  it('finds a live document of a word once', () => {
    const index = indexOf(documents(40, (id) => ['a', ...(id < 10 ? ['b'] : [])]))
    const { reader } = index.segments[0]!
    const text = SegmentText.of(reader)
    const [a, b] = ['a', 'b'].map((word) => text.ordinalOf(word)) as [number, number]
    const read = (ordinal: number, dead: IdSet | null): [boolean, number] => {
      const spy = vi.spyOn(reader, 'readDocuments')
      const isAlive = text.isAlive(ordinal, dead)
      const { length } = spy.mock.calls
      spy.mockRestore()
      return [isAlive, length]
    }
    const range = (from: number, to: number) => IdSet.range(from, to)
    expect([read(b, null), read(b, IdSet.empty), read(a, range(0, 20))]).toEqual([
      [true, 0],
      [true, 0],
      [true, 0],
    ])
    // The word has more documents than are dead; then one is read, and remembered.
    expect([read(b, range(0, 9)), read(b, range(5, 15)), read(b, range(1, 30))]).toEqual([
      [true, 0],
      [true, 1],
      [true, 0],
    ])
    expect([read(b, range(0, 10)), read(b, range(0, 30))]).toEqual([
      [false, 1],
      [false, 1],
    ])
    expect([0, 1, 2, 3].map((count) => text.hasLive(a, b + 1, count, null))).toEqual([
      true,
      true,
      true,
      false,
    ])
    expect([0, 1, 2].map((count) => text.hasLive(a, b + 1, count, range(0, 12)))).toEqual([
      true,
      true,
      false,
    ])
  })

  it('reads the ids of rare words, and bits of frequent ones', () => {
    const all = documents(3200, (id) => [
      ...(id < 99 ? ['a99'] : []),
      ...(id % 64 < 2 ? ['a100'] : []),
      ...(id % 128 === 0 ? ['a25', 'b25'] : []),
      ...(id % 128 === 0 && id > 0 ? ['b24'] : []),
    ])
    const { reader } = indexOf(all).segments[0]!
    const text = SegmentText.of(reader)
    const readsIds = (...words: string[]): boolean => {
      const ordinals = Uint32Array.from(words, (word) => text.ordinalOf(word))
      const spy = vi.spyOn(reader, 'readDocuments')
      text.union(ordinals, words.length, whereOfScope(EVERYWHERE), true)
      const { length } = spy.mock.calls
      spy.mockRestore()
      return length === words.length
    }
    expect([readsIds('a99'), readsIds('a100')]).toEqual([true, false])
    // Lists of several words have to be sorted.
    expect([readsIds('a25', 'b24'), readsIds('a25', 'b25')]).toEqual([true, false])
  })

  it('looks words up by a text inside of them once', () => {
    const all = documents(30, (id) => [`x${100 + id}y`])
    const { index } = new Pair({
      segments: [all],
      deleted: new Set(),
      smallDocumentsMax: 0,
      infixFields: [0],
    })
    const { reader } = index.segments[0]!
    const text = SegmentText.of(reader)
    const spy = vi.spyOn(reader, 'infix')
    const first = text.termsWith('x10')
    expect(text.termsWith('x10')).toBe(first)
    for (let i = 0; i < 8191; i++) text.termsWith(`qqq${i}`)
    expect([text.termsWith('x10') === first, spy.mock.calls.length]).toEqual([true, 8192])
    text.termsWith('one more')
    expect([text.termsWith('x10') === first, spy.mock.calls.length]).toEqual([false, 8194])
    // All words are in one field.
    const collected = vi.spyOn(reader, 'collectFields')
    expect([text.withinFields('x11'), text.withinFields('x11')]).toEqual([[0], [0]])
    expect(collected).toHaveBeenCalledTimes(1)
  })

  it('keeps decoded postings of 32,768 occurrences', () => {
    const all = documents(2000, (id) => [`w${id}`])
    const { reader } = indexOf(all).segments[0]!
    const postings = new SmallPostings(reader)
    const decoded = vi.spyOn(reader, 'allOccurrences')
    const read = (ordinal: number): number => {
      postings.read(ordinal, whereOfScope(scopeOf([0])), new Uint32Array(1), 0)
      return decoded.mock.calls.length
    }
    // 16 for each posting, and 1 for its occurrence.
    for (let ordinal = 0; ordinal < 1927; ordinal++) read(ordinal)
    expect([read(0), read(1927), read(1927), read(0)]).toEqual([1927, 1928, 1928, 1929])
  })
})

describe('the segments of a view', () => {
  const segment = (documentCount: number, idMax = 10) => ({
    reader: { documentCount, idMax, fst: new Fst(buildFst([encoder.encode('a')])) } as TextReader,
    dead: null,
  })
  const of = (...counts: number[]) => {
    const view = new ViewSegments(counts.map((count) => segment(count)))
    return {
      largest: view.largest,
      onlyLarge: view.onlyLarge,
      small: view.small.map((terms) => terms !== null),
      tables: view.tables.map((terms) => terms !== null),
    }
  }

  it('are small, or have a table, by their number of documents', () => {
    expect(of(1024, 1025, 4096, 4097, 5000)).toEqual({
      largest: 4,
      onlyLarge: -1,
      small: [true, false, false, false, false],
      tables: [true, true, true, false, false],
    })
    expect(of(10, 20, 20, 5)).toEqual({
      largest: 1,
      onlyLarge: 1,
      small: [true, false, true, true],
      tables: [true, false, true, true],
    })
    expect(of()).toEqual({ largest: -1, onlyLarge: -1, small: [], tables: [] })
    const view = new ViewSegments([segment(5, 7), segment(5, 3)])
    expect([view.idEnd, view.novelFew, view.anySmall, view.anyDead]).toEqual([8, 512, true, false])
  })
})

describe('sets', () => {
  it('of several segments are bits if they are not sparse', () => {
    const areBits = (last: number): boolean => {
      const found = [[0, last], [40], [50], [60]].map((ids) => ({ set: IdSet.of(ids), dead: null }))
      const spy = vi.spyOn(IdSet, 'ofWords')
      expect([...uniteLive(found).toArray()]).toEqual([0, 40, 50, 60, last])
      const { length } = spy.mock.calls
      spy.mockRestore()
      return length > 0
    }
    // Sorting five ids costs as much as 80 words of bits.
    expect([79 * 32 - 1, 79 * 32].map(areBits)).toEqual([true, false])
  })

  it('have a cost in the cache, and leave it when eight segments are closed', () => {
    const cache = new SetCache()
    const set = IdSet.of([1, 2])
    cache.add('abc', [set, set])
    expect(cache.byteLength).toBe(160 + 6 + 2 * set.byteLength)
    cache.replace('abc', [set])
    expect(cache.byteLength).toBe(160 + 6 + set.byteLength)
    cache.replace('d', [])
    expect(cache.byteLength).toBe(2 * 160 + 8 + set.byteLength)
    const eight = (): readonly object[] => Array.from({ length: 8 }, () => ({}))
    // Other tests of this process may have closed some.
    const earlier = eight()
    for (const reader of earlier) nextSegmentKey(reader)
    dropResultsOf(earlier)
    const readers = eight()
    const heads = readers.map((reader) => nextSegmentKey(reader))
    for (const head of heads) THREAD_SETS.one(`${head}x`, () => set)
    const kept = (): boolean[] => heads.map((head) => THREAD_SETS.find(`${head}x`) !== null)
    dropResultsOf(readers.slice(0, 7))
    expect(kept()).toEqual(Array(8).fill(true))
    dropResultsOf(readers.slice(7))
    expect(kept()).toEqual(Array(8).fill(false))
  })
})
