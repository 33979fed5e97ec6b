// The text index over several segments with dead copies, compared with documents held as lists of
// words.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildFst, Fst, FuzzyCursor } from '../../../format/fst/index.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { positionBucket } from '../../../format/postings/index.ts'
import { countElsewhereMax, countInLargest, countNear, FAR, nearAmong, nearSets } from './near.ts'
import { forwardDistance, shareField } from './pairs.ts'
import { encoder, type Model, occurrencesOf, Pair, sortedWords } from './test-support.ts'
import { EVERYWHERE, type Scope, scopeOf } from './where.ts'

const VOCABULARY = ['a', 'ab', 'abc', 'abd', 'b', 'ba', 'é', 'éa', '東', '東京', 'zoo', '𝒜']
const FIELDS = 3
const within = ({ fields }: Scope, field: number) => fields === null || fields.includes(field)
const idsOf = (set: IdSet): number[] => [...set.toArray()]

const words = fc.array(fc.option(fc.constantFrom(...VOCABULARY), { nil: null, freq: 6 }), {
  maxLength: 20,
})
const document = fc.array(words, { minLength: 1, maxLength: FIELDS })
const documents = fc
  .array(fc.tuple(fc.nat(70), document), { minLength: 1, maxLength: 12 })
  .map((entries) => new Map(entries))
const model: fc.Arbitrary<Model> = fc.record({
  segments: fc.array(documents, { minLength: 1, maxLength: 4 }),
  deleted: fc.array(fc.nat(70), { maxLength: 12 }).map((ids) => new Set(ids)),
  smallDocumentsMax: fc.constantFrom(0, 4, 1000),
})
const scope = fc.constantFrom(EVERYWHERE, scopeOf([0]), scopeOf([2, 1]), scopeOf([7]), scopeOf([]))

function checkWords(pair: Pair): void {
  const { index, live } = pair
  const alive = pair.words()
  for (const text of [...VOCABULARY, 'none', '']) {
    const word = index.word(text)
    expect(word !== null, text).toBe(alive.has(text))
    expect(index.word(text), 'kept').toBe(word)
    if (word === null) continue
    const count = [...live.values()].filter((d) => d.flat().includes(text)).length
    expect(word.frequencyMax).toBeGreaterThanOrEqual(count)
    expect([...index.fieldsOf([word])]).toEqual(
      expect.arrayContaining(pair.fields((other) => other === text)),
    )
  }
}

describe('words', () => {
  it('exist while a live document contains them', () => {
    fc.assert(
      fc.property(model, (drawn) => {
        checkWords(new Pair(drawn))
      }),
    )
  })

  it('have the live documents of their scope', () => {
    fc.assert(
      fc.property(model, scope, fc.subarray(VOCABULARY), (drawn, where, texts) => {
        const pair = new Pair(drawn)
        const found = texts.map((text) => pair.index.word(text)).filter((word) => word !== null)
        const expected = pair.docs((word, field) => texts.includes(word) && within(where, field))
        expect(idsOf(pair.index.union(found, where))).toEqual(expected)
        for (const word of found) {
          const alone = pair.docs((text, field) => text === word.text && within(where, field))
          expect(idsOf(pair.index.docs(word, where))).toEqual(alone)
          const outside = pair.docs((text, field) => text === word.text && !within(where, field))
          if (where.fields === null) continue
          expect(pair.index.occursOutside(word, where.fields)).toBe(outside.length > 0)
        }
      }),
    )
  })

  it('have documents by position bucket', () => {
    const buckets = fc.uniqueArray(fc.constantFrom<number>(0, 1, 2, 5, 15, 24), { maxLength: 4 })
    fc.assert(
      fc.property(model, buckets, fc.subarray(VOCABULARY), (drawn, wanted, texts) => {
        const pair = new Pair(drawn)
        const found = texts.map((text) => pair.index.word(text)).filter((word) => word !== null)
        const counts = (word: string, at: number) =>
          texts.includes(word) && wanted.includes(positionBucket(at))
        expect(idsOf(pair.index.unionInBuckets(found, wanted))).toEqual(
          pair.docs((word, _, at) => counts(word, at)),
        )
      }),
    )
  })
})

describe('prefixes', () => {
  const prefix = fc.constantFrom('a', 'ab', 'abc', 'b', 'é', '東', 'z', 'q', '𝒜')

  it('have the documents of all their words', () => {
    fc.assert(
      fc.property(model, scope, prefix, (drawn, where, begin) => {
        const pair = new Pair(drawn)
        const alive = sortedWords(pair.words()).filter((word) => word.startsWith(begin))
        const visited: string[] = []
        pair.index.eachWithPrefix(begin, (word) => visited.push(word.text) > 0)
        expect(visited).toEqual(alive.filter((word) => word !== begin))
        for (const count of [1, 2, 3, alive.length + 1]) {
          expect(pair.index.hasPrefixWords(begin, count)).toBe(alive.length >= count)
        }
        expect(idsOf(pair.index.prefixDocs(begin, where))).toEqual(
          pair.docs((word, field) => word.startsWith(begin) && within(where, field)),
        )
        expect(idsOf(pair.index.prefixDocsInBuckets(begin, [0, 3, 24]))).toEqual(
          pair.docs(
            (word, _, at) => word.startsWith(begin) && [0, 3, 24].includes(positionBucket(at)),
          ),
        )
        expect([...pair.index.prefixFields(begin)]).toEqual(
          expect.arrayContaining(pair.fields((word) => word.startsWith(begin))),
        )
      }),
    )
  })

  it('a walk stops on request', () => {
    fc.assert(
      fc.property(model, fc.nat(5), (drawn, most) => {
        const pair = new Pair(drawn)
        const visited: string[] = []
        pair.index.eachWithPrefix('', (word) => visited.push(word.text) <= most)
        expect(visited).toEqual(sortedWords(pair.words()).slice(0, most + 1))
      }),
    )
  })
})

describe('misspelled words', () => {
  it('match live words near them', () => {
    const text = fc.constantFrom('a', 'ab', 'abx', 'zo', 'zooo', 'ä', '東x')
    const options = fc.record({
      maxDistance: fc.constantFrom<1 | 2>(1, 2),
      prefix: fc.boolean(),
      otherFirstDistanceMax: fc.constantFrom<-1 | 0 | 1 | 2>(-1, 1),
    })
    fc.assert(
      fc.property(model, text, options, fc.nat(5), (drawn, wanted, how, most) => {
        const pair = new Pair(drawn)
        const alive = [...pair.words()].map((word) => encoder.encode(word))
        const expected: unknown[] = []
        const cursor = new FuzzyCursor(new Fst(buildFst(alive)), wanted, how)
        while (cursor.next()) {
          const word = Buffer.from(cursor.bytes.subarray(0, cursor.length)).toString()
          expected.push([word, cursor.distance, cursor.sameFirst])
        }
        // The second walk reads the cached terms of the first one, and continues after them.
        for (const end of [most, Number.POSITIVE_INFINITY]) {
          const visited: unknown[] = []
          pair.index.eachNear(wanted, how, (word, distance, sameFirst) => {
            visited.push([word.text, distance, sameFirst])
            return visited.length <= end
          })
          expect(visited).toEqual(expected.slice(0, end + 1))
        }
      }),
    )
  })
})

describe('splits of a word', () => {
  it('include those with both words in one segment', () => {
    fc.assert(
      fc.property(
        model,
        fc.array(fc.constantFrom(...VOCABULARY), { maxLength: 6 }),
        (drawn, all) => {
          const { index, live } = new Pair(drawn)
          const text = all.join('')
          for (const _ of ['made', 'kept']) {
            const splits = index.splitsOf(text).map(({ part }) => part.at)
            expect(splits).toEqual([...new Set(splits)].sort((a, b) => a - b))
            for (let at = 1; at < text.length; at++) {
              const parts = [text.slice(0, at), text.slice(at)]
              const isSomewhere = [...live.values()].some((document) =>
                parts.every((part) => document.flat().includes(part)),
              )
              if (isSomewhere) expect(splits).toContain(at)
            }
          }
        },
      ),
    )
  })

  it('leave out others', () => {
    const segments = [new Map([[1, [['a', 'b', 'zoo']]]]), new Map([[2, [['ab', 'é']]]])]
    for (const smallDocumentsMax of [0, 1000]) {
      const { index } = new Pair({ segments, deleted: new Set(), smallDocumentsMax })
      const splits = (text: string) => index.splitsOf(text).map(({ part }) => part.at)
      expect(splits('azoo')).toEqual([1])
      expect(splits('abé')).toEqual([2])
      expect(splits('aé')).toEqual([])
      expect(splits('𝒜')).toEqual([])
    }
  })
})

describe('occurrences', () => {
  it('are those of live documents, in order, each once', () => {
    const prefix = fc.constantFrom(null, 'a', 'ab', 'é', 'q')
    fc.assert(
      fc.property(model, fc.subarray(VOCABULARY), prefix, (drawn, texts, begin) => {
        const pair = new Pair(drawn)
        const found = texts.map((text) => pair.index.word(text)).filter((word) => word !== null)
        const ids = Uint32Array.from([...pair.live.keys()])
        const { starts, packed } = pair.index.occurrences(found, begin, ids)
        const counts = (word: string) =>
          texts.includes(word) || (begin !== null && word.startsWith(begin))
        ids.forEach((id, i) => {
          const all = [...occurrencesOf(pair.live.get(id)!)].filter(([word]) => counts(word))
          expect([...packed.subarray(starts[i]!, starts[i + 1]!)]).toEqual(all.map(([, at]) => at))
        })
      }),
    )
  })

  it('pairs are the same whole and in parts', () => {
    const parts = fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 4 })
    fc.assert(
      fc.property(model, parts, (drawn, steps) => {
        const { index, live } = new Pair(drawn)
        const [left, right] = ['a', 'b'].map((text) => index.word(text))
        if (!left || !right) return
        const ids = Uint32Array.from([...live.keys()].sort((a, b) => a - b))
        const has = (id: number, word: string) =>
          live.get(id)!.some((field) => field.includes(word))
        const both = ids.filter((id) => has(id, 'a') && has(id, 'b'))
        const placesOf = (id: number, word: string): number[] =>
          [...occurrencesOf(live.get(id)!)].flatMap(([text, at]) => (text === word ? [at] : []))
        const apart = (id: number, first: string, second: string): number => {
          const before = placesOf(id, first)
          const distances = placesOf(id, second).flatMap((y) =>
            before.map((x) => (x >>> 16 === y >>> 16 && y > x ? y - x : FAR + 1)),
          )
          return Math.min(FAR + 1, ...distances)
        }
        const costOf = (id: number) => Math.min(apart(id, 'a', 'b') - 1, apart(id, 'b', 'a'))
        const pair = { left: [left], right: [right], rightPrefix: null, byWord: true }
        for (const step of [...steps, 1]) {
          const wanted = both.filter((_, i) => i % step === 0)
          const among = IdSet.ofSorted(wanted.slice())
          const costs = [0, 1, 2].map((cost) => [...wanted].filter((id) => costOf(id) === cost))
          const filled = (sets: readonly IdSet[]) =>
            costs.map((_, c) => idsOf(sets[c] ?? IdSet.empty))
          expect(filled(nearAmong(index, pair, among, 1e6))).toEqual(costs)
          expect(filled(nearSets(index, pair, among))).toEqual(costs)
        }
      }),
    )
  })

  it('pairs are near only inside one field', () => {
    fc.assert(
      fc.property(model, (drawn) => {
        const pair = new Pair(drawn)
        const ids = Uint32Array.from([...pair.live.keys()])
        const texts = ['a', 'b'] as const
        const [a, b] = texts.map((text) => {
          const word = pair.index.word(text)
          return pair.index.occurrences(word === null ? [] : [word], null, ids)
        })
        const least = (id: number): number => {
          const all = [...occurrencesOf(pair.live.get(id)!)]
          const apart = all.flatMap(([first, x]) =>
            all
              .filter(([second, y]) => first === 'a' && second === 'b' && x >>> 16 === y >>> 16)
              .map(([, y]) => y - x),
          )
          return Math.min(4, ...apart.filter((d) => d > 0))
        }
        const both = (id: number) =>
          pair.live.get(id)!.some((field) => field.includes('a') && field.includes('b'))
        ids.forEach((id, i) => {
          expect(forwardDistance(a!, b!, i)).toBe(least(id))
          expect(shareField(a!, b!, i)).toBe(both(id))
        })
        const [left, right] = texts.map((text) => pair.index.word(text))
        if (!left || !right) return
        for (const _ of ['read', 'cached']) {
          const { index } = pair
          const adjacent = [...ids].filter((id) => least(id) === 1).length
          expect(countNear(index, left, right, true)).toBe(adjacent)
          const sharing = [...ids].filter(both).length
          expect(countNear(index, left, right, false)).toBe(sharing)
          const split = index.splitsOf('ab').find(({ part }) => part.at === 1)
          const most = split?.isElsewhere === true ? countElsewhereMax(index, left, right) : 0
          for (const [byWord, count] of [
            [true, adjacent],
            [false, sharing],
          ] as const) {
            const atLeast =
              split === undefined ? 0 : countInLargest(index, 'ab', split.part, byWord)
            expect(atLeast).toBeLessThanOrEqual(count)
            expect(atLeast + most).toBeGreaterThanOrEqual(count)
          }
        }
      }),
    )
  })

  it('lengths of fields are those of the live copy', () => {
    fc.assert(
      fc.property(model, fc.nat(FIELDS), (drawn, field) => {
        const pair = new Pair(drawn)
        const ids = Uint32Array.from([...pair.live.keys()])
        const out = new Uint16Array(ids.length).fill(9)
        pair.index.fieldLengths(field, ids, out)
        expect([...out]).toEqual(
          [...pair.live.values()].map(
            (document) => (document[field] ?? []).filter((word) => word !== null).length,
          ),
        )
        for (const words of [1, 2, 3]) {
          const found = [...ids.filter((_, i) => out[i] === words)]
          for (const readMax of [0, 100]) {
            const among = IdSet.of(ids)
            expect(idsOf(pair.index.docsOfLength(field, words, among, readMax))).toEqual(found)
          }
        }
      }),
    )
  })
})

describe.each([0, 1000])('many documents, up to %d of a segment small', (smallDocumentsMax) => {
  /** Enough documents for long lists, stored prefixes and position sets. */
  const large = (): Model => {
    let state = 7
    const draw = (below: number): number => {
      state = (Math.imul(state, 1103515245) + 12345) >>> 0
      return (state >>> 8) % below
    }
    const vocabulary = Array.from({ length: 150 }, (_, i) => `wo${i.toString(36)}`)
    const segments = [0, 1000, 1700].map((from) => {
      const count = from === 0 ? 1600 : 900
      return new Map(
        Array.from({ length: count }, (_, i) => {
          const words = Array.from({ length: 4 }, () => vocabulary[draw(150)]!)
          return [from + i, [words, draw(2) === 0 ? ['wo', 'also'] : ['also', 'wo']]] as const
        }),
      )
    })
    const deleted = new Set(Array.from({ length: 300 }, (_, i) => i * 9))
    return { segments, deleted, smallDocumentsMax }
  }
  const pair = new Pair(large())

  it('words and prefixes have the same documents as in the model', () => {
    expect(pair.index.segments[0]!.reader.prefixCount).toBeGreaterThan(0)
    for (const where of [EVERYWHERE, scopeOf([0]), scopeOf([1])]) {
      for (const text of ['wo', 'also', 'wo5', 'wo1a']) {
        const word = pair.index.word(text)!
        expect(idsOf(pair.index.docs(word, where))).toEqual(
          pair.docs((other, field) => other === text && within(where, field)),
        )
      }
      for (const begin of ['w', 'wo', 'wo1', 'al']) {
        expect(idsOf(pair.index.prefixDocs(begin, where))).toEqual(
          pair.docs((other, field) => other.startsWith(begin) && within(where, field)),
        )
      }
    }
    for (const begin of ['wo', 'wo1', 'al']) {
      expect(idsOf(pair.index.prefixDocsInBuckets(begin, [1, 3]))).toEqual(
        pair.docs((word, _, at) => word.startsWith(begin) && (at === 1 || at === 3)),
      )
    }
  })

  it('occurrences are found for a few of them', () => {
    const ids = Uint32Array.from([...pair.live.keys()].filter((id) => id % 37 === 0))
    const also = pair.index.word('also')!
    const { starts, packed } = pair.index.occurrences([also], 'wo', ids)
    ids.forEach((id, i) => {
      const all = [...occurrencesOf(pair.live.get(id)!)].map(([, at]) => at)
      expect([...packed.subarray(starts[i]!, starts[i + 1]!)]).toEqual(all)
    })
  })
})
