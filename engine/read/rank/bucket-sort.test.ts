// The driver with rules that are plain tables of keys, compared with sorting by those keys.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IdSet } from '../../../format/idset/index.ts'
import { QueryGraph } from '../query-graph/index.ts'
import { type Booster, type BucketSortOptions, bucketSort, type Distinct } from './bucket-sort.ts'
import type { RankingRule } from './rule.ts'
import { globalScore, type ScoreDetail } from './scores.ts'

const NO_WORDS = new QueryGraph([], [], [])
const KEY_MAX = 3
const PLAIN: BucketSortOptions = {
  offset: 0,
  limit: 1000,
  withScores: true,
  threshold: null,
  distinct: null,
  isLate: () => false,
}

/** By document, and then by rule; 0 is the best. */
type Keys = readonly (readonly number[])[]

/** The score of rule `r`: rules with an even number have a rank, the others only order. */
function scoreOf(r: number, key: number): ScoreDetail {
  if (r % 2 === 0) return { kind: 'words', rank: KEY_MAX + 1 - key, max: KEY_MAX + 1 }
  return { kind: 'sort', field: `f${r}`, ascending: true, value: key }
}

/** Rule `r`; `evaluated` receives the documents that the rule was opened on. */
function tableRule(keys: Keys, r: number, evaluated: number[][] = []): RankingRule {
  return {
    name: `table ${r}`,
    open(universe, graph) {
      evaluated.push([...universe.toArray()])
      let key = 0
      return {
        next(left) {
          for (; key <= KEY_MAX; key++) {
            const ids = IdSet.of([...left.toArray()].filter((id) => keys[id]![r] === key))
            if (!ids.isEmpty) return { ids, graph, score: scoreOf(r, key++) }
          }
          return null
        },
      }
    },
  }
}

/** As `tableRule`, in the form that numbers documents. */
function scoringRule(keys: Keys, r: number): RankingRule {
  return {
    ...tableRule(keys, r),
    scorer(universe) {
      const all = [...universe.toArray()].sort((a, b) => keys[a]![r]! - keys[b]![r]! || a - b)
      return {
        best(count) {
          const last = keys[all[Math.min(count, all.length) - 1]!]?.[r] ?? 0
          const ids = all.filter((id, i) => i < count || keys[id]![r] === last)
          const scores = Float32Array.from(ids, (id) => KEY_MAX - keys[id]![r]!)
          return { ids: Uint32Array.from(ids), scores, isCut: false }
        },
        scoreOf: (_, id) => scoreOf(r, keys[id]![r]!),
      }
    },
  }
}

const RULES = 3
const anyKeys: fc.Arbitrary<Keys> = fc.array(
  fc.array(fc.nat(KEY_MAX), { minLength: RULES, maxLength: RULES }),
  { maxLength: 25 },
)

/** Documents sorted by their keys, then by id, with the score of each rule. */
const sorted = (keys: Keys) =>
  [...keys.keys()]
    .sort((a, b) => {
      for (let r = 0; r < RULES; r++) {
        if (keys[a]![r] !== keys[b]![r]) return keys[a]![r]! - keys[b]![r]!
      }
      return a - b
    })
    .map((id) => ({ id, scores: keys[id]!.map((key, r) => scoreOf(r, key)) }))

const rank = (keys: Keys, options: Partial<BucketSortOptions> = {}, scoring = -1) => {
  const rules = Array.from({ length: RULES }, (_, r) =>
    r === scoring ? scoringRule(keys, r) : tableRule(keys, r),
  )
  const universe = IdSet.range(0, keys.length)
  const ranking = bucketSort(rules, universe, NO_WORDS, { ...PLAIN, ...options })
  return { ...ranking, candidates: [...ranking.candidates.toArray()] }
}

/** One document of each group is admitted; -1 is a group of its own. */
function groups(of: readonly number[], countedLater: boolean): Distinct {
  const admitted = new Set<number>()
  const stoodFor = (id: number): boolean =>
    admitted.has(id) || (of[id] !== -1 && [...admitted].some((o) => of[o] === of[id]))
  return {
    admit: (id) => {
      if (stoodFor(id)) return false
      admitted.add(id)
      return true
    },
    excluded: () => IdSet.of([...of.keys()].filter(stoodFor)),
    countedLater,
  }
}

describe('ranking', () => {
  it('sorts by one rule after another, ties by id', () => {
    fc.assert(
      fc.property(anyKeys, (keys) => {
        const { hits, candidates, degraded } = rank(keys)
        expect(hits).toEqual(sorted(keys))
        expect(candidates).toEqual([...keys.keys()])
        expect(degraded).toBe(false)
      }),
    )
  })

  it('is the same with a rule that numbers documents, for every window and threshold', () => {
    const anyOptions = fc.record({
      offset: fc.nat(12),
      limit: fc.nat(12),
      threshold: fc.constantFrom(null, null, 0.3, 0.6),
    })
    fc.assert(
      fc.property(anyKeys, anyOptions, fc.nat(RULES - 1), (keys, options, scoring) => {
        const { hits } = rank(keys, options, scoring)
        expect(hits).toEqual(rank(keys, options).hits)
      }),
    )
  })

  it('returns any page of it, with and without scores', () => {
    fc.assert(
      fc.property(anyKeys, fc.nat(30), fc.nat(30), (keys, offset, limit) => {
        const page = sorted(keys).slice(offset, offset + limit)
        expect(rank(keys, { offset, limit }).hits).toEqual(page)
        const bare = rank(keys, { offset, limit, withScores: false })
        expect(bare.hits).toEqual(page.map(({ id }) => ({ id, scores: [] })))
        expect(bare.candidates).toEqual([...keys.keys()])
      }),
    )
  })

  it('without rules orders by id', () => {
    const ids = IdSet.of([7, 3, 5])
    const { hits } = bucketSort([], ids, NO_WORDS, { ...PLAIN, offset: 1 })
    expect(hits.map(({ id }) => id)).toEqual([5, 7])
    expect(bucketSort([], ids, NO_WORDS, { ...PLAIN, offset: 4 }).hits).toEqual([])
  })

  it('does not split buckets before or after the page', () => {
    const keys = [0, 0, 0, 1, 1, 2, 2, 3, 3].map((first) => [first, 0, 0])
    const evaluated: number[][] = []
    const rules = [tableRule(keys, 0), tableRule(keys, 1, evaluated)]
    const options = { ...PLAIN, withScores: false, offset: 3, limit: 3 }
    const { hits } = bucketSort(rules, IdSet.range(0, 9), NO_WORDS, options)
    expect(hits.map(({ id }) => id)).toEqual([3, 4, 5])
    expect(evaluated).toEqual([
      [3, 4],
      [5, 6],
    ])
  })
})

describe('a threshold', () => {
  it('drops hits that score below it, and counts the others', () => {
    fc.assert(
      fc.property(anyKeys, fc.nat(32), (keys, part) => {
        const threshold = part / 32
        const { hits, candidates } = rank(keys, { threshold })
        const kept = sorted(keys).filter(({ scores }) => globalScore(scores) >= threshold)
        expect(hits).toEqual(kept)
        expect(candidates).toEqual(kept.map(({ id }) => id).sort((a, b) => a - b))
      }),
    )
  })

  it('does not change pages', () => {
    fc.assert(
      fc.property(anyKeys, fc.nat(10), fc.nat(10), (keys, offset, limit) => {
        const threshold = 0.4
        const all = rank(keys, { threshold }).hits
        const { hits } = rank(keys, { threshold, offset, limit })
        expect(hits).toEqual(all.slice(offset, offset + limit))
      }),
    )
  })
})

describe('distinct documents', () => {
  const anyGroups = fc.array(fc.integer({ min: -1, max: 3 }), { minLength: 25, maxLength: 25 })

  it('are the best of each group, and the remaining ones are counted', () => {
    fc.assert(
      fc.property(anyKeys, anyGroups, fc.boolean(), (keys, of, later) => {
        const { hits, candidates } = rank(keys, { distinct: groups(of, later) })
        const seen = new Set<number>()
        const kept = sorted(keys).filter(({ id }) => {
          const isFirst = of[id] === -1 || !seen.has(of[id]!)
          seen.add(of[id]!)
          return isFirst
        })
        expect(hits).toEqual(kept)
        // If duplicates are counted later, those that ranking never reached are still candidates.
        const found = kept.map(({ id }) => id)
        for (const id of found) expect(candidates).toContain(id)
        if (!later) expect(candidates).toEqual(found.sort((a, b) => a - b))
      }),
    )
  })

  it('fill pages', () => {
    fc.assert(
      fc.property(anyKeys, anyGroups, fc.nat(8), fc.nat(8), (keys, of, offset, limit) => {
        const all = rank(keys, { distinct: groups(of, false) }).hits
        const page = rank(keys, { distinct: groups(of, false), offset, limit }).hits
        expect(page).toEqual(all.slice(offset, offset + limit))
      }),
    )
  })
})

/** Rule `r` with a delayed form; `evaluated` receives the documents it was evaluated for. */
function lateRule(keys: Keys, r: number, evaluated: number[] = []): RankingRule {
  const rule = tableRule(keys, r)
  return {
    ...rule,
    delay(universe, graph) {
      const told: number[] = []
      const first = Math.min(...[...universe.toArray()].map((id) => keys[id]![r]!))
      return {
        score: scoreOf(r, first),
        graph,
        best(ids) {
          evaluated.push(...ids)
          const best = ids.filter((id) => keys[id]![r] === first)
          told.push(...best)
          return best
        },
        foundBest: () => IdSet.of(told),
        laterBuckets: (left) => rule.open(left, graph),
      }
    },
  }
}

describe('a delayed rule', () => {
  const USES = ['none', 'keeps', 'narrows'] as const
  const anyUses = fc.tuple(fc.constantFrom(...USES), fc.constantFrom(...USES))
  const late = (keys: Keys, uses: readonly (typeof USES)[number][], evaluated?: number[]) => [
    lateRule(keys, 0, evaluated),
    ...uses.map((graphUse, i) => ({ ...tableRule(keys, i + 1), graphUse })),
  ]

  it('returns the same pages', () => {
    const anyOffset = fc.nat(10)
    const anyLimit = fc.constantFrom(1, 2, 30)
    const anyMax = fc.constantFrom(1, 3, 30)
    fc.assert(
      fc.property(anyKeys, anyUses, anyOffset, anyLimit, anyMax, (keys, uses, offset, limit, m) => {
        const universe = IdSet.range(0, keys.length)
        const options = { ...PLAIN, offset, limit, batchMax: m }
        const { hits, candidates } = bucketSort(late(keys, uses), universe, NO_WORDS, options)
        expect(hits).toEqual(sorted(keys).slice(offset, offset + limit))
        expect(candidates.size).toBe(keys.length)
      }),
    )
  })

  it('is evaluated for no more documents than the page needs', () => {
    const keys = Array.from({ length: 40 }, (_, id) => [0, id % 2, 0])
    const evaluated: number[] = []
    const universe = IdSet.range(0, 40)
    const options = { ...PLAIN, limit: 3, batchMax: 4 }
    const { hits } = bucketSort(late(keys, ['keeps'], evaluated), universe, NO_WORDS, options)
    expect(hits.map(({ id }) => id)).toEqual([0, 2, 4])
    expect(evaluated).toEqual([0, 2, 4, 6])
  })

  it('returns each document once when time runs out', () => {
    fc.assert(
      fc.property(anyKeys, anyUses, fc.nat(40), (keys, uses, callsMax) => {
        let evaluated = 0
        const { hits, degraded } = bucketSort(
          late(keys, uses),
          IdSet.range(0, keys.length),
          NO_WORDS,
          { ...PLAIN, batchMax: 2, isLate: () => evaluated++ >= callsMax },
        )
        const ids = hits.map(({ id }) => id)
        expect(ids.toSorted((a, b) => a - b)).toEqual([...keys.keys()])
        const ranked = hits.filter(({ scores }) => scores.at(-1)?.kind !== 'skipped')
        expect(degraded).toBe(ranked.length < hits.length)
        expect(ranked).toEqual(sorted(keys).slice(0, ranked.length))
      }),
    )
  })

  it('is evaluated for no further documents when time runs out', () => {
    const keys = Array.from({ length: 40 }, () => [0, 0])
    const evaluated: number[] = []
    const options = { ...PLAIN, batchMax: 2, isLate: () => evaluated.length >= 4 }
    const universe = IdSet.range(0, 40)
    const { hits, degraded } = bucketSort(
      late(keys, ['keeps'], evaluated),
      universe,
      NO_WORDS,
      options,
    )
    expect([hits.length, degraded, evaluated]).toEqual([40, true, [0, 1, 2, 3]])
  })

  it('is not delayed with a threshold or a distinct field', () => {
    const keys = [0, 1, 0, 1].map((first) => [first, 0, 0])
    const evaluated: number[] = []
    const distinct = groups([-1, -1, -1, -1], false)
    for (const options of [{ threshold: 0.1 }, { distinct }, { limit: 5000 }]) {
      const rules = late(keys, ['keeps', 'none'], evaluated)
      const { hits } = bucketSort(rules, IdSet.range(0, 4), NO_WORDS, { ...PLAIN, ...options })
      expect(hits.map(({ id }) => id)).toEqual([0, 2, 1, 3])
    }
    expect(evaluated).toEqual([])
  })
})

describe('a booster', () => {
  it('gets all hits in buckets, and is asked before each bucket is split', () => {
    fc.assert(
      fc.property(anyKeys, fc.nat(20), (keys, taken) => {
        const hits: number[] = []
        const asked: number[] = []
        const booster: Booster = {
          get isFull() {
            return hits.length >= taken
          },
          narrowed(documents, scores) {
            asked.push(scores.length)
            return documents
          },
          take(documents, _scores, first) {
            hits.push(...first(documents, documents.size))
          },
          defers: () => false,
          finish: () => undefined,
        }
        const ranked = rank(keys, { booster })
        const ids = sorted(keys).map(({ id }) => id)
        expect(ranked.hits).toEqual([])
        expect(hits).toEqual(ids.slice(0, hits.length))
        expect(hits.length).toBeGreaterThanOrEqual(Math.min(taken, ids.length))
        expect(asked.every((depth) => depth <= 3)).toBe(true)
      }),
    )
  })

  it('has documents of small buckets ranked further only if it resumes them', () => {
    fc.assert(
      fc.property(anyKeys, fc.boolean(), fc.integer({ min: 1, max: 3 }), (keys, resumes, most) => {
        const taken = new Map<number, number>()
        const deferred = new Map<number, (id: number) => void>()
        let isFinishing = false
        const booster: Booster = {
          isFull: false,
          narrowed: (documents) => documents,
          take(documents, scores) {
            for (const id of documents.toArray()) taken.set(id, scores.length)
          },
          defers(documents, _scores, resume) {
            if (isFinishing || documents.size > most) return false
            for (const id of documents.toArray()) deferred.set(id, resume)
            return true
          },
          finish() {
            isFinishing = true
            if (resumes) for (const [id, resume] of [...deferred].reverse()) resume(id)
          },
        }
        rank(keys, { booster, withScores: false })
        const ids = sorted(keys).map(({ id }) => id)
        const ranked = resumes ? ids : ids.filter((id) => !deferred.has(id))
        expect([...taken.keys()].sort((a, b) => a - b)).toEqual(ranked.sort((a, b) => a - b))
        expect(new Set(taken.values()).size).toBeLessThanOrEqual(1)
      }),
    )
  })
})

describe('when time runs out', () => {
  it('the remaining hits are unranked and marked', () => {
    fc.assert(
      fc.property(anyKeys, fc.nat(40), (keys, callsMax) => {
        let evaluated = 0
        const { hits, degraded } = rank(keys, { isLate: () => evaluated++ >= callsMax })
        const ids = hits.map(({ id }) => id)
        expect(ids.toSorted((a, b) => a - b)).toEqual([...keys.keys()])
        const ranked = hits.filter(({ scores }) => scores.at(-1)?.kind !== 'skipped')
        expect(degraded).toBe(ranked.length < hits.length)
        expect(ranked).toEqual(sorted(keys).slice(0, ranked.length))
        expect(hits.slice(0, ranked.length)).toEqual(ranked)
      }),
    )
  })
})
