// Graphs of readings: their nodes, the documents they match compared with trying every reading,
// removed nodes, and graphs of chosen paths.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { IdSet } from '../../../format/idset/index.ts'
import { type GraphNode, idCount, type QueryGraph } from './graph.ts'
import { type DroppingStrategy, removalGroups } from './removal-groups.ts'
import { SmallText } from './test-support.ts'

const nameOf = (node: GraphNode): string =>
  node.term.text ?? `[${node.term.phrase!.words.map((word) => word ?? '_').join(' ')}]`

const empty = new SmallText([{ t: 'a' }], { stopWords: ['the'] })
const graphOf = (query: string, small = empty): QueryGraph => small.graph(query)!
const names = (query: string): string[] => graphOf(query).nodes.map((node) => nameOf(node!))

/** All paths from start to end, as lists of nodes. */
function pathsOf(graph: QueryGraph): number[][] {
  const from = (targets: readonly number[]): number[][] =>
    targets.flatMap((index) =>
      index === graph.end ? [[]] : from(graph.next[index]!).map((path) => [index, ...path]),
    )
  return from(graph.start)
}
const shownPaths = (graph: QueryGraph): string[] =>
  pathsOf(graph).map((path) => path.map((index) => nameOf(graph.nodes[index]!)).join(' '))

describe('the graph of a query', () => {
  it.each([
    ['a', ['a']],
    ['a b', ['a', 'b', 'ab']],
    ['a b c', ['a', 'b', 'ab', 'c', 'bc', 'abc']],
    ['a "b" c d', ['a', '[b]', 'c', 'd', 'cd']],
    ['a the b', ['a', 'b']],
    ['a. b', ['a', 'b']],
    ['a -b c', ['a', 'c']],
    [`${'x'.repeat(200)} ${'y'.repeat(60)}`, ['x'.repeat(200), 'y'.repeat(60)]],
    [
      `${'x'.repeat(125)} ${'y'.repeat(125)}`,
      ['x'.repeat(125), 'y'.repeat(125), 'x'.repeat(125) + 'y'.repeat(125)],
    ],
  ])('%s has the nodes %j', (query, nodes) => {
    expect(names(query)).toEqual(nodes)
  })

  it('has every reading of words as one', () => {
    expect(shownPaths(graphOf('a b c d'))).toEqual([
      'a b c d',
      'a b cd',
      'a bc d',
      'a bcd',
      'ab c d',
      'ab cd',
      'abc d',
    ])
    expect(shownPaths(graphOf('a "b c" d'))).toEqual(['a [b c] d'])
  })

  it('is null without a term', () => {
    expect(empty.graph('! "" ')).toBe(null)
    expect(empty.graph('-a')).toBe(null)
  })

  it('has the positions of its nodes', () => {
    const graph = graphOf('the a "b c" d')
    const places = graph.nodes.map((node) => [node!.positionFirst, node!.positionLast])
    expect(places).toEqual([
      [1, 1],
      [2, 3],
      [4, 4],
    ])
    const joined = graphOf('x a b c').nodes.find((node) => nameOf(node!) === 'abc')!
    expect([joined.idFirst, joined.idLast, idCount(joined)]).toEqual([1, 3, 3])
    expect(joined.term.isPrefix).toBe(true)
  })
})

const WORDS = ['sun', 'set', 'sunset', 'flow', 'er', 'flower', 'sunflower', 'fl']
const anyText = fc
  .array(fc.constantFrom(...WORDS), { maxLength: 5 })
  .map((words) => words.join(' '))
const anyTexts = fc.array(anyText, { minLength: 1, maxLength: 12 })
const anyQuery = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 4 })
  .map((words) => `${words.join(' ')} `)

describe('documents of a graph', () => {
  it('match at least one reading', () => {
    fc.assert(
      fc.property(
        anyTexts,
        anyQuery,
        fc.integer({ min: 1, max: 3 }),
        (documents, query, segments) => {
          const small = new SmallText(
            documents.map((t) => ({ t })),
            {},
            segments,
          )
          const graph = graphOf(query, small)
          const universe = IdSet.of([...documents.keys()].filter((id) => id % 3 !== 0))
          const found = documents.flatMap((_, id) => {
            const reads = (path: readonly number[]): boolean =>
              path.every((index) => graph.nodes[index]!.term.docs(7, false).has(id))
            return id % 3 !== 0 && pathsOf(graph).some(reads) ? [id] : []
          })
          expect([...graph.docs(universe).toArray()]).toEqual(found)
          const whole = IdSet.range(0, documents.length)
          expect(graph.docs(whole, true).equals(graph.docs(whole))).toBe(true)
        },
      ),
    )
  })
})

describe('a graph without some nodes', () => {
  it('has the same readings without these nodes', () => {
    const anyRemoved = fc.uniqueArray(fc.nat(8))
    fc.assert(
      fc.property(anyQuery, anyRemoved, (query, indices) => {
        const graph = graphOf(query)
        const removed = new Set(indices.filter((index) => index < graph.end))
        const rest = graph.without(removed)
        const wanted = pathsOf(graph).map((path) =>
          path.filter((index) => !removed.has(index)).join(' '),
        )
        const got = pathsOf(rest).map((path) => path.join(' '))
        expect([...new Set(got)].sort()).toEqual([...new Set(wanted)].sort())
        expect([...rest.present()].map(([index]) => index)).toEqual(
          [...graph.nodes.keys()].filter((index) => !removed.has(index)),
        )
      }),
    )
  })
})

describe('a graph of chosen paths', () => {
  /** Paths of a graph by number, with the levels that each step is cut to. */
  const anyChoice = fc.array(fc.tuple(fc.nat(), fc.array(fc.constantFrom(1, 2, 4))), {
    minLength: 1,
    maxLength: 6,
  })

  it('has exactly these paths, in node order', () => {
    fc.assert(
      fc.property(anyQuery, anyChoice, (query, choices) => {
        const graph = graphOf(query)
        const all = pathsOf(graph)
        const chosen = choices.map(([i]) => all[i % all.length]!)
        const maskAt = (path: number, step: number): number => choices[path]![1][step] ?? 7
        const made = graph.ofPaths(chosen, (node, path, step) => ({
          ...node,
          mask: maskAt(path, step),
        }))
        const shown = (of: QueryGraph, path: readonly number[], masks: (step: number) => number) =>
          path.map((index, step) => `${nameOf(of.nodes[index]!)}:${masks(step)}`).join(' ')
        const wanted = chosen.map((path, p) => shown(graph, path, (step) => maskAt(p, step)))
        const got = pathsOf(made).map((path) =>
          shown(made, path, (step) => made.nodes[path[step]!]!.mask),
        )
        expect([...got].sort()).toEqual([...new Set(wanted)].sort())
        for (const [index, targets] of made.next.entries()) {
          expect([...targets].sort((a, b) => a - b)).toEqual(targets)
          for (const target of targets) expect(target).toBeGreaterThan(index)
        }
      }),
    )
  })
})

describe('words are dropped', () => {
  const small = new SmallText([{ t: 'a b c' }, { t: 'a b' }, { t: 'a c d' }, { t: 'a ab' }])
  const groups = (query: string, strategy: DroppingStrategy) => {
    const graph = graphOf(query, small)
    return removalGroups(graph, strategy).map((group) =>
      [...group].map((index) => nameOf(graph.nodes[index]!)).join(' '),
    )
  }

  it.each([
    ['a b c ', 'last', ['c', 'b bc']],
    ['a ', 'last', []],
    ['a "b" c ', 'last', ['c', 'a']],
    ['"a" "b" ', 'last', []],
    ['a b c ', 'all', []],
    // a: 4 documents, b and c: 2, d: 1, e: none; a document with ab counts for both.
    ['a b c d ', 'frequency', ['a', 'b ab', 'c bc abc']],
    ['d b c ', 'frequency', ['b c bc']],
    ['e d a ', 'frequency', ['e', 'a']],
    ['d "b" a ', 'frequency', ['a', 'd']],
    ['b c ', 'frequency', []],
  ] as const)('%s, %s first: %j', (query, strategy, expected) => {
    const got = groups(query, strategy)
    const sorted = (texts: readonly string[]) => texts.map((t) => t.split(' ').sort().join(' '))
    expect(sorted(got)).toEqual(sorted(expected))
  })
})
