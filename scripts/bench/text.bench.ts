// Text analysis: terms and positions for the index, tokens of a query.
import { Analyzer, DEFAULT_ANALYZER_SETTINGS, TermIndexer } from '../../engine/text/index.ts'
import type { Bench, Benchmark, Work } from './benchmark.ts'
import { makeWideText, makeWords, WordSource } from './data.ts'

const WORDS_A_TEXT = 60
const TEXTS = 1_000

/** `bytes` holds all texts; text i is bytes[ends[i − 1], ends[i]). */
function indexing(texts: readonly string[], words: number): Work {
  const encoder = new TextEncoder()
  const parts = texts.map((text) => encoder.encode(text))
  const indexer = new TermIndexer(new Analyzer(DEFAULT_ANALYZER_SETTINGS))
  return {
    operations: words,
    bytes: parts.reduce((sum, part) => sum + part.length, 0),
    run: () => {
      indexer.reset()
      for (const part of parts) indexer.index(part, 0, part.length, 0, null)
      return indexer.count
    },
  }
}

function english({ isSmoke }: Bench): Work {
  const source = new WordSource(makeWords(20_000), 11)
  const count = isSmoke ? 20 : TEXTS
  const texts = Array.from({ length: count }, () => source.text(WORDS_A_TEXT))
  return indexing(texts, count * WORDS_A_TEXT)
}

function wide(language: 'chinese' | 'japanese', { isSmoke }: Bench): Work {
  const count = isSmoke ? 5 : 200
  const texts = Array.from({ length: count }, (_, i) => makeWideText(language, WORDS_A_TEXT, i))
  return indexing(texts, count * WORDS_A_TEXT)
}

function query(): Work {
  const analyzer = new Analyzer(DEFAULT_ANALYZER_SETTINGS)
  const source = new WordSource(makeWords(20_000), 13)
  const queries = Array.from({ length: 200 }, (_, i) => source.text(1 + (i % 5)))
  return {
    operations: queries.length,
    bytes: null,
    run: () => {
      let tokens = 0
      for (const text of queries)
        tokens += analyzer.tokenize(text, null, { tokensMax: 1000 }).length
      return tokens
    },
  }
}

export const TEXT_BENCHMARKS: readonly Benchmark[] = [
  { name: 'text/english', about: 'terms of Latin text', operation: 'word', prepare: english },
  {
    name: 'text/chinese',
    about: 'terms of Chinese text',
    operation: 'word',
    prepare: (bench) => wide('chinese', bench),
  },
  {
    name: 'text/japanese',
    about: 'terms of Japanese text',
    operation: 'word',
    prepare: (bench) => wide('japanese', bench),
  },
  { name: 'text/query', about: 'tokens of a query', operation: 'query', prepare: query },
]
