// The matching strategy `any`: documents by the number of query words that they have, and the
// readings for later rules.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { IdSet } from '../../../format/idset/index.ts'
import { SmallText } from '../query-graph/test-support.ts'
import { AnyWordsRule } from './any-words-rule.ts'

const WORDS = ['wolf', 'bear', 'deer', 'hare', 'lynx', 'mole', 'seal', 'toad']
const EXACT = { typoTolerance: { enabled: false } }

/** Returns the buckets of documents with these words for a query with all words. */
function bucketsOf(
  documents: readonly (readonly string[])[],
  left = IdSet.range(0, 1000),
  query = WORDS.join(' '),
) {
  const small = new SmallText(
    documents.map((words) => ({ t: ['x', ...words] })),
    EXACT,
  )
  const source = new AnyWordsRule().open(small.ids, small.graph(query)!)
  const buckets = []
  for (let bucket = source.next(left); bucket !== null; bucket = source.next(left)) {
    buckets.push(bucket)
  }
  return buckets
}

const own = fc.uniqueArray(fc.constantFrom(...WORDS), { maxLength: 3 })

it('gives documents with more words first, and later rules the words that each of them has', () => {
  fc.assert(
    fc.property(
      fc.array(own, { minLength: 1, maxLength: 12 }),
      fc.array(fc.nat({ max: 11 })),
      (documents, others) => {
        const left = IdSet.range(0, documents.length).andNot(
          IdSet.of([...new Set(others)].sort((a, b) => a - b)),
        )
        const buckets = bucketsOf(documents, left)
        const shown = buckets.map(({ ids, score }) => [[...ids.toArray()], score])
        const counts = [
          ...new Set(documents.filter((_, id) => left.has(id)).map((words) => words.length)),
        ]
        expect(shown).toEqual(
          counts
            .sort((a, b) => b - a)
            .map((rank) => [
              [...left.toArray()].filter((id) => documents[id]!.length === rank),
              { kind: 'words', rank, max: WORDS.length },
            ]),
        )
        for (const { ids, graph } of buckets) {
          const readings = new Set(
            [...ids.toArray()].map((id) => [...documents[id]!].sort().join()),
          )
          expect(graph.docs(IdSet.range(0, documents.length)).and(ids).equals(ids)).toBe(true)
          expect(pathsOf(graph)).toEqual([...readings].sort())
        }
      },
    ),
  )
})

/** Returns the words of each path, in the order of texts. */
function pathsOf(graph: ReturnType<typeof bucketsOf>[number]['graph']): readonly string[] {
  const paths: string[] = []
  const follow = (at: number, words: readonly string[]): void => {
    if (at === graph.nodes.length) paths.push([...words].sort().join())
    else {
      const word = WORDS[graph.nodes[at]!.idFirst]!
      for (const next of graph.next[at]!) follow(next, [...words, word])
    }
  }
  for (const at of graph.start) follow(at, [])
  return paths.sort()
}

it('gives later rules no words of documents with too many combinations of them', () => {
  /** All choices of `count` words. */
  const choices = (count: number, from = 0): string[][] =>
    count === 0
      ? [[]]
      : WORDS.slice(from).flatMap((word, i) =>
          choices(count - 1, from + i + 1).map((rest) => [word, ...rest]),
        )
  const sizes = (count: number, most: number, query?: string) =>
    bucketsOf(choices(count).slice(0, most), undefined, query).map(({ ids, graph }) => [
      ids.size,
      pathsOf(graph).length,
    ])
  // The query has 21 nodes: two and three words may be read as one. 21 × 24 is below 512.
  expect(sizes(4, 24)).toEqual([[24, 24]])
  expect(sizes(4, 25)).toEqual([[25, 1]])
  // As phrases, the words have a node each: 8 × 64 is 512.
  const phrases = WORDS.map((word) => `"${word}"`).join(' ')
  expect(sizes(4, 64, phrases)).toEqual([[64, 64]])
  expect(sizes(4, 65, phrases)).toEqual([[65, 1]])
})
