// The data that whole systems are measured with: documents and the searches on them.
import { readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { type Random, randomOf } from '../../../engine/store/storage/index.ts'
import { ToolError } from '../../../tools/terminal/index.ts'
import { makeDocuments } from '../data.ts'

export type SystemDocument = { readonly [field: string]: unknown }

export type DataSet = {
  readonly name: string
  readonly documents: readonly SystemDocument[]
}

/** Searched fields, the most important one first. Every document has them; others are optional. */
export const FIELDS = ['title', 'overview'] as const
/** Fields for filters, facets and sorts, where documents have them. */
export const FACET = 'genres'
export const NUMBER = 'year'

/** A search for words; the classes have the names that the scripts of peers expect. */
export type Query = { readonly class: string; readonly q: string }

const QUERIES_PER_CLASS = 60

export const generatedData = (count: number): DataSet => ({
  name: 'invented films',
  documents: makeDocuments(count).map((document) => ({ ...document })),
})

/**
 * Reads `NAME=FILE`: NDJSON, also gzipped, of documents with `id`, `title` and `overview`.
 * @throws ToolError
 */
export function dataOf(words: string): DataSet {
  const at = words.indexOf('=')
  if (at < 1) throw new ToolError(`--data needs NAME=FILE, not ${words}`)
  const bytes = readFileSync(words.slice(at + 1))
  const text = (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString()
  const lines = text.split('\n').filter((line) => line !== '')
  const documents = lines.map((line) => JSON.parse(line) as SystemDocument)
  if (documents[0]?.['id'] === undefined || typeof documents[0][FIELDS[0]] !== 'string') {
    throw new ToolError('--data needs documents with the fields id and title')
  }
  return { name: words.slice(0, at), documents }
}

/** Searches for words of these documents, always the same ones, in an order that mixes classes. */
export function queriesOf({ documents }: DataSet): readonly Query[] {
  const random = randomOf(7)
  const queries: Query[] = []
  for (let i = 0; i < QUERIES_PER_CLASS; i++) {
    const [first = 'a', second = first] = wordsOf(random, documents, FIELDS[1])
    const [title = first] = wordsOf(random, documents, FIELDS[0])
    queries.push(
      { class: 'one_word', q: title },
      { class: 'two_words', q: `${first} ${second}` },
      { class: 'prefix', q: `${first} ${second.slice(0, 3)}` },
      { class: 'typo_1', q: swapped(random, first) },
      { class: 'exact_title', q: textOf(random, documents, FIELDS[0]) },
    )
  }
  return queries
}

const textOf = (random: Random, documents: DataSet['documents'], field: string): string => {
  const value = documents[random.below(documents.length)]![field]
  return typeof value === 'string' ? value : ''
}

/** Returns two neighbouring words of at least four letters of a random document, if it has them. */
function wordsOf(random: Random, documents: DataSet['documents'], field: string): string[] {
  const words =
    textOf(random, documents, field)
      .toLowerCase()
      .match(/\p{L}{4,}/gu) ?? []
  const at = random.below(Math.max(1, words.length - 1))
  return words.slice(at, at + 2)
}

/** Returns the word with two neighbouring letters swapped, not the first one. */
function swapped(random: Random, word: string): string {
  const at = 1 + random.below(Math.max(1, word.length - 2))
  return (
    word.slice(0, at) +
    word
      .slice(at, at + 2)
      .split('')
      .reverse()
      .join('') +
    word.slice(at + 2)
  )
}
