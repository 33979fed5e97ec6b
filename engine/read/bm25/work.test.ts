// How much is read to find the best documents: of a word only what may decide, and each bound once.
import { afterEach, describe, expect, it, vi } from 'vitest'
import { IdSet } from '../../../format/idset/index.ts'
import { SmallText } from '../query-graph/test-support.ts'
import { EVERYWHERE, TextIndex } from '../segment-text/index.ts'
import { Candidates } from './candidates.ts'
import { Contenders } from './contenders.ts'
import { Frequencies } from './frequencies.ts'
import { ImpactCache } from './impact-cache.ts'
import { Impacts, LEVELS, WINDOW_IDS } from './impacts.ts'
import { Relevance, statisticsOf } from './index.ts'

afterEach(() => void vi.restoreAllMocks())

const never = (): boolean => false
const WINDOWS = 4
const ID_END = WINDOWS * WINDOW_IDS

/** A word in `documents` documents, evenly over the windows, with parts of 1 / 20 to 1. */
function wordOf(documents: number, idf: number, shift = 0) {
  const step = ID_END / documents
  const ids = Uint32Array.from({ length: documents }, (_, i) => Math.floor(i * step + shift))
  const read: number[] = []
  const impacts = new Impacts(ids)
  const levelsOf = (some: Uint32Array): Uint8Array => {
    read.push(some.length)
    return Uint8Array.from(some, (id) => Math.ceil(((1 + ((id * 7) % 20)) / 20) * LEVELS))
  }
  return { word: { idf, impacts, levelsOf }, read }
}

describe('levels of words', () => {
  type Word = readonly [documents: number, idf: number]
  const work = (wanted: number, ...all: readonly Word[]) => {
    const words = all.map(([documents, idf], i) => wordOf(documents, idf, i))
    const sizes: number[] = []
    for (let search = 0; search < 2; search++) {
      const contenders = new Contenders(wanted, 1)
      contenders.add(
        words.map(({ word }) => word),
        IdSet.range(0, ID_END),
        null,
        never,
      )
      sizes.push(contenders.size)
    }
    return { sizes, read: words.map(({ read }) => read) }
  }

  it.each<[string, number, readonly Word[], ReturnType<typeof work>]>([
    ['of one word', 10, [[1000, 5]], { sizes: [50, 50], read: [[1000]] }],
    [
      'of a rare and a frequent word',
      10,
      [
        [300, 8],
        [40_000, 0.2],
      ],
      { sizes: [14, 14], read: [[300], []] },
    ],
    [
      'of words of equal weight',
      10,
      [
        [3000, 2],
        [3000, 2],
      ],
      { sizes: [299, 299], read: [[3000], [3000]] },
    ],
    [
      'of 8192 documents together',
      10,
      [
        [4096, 4],
        [4096, 4],
        [20_000, 1],
      ],
      { sizes: [1317, 1317], read: [[4096], [4096], []] },
    ],
    [
      'of more documents together',
      10,
      [
        [4096, 4],
        [4097, 4],
        [20_000, 1],
      ],
      { sizes: [15, 15], read: [[4096], [4097], [5000]] },
    ],
    [
      'of many words',
      20,
      [
        [2000, 5],
        [5000, 3],
        [9000, 2],
        [16_000, 1],
        [30_000, 0.5],
      ],
      { sizes: [249, 249], read: [[2000], [5000], [6750, 2250], [], []] },
    ],
  ])('%s are read as far as they decide', (_, wanted, words, expected) => {
    expect(work(wanted, ...words)).toEqual(expected)
  })
})

describe('frequencies', () => {
  const all = Array.from({ length: 3000 }, (_, i) => ({
    title: `${'river '.repeat(1 + ((i * 7) % 5))}${i % 40 === 0 ? 'rare' : ''}`,
    body: `${'stone '.repeat((i * 11) % 17)}light ${i % 3 === 0 ? 'lamp' : ''}`,
  }))
  const small = new SmallText(all)
  const index = new TextIndex(small.index.segments, { smallDocumentsMax: 0 })

  /** Returns the numbers of documents whose frequencies are read. */
  function readBy(q: string, count: number, boundedMin?: number): number[] {
    const space = small.space(EVERYWHERE)
    const graph = small.graph(q, space)!
    const statistics = statisticsOf(index, all.length)
    const parameters = { k1: 1.2, b: 0.75, weightOf: () => 1 }
    const relevance = new Relevance(space, graph, parameters, statistics, boundedMin)
    const spy = vi.spyOn(Frequencies.prototype, 'add')
    relevance.best(small.ids, count, never)
    const counts = spy.mock.calls.map(([, ids]) => ids.length)
    spy.mockRestore()
    return counts
  }

  it.each<[string, number, number | undefined, number[]]>([
    ['rare stone ', 5, Infinity, [75, 70]],
    ['rare river light ', 5, Infinity, [75, 75, 75]],
    ['rare river light ', 75, Infinity, [75, 75, 75]],
    ['river lamp ', 5, undefined, [1000, 3000, 59, 59]],
    ['river stone ', 20, undefined, [2823, 256, 236, 236, 236]],
    ['lamp ', 20, undefined, [1000]],
    ['river ', 1024, undefined, [1200]],
    ['river ', 1025, undefined, [3000]],
  ])('of %s for the best %i with bounds from %s on', (q, count, boundedMin, read) => {
    expect(readBy(q, count, boundedMin)).toEqual(read)
  })
})

describe('candidates', () => {
  const of = (scores: readonly number[], count: number): Candidates => {
    const candidates = new Candidates(count)
    candidates.add(Uint32Array.from(scores.keys()), Float64Array.from(scores))
    return candidates
  }
  it('are dropped when they cannot be among the best any more', () => {
    const left = (more: number, count: number): number[] => {
      const candidates = of([5, 1, 4, 2, 3], count)
      candidates.drop(more)
      return [...candidates.set().toArray()]
    }
    expect([left(0, 2), left(1, 2), left(1.5, 2), left(4, 2), left(0, 6), left(0, 0)]).toEqual([
      [0, 2],
      [0, 2, 4],
      [0, 2, 4],
      [0, 1, 2, 3, 4],
      [0, 1, 2, 3, 4],
      [0, 1, 2, 3, 4],
    ])
  })

  it('are closed when another document cannot be among the best', () => {
    const isClosed = (least: number, left: number): boolean => {
      const candidates = of([5, least], 2)
      candidates.drop(100)
      return candidates.isClosed(left)
    }
    expect([isClosed(2, 1.9), isClosed(2, 2), isClosed(2, 2.1)]).toEqual([true, false, false])
  })
})

it('bounds cost the bytes of their numbers and keys, and an entry', () => {
  const cache = new ImpactCache(2000)
  const impacts = new Impacts(Uint32Array.of(1, 2, WINDOW_IDS))
  expect(impacts.byteLength).toBe(3 * 3 + 6 * 3)
  cache.add('abc', impacts)
  expect(cache.byteLength).toBe(27 + 600 + 6)
  cache.add('d', impacts)
  cache.add('e', impacts)
  expect([cache.byteLength, cache.get('d'), cache.get('e')]).toEqual([
    27 * 3 + 1800 + 10,
    impacts,
    impacts,
  ])
  cache.add('f'.repeat(62), impacts)
  expect(cache.byteLength).toBeLessThanOrEqual(2000)
  const large = new Impacts(Uint32Array.from({ length: 458 }, (_, i) => i))
  cache.add('8 units.', large)
  expect(cache.get('8 units.')).toBeNull()
  cache.add('7 units', large)
  expect([cache.get('7 units'), cache.byteLength]).toEqual([large, 2000])
})
