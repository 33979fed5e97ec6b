// The text layer of a segment: writing it term by term, reading postings of frequent and rare
// terms.

import { randomOf } from '../../engine/store/storage/index.ts'
import { Frame } from '../../format/frame/index.ts'
import { IdSet } from '../../format/idset/index.ts'
import {
  LengthsBuilder,
  mergeText,
  Occurrences,
  TEXT_KIND,
  TextReader,
  TextWriter,
} from '../../format/postings/index.ts'
import type { Bench, Benchmark, Work } from './benchmark.ts'
import { collector, makeIds, makeWords, sortedKeys } from './data.ts'

const DOCUMENTS = 50_000
const TERMS = 4_000

type Term = { readonly bytes: Uint8Array; readonly docs: Uint32Array; readonly packed: Uint32Array }

/** Creates terms with the frequencies of natural words, and a few occurrences in each document. */
function makeTerms({ isSmoke }: Bench): { terms: Term[]; ids: Uint32Array } {
  const documents = isSmoke ? 2_000 : DOCUMENTS
  const random = randomOf(7)
  const terms = sortedKeys(makeWords(isSmoke ? 200 : TERMS)).map((bytes, i): Term => {
    const rank = ((i * 7919) % TERMS) + 1
    const ids = makeIds(Math.max(1, Math.floor(documents / (2 + rank / 2))), documents, rank)
    const docs: number[] = []
    const packed: number[] = []
    for (const id of ids) {
      let position = random.below(40)
      for (let n = random.below(3); n >= 0; n--) {
        docs.push(id)
        packed.push((1 << 16) | position)
        position += 1 + random.below(30)
      }
    }
    return { bytes, docs: Uint32Array.from(docs), packed: Uint32Array.from(packed) }
  })
  return { terms, ids: Uint32Array.from({ length: documents }, (_, id) => id) }
}

function encoded(terms: readonly Term[], ids: Uint32Array): Uint8Array {
  const { sink, bytes } = collector()
  const writer = new TextWriter(ids, sink, 0)
  for (const { bytes: term, docs, packed } of terms) writer.term(term, docs, packed, 0, docs.length)
  writer.finish(new LengthsBuilder())
  return bytes()
}

const occurrencesOf = (terms: readonly Term[]): number =>
  terms.reduce((sum, { docs }) => sum + docs.length, 0)

function write(bench: Bench): Work {
  const { terms, ids } = makeTerms(bench)
  return {
    operations: occurrencesOf(terms),
    bytes: null,
    run: () => encoded(terms, ids).length,
  }
}

const readerOf = (terms: readonly Term[], ids: Uint32Array): TextReader =>
  TextReader.open(Frame.open(encoded(terms, ids), TEXT_KIND))

function occurrences(bench: Bench): Work {
  const { terms, ids } = makeTerms(bench)
  const reader = readerOf(terms, ids)
  const all = new Occurrences()
  return {
    operations: occurrencesOf(terms),
    bytes: null,
    run: () => {
      let sum = 0
      for (let ordinal = 0; ordinal < terms.length; ordinal++) {
        all.clear()
        reader.allOccurrences(ordinal, all)
        sum += all.starts[all.count]!
      }
      return sum
    },
  }
}

function documents(bench: Bench): Work {
  const { terms, ids } = makeTerms(bench)
  const reader = readerOf(terms, ids)
  const words = new Uint32Array((ids.length >>> 5) + 1)
  let postings = 0
  for (let i = 0; i < terms.length; i++) postings += reader.documentFrequency(i)
  return {
    operations: postings,
    bytes: null,
    run: () => {
      words.fill(0)
      for (let ordinal = 0; ordinal < terms.length; ordinal++) reader.orDocuments(ordinal, words)
      return words[words.length >>> 1]!
    },
  }
}

const MERGED_SEGMENTS = 24

/** Segments as an import leaves them: each has the next range of ids. */
function merge(bench: Bench): Work {
  const { terms, ids } = makeTerms(bench)
  const step = Math.ceil(ids.length / MERGED_SEGMENTS)
  const inputs: { readonly reader: TextReader; readonly dead: IdSet }[] = []
  for (let from = 0; from < ids.length; from += step) {
    const own = ids.subarray(from, from + step)
    const parts = terms.map(({ bytes, docs, packed }): Term => {
      const start = docs.findIndex((doc) => doc >= from)
      const next = docs.findIndex((doc) => doc >= from + step)
      const begin = start < 0 ? docs.length : start
      const end = next < 0 ? docs.length : next
      return { bytes, docs: docs.subarray(begin, end), packed: packed.subarray(begin, end) }
    })
    const present = parts.filter(({ docs }) => docs.length > 0)
    inputs.push({ reader: readerOf(present, own), dead: IdSet.empty })
  }
  return {
    operations: occurrencesOf(terms),
    bytes: null,
    run: () => {
      const { sink, bytes } = collector()
      mergeText(inputs, sink)
      return bytes().length
    },
  }
}

export const POSTINGS_BENCHMARKS: readonly Benchmark[] = [
  {
    name: 'postings/write',
    about: 'a text segment from sorted terms',
    operation: 'occurrence',
    prepare: write,
  },
  {
    name: 'postings/merge',
    about: `${MERGED_SEGMENTS} text segments into one`,
    operation: 'occurrence',
    prepare: merge,
  },
  {
    name: 'postings/occurrences',
    about: 'all positions of all terms',
    operation: 'occurrence',
    prepare: occurrences,
  },
  {
    name: 'postings/documents',
    about: 'the documents of all terms into one set',
    operation: 'posting',
    prepare: documents,
  },
]
