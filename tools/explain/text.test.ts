// An explained search as people read it: each kind of derivation, and the cuts of long lists.
import { expect, it } from 'vitest'
import { asIndexUid } from '../../format/ids.ts'
import { explainText } from './index.ts'

type Explained = Parameters<typeof explainText>[0]

const node = (change: Partial<Explained['nodes'][number]> = {}): Explained['nodes'][number] => ({
  node: 0,
  kind: 'word',
  text: 'quiet',
  isPrefix: false,
  typosMax: 1,
  from: 0,
  to: 0,
  next: [1],
  documents: 3,
  exact: null,
  prefixWords: { count: 0, words: [] },
  wholePrefix: false,
  synonyms: [],
  oneTypo: null,
  splits: [],
  parts: [],
  stems: [],
  twoTypos: null,
  within: null,
  ...change,
})
const words = (count: number, ...all: readonly string[]) => ({
  count,
  words: all.map((word, at) => ({ word, documents: at + 1 })),
})
const EMPTY: Explained = {
  index: asIndexUid('films'),
  query: null,
  documents: 1,
  filtered: 1,
  found: 0,
  degraded: false,
  start: [],
  nodes: [],
  negative: [],
  rules: [],
  openings: [],
  openingsLeftOut: 0,
  hits: [],
  stages: [{ stage: 'open', ms: 9.994 }],
}

it('a search without words has no graph', () => {
  expect(explainText(EMPTY)).toMatchInlineSnapshot(`
    "films: "" · 1 document, 1 pass the filter, 0 found

    no words: documents are ordered by values only

    no rules: documents are in order of id

    no hits

    stages
      stage     time
      open   9.99 ms
    "
  `)
})

it('a word without typos says that they were not searched, a phrase has none', () => {
  const text = explainText({ ...EMPTY, nodes: [node(), node({ node: 1, kind: 'phrase' })] })
  expect(text.match(/words with typos were not searched/g)).toHaveLength(1)
})

it('a search with words has a graph, derivations, rules and hits', () => {
  const opening = { depth: 1, rule: 'typo', documents: 1200, buckets: [] }
  const bucket = (documents: number) => ({ documents, score: {} as never, ms: 0 })
  const explained: Explained = {
    ...EMPTY,
    query: 'quiet "sea star"',
    documents: 1200,
    filtered: 1100,
    found: 1000,
    degraded: true,
    start: [0, 1],
    negative: ['old', 'grey'],
    nodes: [
      node({
        isPrefix: true,
        exact: 2,
        wholePrefix: true,
        prefixWords: words(3, 'quieter', 'quietly'),
        synonyms: ['calm', 'still'],
        oneTypo: words(1, 'quite'),
        splits: ['qui et'],
        parts: ['disquiet'],
        stems: ['quiet'],
        twoTypos: words(1, 'quote'),
        within: 5,
      }),
      node({ node: 1, kind: 'phrase', text: 'sea star', from: 1, to: 2, next: [2], documents: 1 }),
    ],
    rules: [{ rule: 'words', openings: 1, buckets: 2, ms: 10 }],
    openings: [
      { depth: 0, rule: 'words', documents: 1000, buckets: [bucket(600), bucket(400)] },
      { ...opening, buckets: Array.from({ length: 13 }, () => bucket(1)) },
      ...Array.from({ length: 39 }, () => opening),
    ],
    openingsLeftOut: 2,
    hits: [
      { document: 'a', score: 0.5 },
      { document: 'b'.repeat(31), score: null },
      ...Array.from({ length: 11 }, () => ({ document: 'c', score: null })),
    ],
  }
  const text = explainText(explained)
  expect(text.replace(/(?: {4}typo of 1,200: none\n)+/, '    …\n')).toMatchInlineSnapshot(`
    "films: "quiet "sea star"" · 1,200 documents, 1,100 pass the filter, 1,000 found, cut short by its time limit

    graph, from 0 1
      node  is a    text        words  typos  leads to
      0     word    "quiet"…    0      1      1
      1     phrase  "sea star"  1–2    1      end
      without: "old", "grey"

    derivations
      "quiet": 3 documents as typed
        the word itself (2)
        every word with this prefix, as a whole
        with this prefix, 3 words: quieter 1, quietly 2, …
        synonyms: "calm", "still"
        one typo, 1 word: quite 1
        split: "qui et"
        part of a word: "disquiet"
        same stem: "quiet"
        two typos, 1 word: quote 1
        inside of words: 5 documents
      "sea star": 1 document as typed

    rules
      rule   calls  buckets   time
      words      1        2  10 ms

    buckets
      words of 1,000: 600 | 400
        typo of 1,200: 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 | 1 …
        …
      … and 3 more

    hits: a (0.5000), bbbbbbbbbbbbbbbbbbbbbbbbbbbbb…, c, c, c, c, c, c, c, c, c, c, …

    stages
      stage     time
      open   9.99 ms
    "
  `)
  expect(text.match(/typo of 1,200: none/g)).toHaveLength(38)
  const few = { ...explained, openings: explained.openings.slice(0, 40), openingsLeftOut: 0 }
  expect(explainText(few)).not.toContain('more')
  expect(explainText({ ...few, hits: explained.hits.slice(0, 12) })).not.toContain('c, …')
})
