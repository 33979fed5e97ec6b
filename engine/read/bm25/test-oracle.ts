// The scores of the rule `bm25` computed from texts, one document and word at a time, for tests.
import { prefixDistance } from '../../../format/fst/distance.ts'
import { editDistance } from '../../../format/fst/index.ts'

/** By field: texts of words between spaces. */
export type OracleDocument = { readonly [field: string]: string | readonly string[] }

export type OracleOptions = {
  readonly k1?: number
  readonly b?: number
  readonly weights?: { readonly [field: string]: number }
  readonly typos?: boolean
  /** Whether the last word may be the beginning of a word. */
  readonly isPrefix?: boolean
  readonly stopWords?: readonly string[]
}

const FACTORS = [1, 0.45, 0.2]
const PREFIX_FACTOR = 0.7

const wordsOf = (value: string | readonly string[] | undefined): string[] =>
  (typeof value === 'string' ? [value] : (value ?? [])).flatMap((text) =>
    text.split(' ').filter((word) => word !== ''),
  )

/** Returns the typos with which a word matches, and the factor of an occurrence; null for none. */
function match(query: string, word: string, isPrefix: boolean, typos: boolean) {
  if (word === query) return { typos: 0, factor: 1 }
  if (isPrefix && word.startsWith(query)) return { typos: 0, factor: PREFIX_FACTOR }
  const most = !typos || query.length < 5 ? 0 : query.length < 9 ? 1 : 2
  const distance = (isPrefix ? prefixDistance : editDistance)(query, word)
  const isFirst = query[0] === word[0]
  if (isFirst && distance <= most) return { typos: distance, factor: FACTORS[distance]! }
  if (!isFirst && most === 2 && distance === 1) return { typos: 2, factor: FACTORS[2]! }
  return null
}

/** Returns the score of each document. */
export function oracleScores(
  documents: readonly OracleDocument[],
  query: readonly string[],
  {
    k1 = 1.2,
    b = 0.75,
    weights = {},
    typos = true,
    isPrefix = true,
    stopWords = [],
  }: OracleOptions = {},
): number[] {
  const fields = [...new Set(documents.flatMap((document) => Object.keys(document)))]
  const counted = (document: OracleDocument, field: string): string[] =>
    wordsOf(document[field]).filter((word) => !stopWords.includes(word))
  const averages = new Map(
    fields.map((field) => {
      const all = documents.reduce((sum, document) => sum + counted(document, field).length, 0)
      return [field, all / documents.length]
    }),
  )
  const scores = documents.map(() => 0)
  query.forEach((word, place) => {
    const begins = isPrefix && place === query.length - 1
    const frequencies = documents.map((document) => {
      let sum = 0
      for (const field of fields) {
        const words = counted(document, field)
        const norm = 1 - b + (b * words.length) / averages.get(field)!
        const occurrences = words.reduce(
          (found, one) => found + (match(word, one, begins, typos)?.factor ?? 0),
          0,
        )
        if (occurrences > 0) sum += ((weights[field] ?? weights['*'] ?? 1) * occurrences) / norm
      }
      return sum
    })
    const holding = [0, 1, 2].map(
      (most) =>
        documents.filter((document) =>
          fields.some((field) =>
            counted(document, field).some((one) => {
              const found = match(word, one, begins, typos)
              return found !== null && found.typos <= most
            }),
          ),
        ).length,
    )
    const n = holding.find((count) => count > 0) ?? 0
    const idf = Math.log(1 + (documents.length - n + 0.5) / (n + 0.5))
    frequencies.forEach((f, d) => {
      if (f > 0) scores[d]! += (idf * f) / (k1 + f)
    })
  })
  return scores
}
