// The buckets of a graph with one path: documents that get their costs one by one are ranked as by
// walks over combinations of steps.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IdSet } from '../../../format/idset/index.ts'
import { type GraphNode, QueryGraph } from '../query-graph/index.ts'
import { PathBuckets, type PathCosts } from './path-rule.ts'
import { type CostEdge, costsOfPath } from './single-path.ts'

const DOCUMENTS = 60
const COST_MAX = 10
const ids = fc.subarray(Array.from({ length: DOCUMENTS }, (_, id) => id))
type Steps = readonly (readonly [number, readonly number[] | null])[]

/**
 * Steps onto a node by ascending cost: documents have a least cost, or none, and some further ones.
 * Null lets all documents pass.
 */
const steps: fc.Arbitrary<Steps> = fc
  .array(fc.nat(COST_MAX + 1), { minLength: DOCUMENTS, maxLength: DOCUMENTS })
  .map((least) =>
    Array.from({ length: COST_MAX + 1 }, (_, cost) => {
      if (least[0] === 0 && cost === COST_MAX) return [cost, null] as const
      const docs = least.flatMap((first, id) =>
        first === cost || (first < cost && (id + cost) % 3 === 0) ? [id] : [],
      )
      return [cost, docs] as const
    }),
  )
const nodesOf = fc.array(steps, { minLength: 1, maxLength: 4 })

const edgesOf = (list: Steps): CostEdge[] =>
  list.map(([cost, docs]) => ({ cost, docs: () => (docs === null ? null : IdSet.of(docs)) }))

/** Returns the least cost of a document at a node, or null if the node does not allow it. */
const leastOf = (list: Steps, id: number): number | null =>
  list.find(([, docs]) => docs === null || docs.includes(id))?.[0] ?? null

/** A graph whose nodes follow each other. */
const rowOf = (count: number): QueryGraph => {
  const term = { space: { readsAllFields: true } }
  const nodes = Array.from(
    { length: count },
    (_, i) => ({ idFirst: i, idLast: i, term }) as unknown as GraphNode,
  )
  return new QueryGraph(
    nodes,
    nodes.map((_, i) => [i + 1]),
    [0],
  )
}

type Shown = { readonly ids: readonly number[]; readonly rank: number; readonly nodes: unknown }

/** Returns the buckets of a rule with these steps for each node. */
function bucketsOf(lists: readonly Steps[], universe: IdSet, cut: PathCosts['cut']): Shown[] {
  const graph = rowOf(lists.length)
  const source = new PathBuckets(universe, graph, {
    steps: (_, to) => edgesOf(lists[graph.nodes.indexOf(to)]!),
    cut,
    score: (cost, costMax) => ({ kind: 'proximity', rank: cost, max: costMax }),
  })
  const found: Shown[] = []
  let left = universe
  for (let bucket = source.next(left); bucket !== null; bucket = source.next(left)) {
    if (bucket.score.kind !== 'proximity') throw new Error('the score of the rule')
    left = left.andNot(bucket.ids)
    const nodes = [...bucket.graph.present()].map(([, { idFirst }]) => idFirst)
    found.push({ ids: [...bucket.ids.toArray()], rank: bucket.score.rank, nodes })
  }
  return found
}

describe('a graph with one path', () => {
  it('ranks the same by the costs of documents and by walks', () => {
    let isLong = false
    fc.assert(
      fc.property(nodesOf, ids, (nodes, among) => {
        const walked = bucketsOf(nodes, IdSet.of(among), (node) => node)
        isLong ||= walked.length > 8
        expect(bucketsOf(nodes, IdSet.of(among), null)).toEqual(walked)
      }),
      { numRuns: 100 },
    )
    expect(isLong).toBe(true)
  })

  it('gives each document the sum of its least costs', () => {
    fc.assert(
      fc.property(nodesOf, ids, (nodes, among) => {
        const found = costsOfPath(nodes.map(edgesOf), IdSet.of(among))
        const costs = found.map(({ cost }) => cost)
        expect(costs).toEqual([...new Set(costs)].sort((a, b) => a - b))
        for (const id of among) {
          const least = nodes.map((list) => leastOf(list, id))
          const sum = least.includes(null) ? null : least.reduce<number>((a, b) => a + b!, 0)
          const holding = found.filter(({ docs }) => docs.has(id)).map(({ cost }) => cost)
          expect(holding).toEqual(sum === null ? [] : [sum])
        }
      }),
      { numRuns: 100 },
    )
  })
})
