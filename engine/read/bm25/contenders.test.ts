// Documents that may be among the best ones, of words with random parts in scores over several
// windows, compared with the sums of all parts.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IdSet } from '../../../format/idset/index.ts'
import { type Random, randomOf } from '../../store/storage/index.ts'
import { type Bounded, Contenders } from './contenders.ts'
import { Impacts, LEVELS, WINDOW_IDS } from './impacts.ts'
import { TOP_MAX } from './limits.ts'
import { TopScores } from './top-scores.ts'

const ID_END = 5 * WINDOW_IDS
const never = (): boolean => false

type Word = Bounded & { readonly parts: Map<number, number> }

/** Parts of documents of which some are equal, and one window in three is empty. */
function wordOf(random: Random, documents: number): Word {
  const parts = new Map<number, number>()
  while (parts.size < documents) {
    const id = random.below(ID_END)
    if (id >>> 14 !== 1) parts.set(id, (1 + random.below(20)) / 21)
  }
  return {
    idf: 0.1 + 6 / documents + random.below(100) / 100,
    parts,
    impacts: new Impacts(Uint32Array.from(parts.keys()).sort()),
    levelsOf: (ids) => Uint8Array.from(ids, (id) => Math.ceil(parts.get(id)! * LEVELS)),
  }
}

const scoresOf = (words: readonly Word[]): Map<number, number> => {
  const scores = new Map<number, number>()
  for (const { idf, parts } of words) {
    for (const [id, part] of parts) scores.set(id, (scores.get(id) ?? 0) + idf * part)
  }
  return scores
}

const sizes = fc.uniqueArray(fc.integer({ min: 1, max: 12_000 }), { minLength: 1, maxLength: 6 })

describe('contenders', () => {
  it('contain the best documents and all that equal the last one', () => {
    fc.assert(
      fc.property(sizes, fc.nat(1e9), fc.integer({ min: 1, max: 50 }), (all, seed, count) => {
        const random = randomOf(seed)
        const words = all.map((size) => wordOf(random, size)).sort((a, b) => b.idf - a.idf)
        const dead = IdSet.of(Array.from({ length: 500 }, () => random.below(ID_END)))
        const universe = IdSet.range(random.below(ID_END / 2), ID_END)
        const scores = [...scoresOf(words)].filter(([id]) => universe.has(id) && !dead.has(id))
        scores.sort((a, b) => b[1] - a[1])
        const least = scores[count - 1]?.[1] ?? 0
        const wanted = scores.filter(([, score]) => score >= least).map(([id]) => id)
        // The second search has levels that the first one has read.
        for (let search = 0; search < 2; search++) {
          const contenders = new Contenders(count, 1)
          expect(contenders.add(words, universe, dead, never)).toBe(true)
          const ids = contenders.ids()
          expect(wanted.filter((id) => !ids.has(id))).toEqual([])
          expect(ids.andSize(universe.andNot(dead))).toBe(ids.size)
        }
      }),
      { numRuns: 25 },
    )
  })

  it('are few where words differ, and frequent words are not read for all documents', () => {
    const random = randomOf(3)
    const rare = { ...wordOf(random, 300), idf: 8 }
    const frequent = { ...wordOf(random, 40_000), idf: 0.2 }
    const contenders = new Contenders(10, 1)
    contenders.add([rare, frequent], IdSet.range(0, ID_END), null, never)
    expect(contenders.ids().size).toBeLessThan(60)
    expect([0, 1, 2, 3, 4].map((window) => frequent.impacts.isRead(window))).toContain(false)
  })

  it('are those of several segments', () => {
    const random = randomOf(4)
    const parts = [wordOf(random, 3000), wordOf(random, 5000)]
    const [first, second] = parts.map((word) => ({ ...word, idf: 2 }))
    const both = [...first!.parts.keys()].filter((id) => second!.parts.has(id))
    const dead = IdSet.of(both)
    const contenders = new Contenders(20, 1)
    contenders.add([first!], IdSet.range(0, ID_END), null, never)
    contenders.add([second!], IdSet.range(0, ID_END), dead, never)
    const scores = new Map([...second!.parts, ...first!.parts])
    const least = [...scores.values()].sort((a, b) => b - a)[19]!
    const ids = contenders.ids()
    expect([...scores].filter(([id, part]) => part >= least && !ids.has(id))).toEqual([])
    expect(ids.size).toBeLessThan(scores.size / 4)
  })

  it('begin with those of the largest bounds, and end where scores are better', () => {
    const word = wordOf(randomOf(7), 9000)
    const contenders = new Contenders(100, 1)
    contenders.add([word], IdSet.range(0, ID_END), null, never)
    const all = contenders.ids()
    const partOf = (id: number): number => word.parts.get(id)!
    for (const count of [1, 30, all.size]) {
      const first = contenders.first(count)
      const least = Math.min(...[...first.toArray()].map(partOf))
      expect(first.size).toBe(count)
      const rest = [...all.andNot(first).toArray()].map(partOf)
      expect(rest.every((part) => part <= least)).toBe(true)
    }
    const most = Math.max(...word.parts.values())
    contenders.raise(word.idf * most * 0.5)
    expect(contenders.ids().size).toBe(all.size)
    contenders.raise(word.idf * most)
    expect([...contenders.ids().toArray()].every((id) => partOf(id) === most)).toBe(true)
    contenders.raise(word.idf * most * 2)
    expect(contenders.ids().isEmpty).toBe(true)
  })

  it('are few beside a frequent word whose levels are not read', () => {
    const random = randomOf(8)
    const both = [wordOf(random, 9000), wordOf(random, 9000)].map((word) => ({ ...word, idf: 8 }))
    const alone = new Contenders(10, 1)
    alone.add(both, IdSet.range(0, ID_END), null, never)
    const frequent = wordOf(random, 60_000)
    for (const { parts } of both) for (const id of parts.keys()) frequent.parts.delete(id)
    const impacts = new Impacts(Uint32Array.from(frequent.parts.keys()).sort())
    const beside = new Contenders(10, 1)
    beside.add([...both, { ...frequent, idf: 2, impacts }], IdSet.range(0, ID_END), null, never)
    expect([0, 1, 2, 3, 4].map((window) => impacts.isRead(window))).toContain(false)
    expect(beside.size).toBeLessThan(alone.size * 1.5)
  })

  it('are not known when time is up', () => {
    const words = [wordOf(randomOf(5), 100)]
    const contenders = new Contenders(5, 1)
    expect(contenders.add(words, IdSet.range(0, ID_END), null, () => true)).toBe(false)
  })

  it('allow for bounds that are larger by a factor', () => {
    const word = wordOf(randomOf(6), 5000)
    const exact = new Contenders(10, 1)
    const slack = new Contenders(10, 1.2)
    for (const one of [exact, slack]) one.add([word], IdSet.range(0, ID_END), null, never)
    expect(slack.ids().size).toBeGreaterThan(exact.ids().size)
  })
})

describe('the largest scores', () => {
  it('are those of a sorted list', () => {
    const count = fc.integer({ min: 1, max: 40 })
    fc.assert(
      fc.property(fc.array(fc.nat(50)), count, (scores, wanted) => {
        const top = new TopScores(wanted)
        for (const score of scores) top.add(score)
        expect(top.least).toBe(scores.sort((a, b) => b - a)[wanted - 1] ?? 0)
      }),
    )
    expect(new TopScores(TOP_MAX).least).toBe(0)
  })
})
