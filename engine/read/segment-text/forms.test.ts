// A view answers each question alike in all of its forms: with results that are cached by segment, with
// segments that each search reads, and with segments in the memory of the kernel.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { FuzzyOptions } from '../../../format/fst/index.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { positionBucket } from '../../../format/postings/index.ts'
import {
  countElsewhereMax,
  countInLargest,
  countNear,
  countNearUpTo,
  inLarge,
  inSmall,
  nearSets,
} from './near.ts'
import { type Documents, type Model, occurrencesOf, Pair } from './test-support.ts'
import type { TextIndex } from './text-index.ts'
import { EVERYWHERE, scopeOf } from './where.ts'
import { type Word, wordsWith } from './word.ts'

const COMMON = ['salt', 'road', 'garden', 'iron', 'ironroad', 'roads']

/** Three rare words and some common ones in the first field, common ones in two more. */
function documentsFrom(from: number, count: number, ids = 1): Documents {
  const common = (n: number): string => COMMON[n % COMMON.length]!
  const entries = Array.from({ length: count }, (_, i) => {
    const id = from + i * ids
    const rare = [3 * id, 3 * id + 1, 3 * id + 2].map((n) => `x${n.toString(36)}y`)
    const title = [common(id), ...rare, ...(id % 3 === 0 ? [common(id >>> 2)] : [null, null])]
    const text = [common(id * 7), null, common(id * 5 + 1), ...(id % 4 === 0 ? ['salt'] : [])]
    return [id, id % 5 === 0 ? [title] : [title, [], text]] as const
  })
  return new Map(entries)
}

const MODEL: Model = {
  segments: [documentsFrom(0, 1900), documentsFrom(1500, 1500), documentsFrom(2900, 60, 3)],
  deleted: new Set(Array.from({ length: 200 }, (_, i) => i * 7)),
  smallDocumentsMax: 1,
  infixFields: [0],
}

let plain: Pair
let small: Pair
let shared: Pair
beforeAll(() => {
  plain = new Pair(MODEL)
  small = new Pair({ ...MODEL, smallDocumentsMax: 1e6 })
  shared = new Pair({ ...MODEL, kernelFrom: 4_000_000 })
  for (const { reader } of shared.index.segments) {
    for (let i = 0; i < 64; i++) reader.shared?.postings()
  }
})
afterAll(() => {
  for (const { reader } of shared.index.segments) reader.close()
})

const wordsOf = (index: TextIndex, ...texts: string[]): Word[] =>
  texts.map((text) => index.word(text)).filter((word) => word !== null)
const idsOf = (set: IdSet): number[] => [...set.toArray()]
const live = (): Uint32Array => Uint32Array.from([...plain.live.keys()])
const some = (step: number): Uint32Array => live().filter((_, i) => i % step === 0)

it('the forms differ', () => {
  const kernel = shared.index.segments.map(
    ({ reader }) => (reader.shared?.postings() ?? null) !== null,
  )
  expect(kernel).toEqual([true, true, false])
  expect(shared.index.segments[0]!.reader.shared!.fst()).not.toBeNull()
  const large = ({ index }: Pair): boolean[] => [0, 1, 2].map((s) => index.isLarge(s))
  expect([large(plain), large(small)]).toEqual([
    [true, true, true],
    [true, false, false],
  ])
  expect([plain.index.onlyLarge, small.index.onlyLarge, small.index.anySmall]).toEqual([
    -1,
    0,
    true,
  ])
})

const near: FuzzyOptions = { maxDistance: 1, otherFirstDistanceMax: -1, prefix: false }
const BUCKETS = [0, 2, 5].map(positionBucket)
const SCOPES = [EVERYWHERE, scopeOf([0]), scopeOf([1, 2]), scopeOf([7])]
const INFIXES = ['arde', 'roa', 'x1a', 'lty', 'iron', 'ronro']

type Question = (index: TextIndex) => unknown
const pairOf = (index: TextIndex, left: string, right: string, byWord = true, prefix?: string) => ({
  left: wordsOf(index, ...left.split(' ')),
  right: wordsOf(index, ...right.split(' ')),
  rightPrefix: prefix ?? null,
  byWord,
})
function walked(index: TextIndex, prefix: string, most: number): string[] {
  const found: string[] = []
  index.eachWithPrefix(prefix, ({ text }) => found.push(text) < most)
  return found
}
function nearWords(index: TextIndex, text: string, options: FuzzyOptions): unknown[] {
  const found: unknown[] = []
  index.eachNear(text, options, (word, ...how) => found.push([word.text, ...how]) > 0)
  return found
}
const placesIn = (
  index: TextIndex,
  words: readonly Word[],
  prefix: string | null,
  ids: Uint32Array,
) => {
  const { packed, starts } = index.occurrences(words, prefix, ids)
  return [[...starts], [...packed.subarray(0, starts[ids.length])]]
}
const first = <T>(list: readonly T[] | IdSet): unknown =>
  list instanceof IdSet ? [list.size, ...idsOf(list).slice(0, 50)] : list

const QUESTIONS: { readonly [name: string]: Question } = {
  'documents of words': (index) =>
    SCOPES.flatMap((scope) =>
      wordsOf(index, 'salt', 'xay', 'roads').map((word) => idsOf(index.docs(word, scope))),
    ),
  'unions of words': (index) =>
    SCOPES.map((scope) =>
      idsOf(index.union(wordsOf(index, 'salt', 'road', 'xby', 'x13ay'), scope)),
    ),
  'rare words together': (index) =>
    idsOf(index.union(wordsOf(index, 'xay', 'xby', 'x2cy'), EVERYWHERE)),
  'positions of words': (index) =>
    idsOf(index.unionInBuckets(wordsOf(index, 'salt', 'iron'), BUCKETS)),
  'documents of prefixes': (index) =>
    ['s', 'roa', 'x1', 'q'].flatMap((prefix) =>
      SCOPES.map((scope) => idsOf(index.prefixDocs(prefix, scope))),
    ),
  'positions of prefixes': (index) =>
    ['s', 'roa', 'x1'].map((prefix) => idsOf(index.prefixDocsInBuckets(prefix, BUCKETS))),
  fields: (index) => [
    ...['salt', 'xay'].map((text) => [...index.fieldsOf(wordsOf(index, text))].sort()),
    ...['x1', 'r'].map((prefix) => [...index.prefixFields(prefix)].sort()),
    ...['salt', 'xay'].map((text) => index.occursOutside(wordsOf(index, text)[0]!, [0])),
  ],
  walks: (index) => [walked(index, 'x1', 9999), walked(index, 'ro', 9999), walked(index, '', 40)],
  'words near others': (index) => [
    nearWords(index, 'rod', near),
    nearWords(index, 'xlay', { ...near, maxDistance: 2 }),
    nearWords(index, 'irn', { ...near, prefix: true, otherFirstDistanceMax: 1 }),
  ],
  'prefixes with words': (index) =>
    [1, 2, 3, 40].map((count) =>
      ['ro', 'road', 'x1', 'q'].map((text) => index.hasPrefixWords(text, count)),
    ),
  occurrences: (index) => [
    placesIn(index, wordsOf(index, 'salt', 'road'), null, some(1)),
    placesIn(index, wordsOf(index, 'salt', 'road'), 'ro', some(3)),
    placesIn(index, [], 'x', some(11)),
    placesIn(index, wordsOf(index, wordsWith('arde'), 'salt'), null, some(2)),
    placesIn(index, wordsOf(index, 'xay'), null, some(40)),
  ],
  lengths: (index) => {
    const out = new Uint16Array(live().length)
    index.fieldLengths(0, live(), out)
    return [[...out], [0, 1, 2, 9].map((field) => index.wordsInField(field))]
  },
  'documents of a length': (index) =>
    [2, 3, 4].flatMap((words) =>
      [0, 1e6].map((readMax) => idsOf(index.docsOfLength(2, words, IdSet.of(some(2)), readMax))),
    ),
  'near pairs': (index) =>
    [
      pairOf(index, 'salt', 'road'),
      pairOf(index, 'salt iron', 'garden road'),
      pairOf(index, 'salt', 'road', false),
      pairOf(index, 'salt', 'garden', true, 'ro'),
      pairOf(index, 'iron', '', true, 'iron'),
    ].flatMap((pair) =>
      [1, 2, 9, 1].map((step) => {
        const sets = nearSets(index, pair, IdSet.of(some(step)))
        return [0, 1, 2].map((cost) => first(sets[cost] ?? IdSet.empty))
      }),
    ),
  'counts of near pairs': (index) => {
    const [left, right] = wordsOf(index, 'salt', 'road') as [Word, Word]
    const [rare] = wordsOf(index, 'xay') as [Word]
    return [true, false].flatMap((byWord) => [
      countNear(index, left, right, byWord),
      countNear(index, rare, right, byWord),
      countNearUpTo(index, left, right, byWord, 1e6),
      countNearUpTo(index, left, right, byWord, 1) > 1,
      countElsewhereMax(index, left, right),
    ])
  },
  'parts of a word': (index) => {
    const splits = index.splitsOf('ironroad')
    expect(splits.map(({ part, isElsewhere }) => [part.at, isElsewhere])).toEqual([[4, true]])
    const [{ part }] = splits as [(typeof splits)[number]]
    return [true, true, false, false].map((byWord) =>
      countInLargest(index, 'ironroad', part, byWord),
    )
  },
  'words with a text': (index) => [
    ...INFIXES.flatMap((text) =>
      [EVERYWHERE, scopeOf([0]), scopeOf([2])].map((scope) => {
        const word = index.word(wordsWith(text))
        return word === null ? null : idsOf(index.docs(word, scope))
      }),
    ),
    ...['arde', 'x1a'].map((text) => [...index.fieldsOf(wordsOf(index, wordsWith(text)))].sort()),
  ],
}

describe.each(Object.entries(QUESTIONS))('%s', (_, question) => {
  it('are the same in all forms, and when asked again', () => {
    const answer = question(plain.index)
    expect(question(small.index)).toEqual(answer)
    expect(question(shared.index)).toEqual(answer)
    expect(question(plain.index)).toEqual(answer)
  })
})

describe('answers', () => {
  it('of words with a text are those of the model', () => {
    for (const text of INFIXES) {
      const word = plain.index.word(wordsWith(text))
      const expected = plain.docs((other, field) => field === 0 && other.includes(text))
      expect(word === null ? [] : idsOf(plain.index.docs(word, scopeOf([0])))).toEqual(expected)
    }
    expect(plain.index.word(wordsWith('arde'))!.frequencyMax).toBe(1900 + 1500 + 60)
  })

  it('on lengths are those of the model', () => {
    const lengthsIn = (field: number): number[] =>
      [...plain.live.values()].map(
        (fields) => (fields[field] ?? []).filter((w) => w !== null).length,
      )
    expect([0, 1, 2].map((field) => plain.index.wordsInField(field))).toEqual(
      [0, 1, 2].map((field) => lengthsIn(field).reduce((a, b) => a + b)),
    )
  })

  it('on occurrences are those of the model, in any documents', () => {
    const has = (word: string): boolean => word === 'salt' || word.includes('arde')
    const ids = some(5)
    const { index } = plain
    const { packed, starts } = index.occurrences(
      wordsOf(index, 'salt', wordsWith('arde')),
      null,
      ids,
    )
    ids.forEach((id, i) => {
      const own = [...occurrencesOf(plain.live.get(id)!)].filter(([word]) => has(word))
      expect([...packed.subarray(starts[i]!, starts[i + 1]!)]).toEqual(own.map(([, at]) => at))
    })
  })

  it('on documents are of live ones, by segment', () => {
    const dead = (id: number): boolean => !plain.live.has(id)
    const all = [...MODEL.segments.keys()].flatMap((s) => idsOf(plain.index.liveIn(s)))
    expect(all.sort((a, b) => a - b)).toEqual([...live()])
    expect(all.some(dead)).toBe(false)
    const inBoth = idsOf(small.index.liveIn(1)).concat(idsOf(small.index.liveIn(2)))
    expect(idsOf(small.index.liveInSmall)).toEqual(inBoth.sort((a, b) => a - b))
    expect(small.index.liveIn(1)).toBe(small.index.liveIn(1))
    const among = IdSet.of(live())
    expect([...inSmall(small.index, among)]).toEqual(inBoth)
    expect(inSmall(plain.index, among).length).toBe(0)
    expect(inLarge(small.index, 0, among)).toBe(among)
    expect(idsOf(inLarge(plain.index, 2, among))).toEqual(
      [...live()].filter((id) => MODEL.segments[2]!.has(id)),
    )
    const [left, right] = wordsOf(small.index, 'salt', 'garden') as [Word, Word]
    const both = small.index.docs(left, EVERYWHERE).and(small.index.docs(right, EVERYWHERE))
    expect([...small.index.inSmallWithBoth(left, right)]).toEqual(
      idsOf(both.and(small.index.liveInSmall)),
    )
  })
})
