// Analyses some unknown documents and chooses roles for their fields: which one identifies a
// document, which one names it, which are useful for searches, filters and sorting.
import type { Hit } from './client.ts'

export type Field = {
  readonly name: string
  /** Number of documents in which it has a value. */
  readonly present: number
  /** Shares of its values, between 0 and 1. */
  readonly numbers: number
  readonly texts: number
  readonly distinct: number
  /** Words of a text on average. */
  readonly words: number
  /** The most frequent values first; numbers and booleans as text. */
  readonly top: readonly { readonly value: string; readonly count: number }[]
  readonly isBoolean: boolean
}

export type Roles = {
  /** The name of the identifying field, or null. */
  readonly primaryKey: string | null
  readonly title: string | null
  /** Best first. */
  readonly searchable: readonly string[]
  readonly facets: readonly Field[]
  readonly numbers: readonly Field[]
}

const FACET_VALUES_MAX = 60
const TOP_VALUES = 20
const DISTINCT_COUNTED_MAX = 20_000
const ID = /^[A-Za-z0-9_-]{1,511}$/
const TITLE_NAMES = ['title', 'name', 'label', 'headline', 'subject', 'heading']

/** Fields of `documents` in order of first appearance; members of objects are left out. */
export function surveyFields(documents: readonly Hit[]): Field[] {
  const names = new Set<string>()
  for (const document of documents) for (const name of Object.keys(document)) names.add(name)
  return [...names].map((name) => surveyField(name, documents))
}

function surveyField(name: string, documents: readonly Hit[]): Field {
  const counts = new Map<string, number>()
  let [present, values, numbers, texts, booleans, words] = [0, 0, 0, 0, 0, 0]
  for (const document of documents) {
    const value = document[name]
    if (value === undefined || value === null || value === '') continue
    present++
    for (const one of Array.isArray(value) ? value : [value]) {
      values++
      if (typeof one === 'number') numbers++
      else if (typeof one === 'boolean') booleans++
      else if (typeof one === 'string') {
        texts++
        words += wordsOf(one).length
      } else continue
      const key = String(one)
      if (counts.size < DISTINCT_COUNTED_MAX || counts.has(key)) {
        counts.set(key, (counts.get(key) ?? 0) + 1)
      }
    }
  }
  const share = (count: number): number => (values === 0 ? 0 : count / values)
  const top = [...counts]
    .map(([value, count]) => ({ value, count }))
    .sort((a, b) => b.count - a.count || (a.value < b.value ? -1 : 1))
    .slice(0, TOP_VALUES)
  return {
    name,
    present,
    numbers: share(numbers),
    texts: share(texts),
    distinct: counts.size,
    words: texts === 0 ? 0 : words / texts,
    top,
    isBoolean: values > 0 && booleans === values,
  }
}

export function rolesOf(fields: readonly Field[], documents: readonly Hit[]): Roles {
  const primaryKey = primaryKeyOf(fields, documents)
  const isUrl = ({ top }: Field): boolean => top.length > 0 && /^https?:\/\//.test(top[0]!.value)
  const texts = fields.filter((field) => {
    return field.texts > 0.5 && field.name !== primaryKey && !isUrl(field)
  })
  const byName = TITLE_NAMES.flatMap((name) => {
    return texts.filter((field) => field.name.toLowerCase() === name)
  })
  const varied = texts.filter((field) => field.distinct > documents.length / 2)
  const title = byName[0] ?? [...varied].sort((a, b) => a.words - b.words)[0] ?? null
  const searchable = [...texts].sort(
    (a, b) => Number(b === title) - Number(a === title) || a.words - b.words,
  )
  const facets = fields.filter((field) => {
    const repeats = field.distinct <= Math.min(FACET_VALUES_MAX, documents.length / 3)
    const short = field.words <= 4 && (field.texts > 0.5 || field.isBoolean)
    return field.name !== primaryKey && field.distinct > 1 && repeats && short
  })
  return {
    primaryKey,
    title: title?.name ?? null,
    searchable: searchable.map(({ name }) => name),
    facets,
    numbers: fields.filter((field) => field.numbers > 0.5 && field.name !== primaryKey),
  }
}

/** A field called like an id whose values are valid ids and differ from one another. */
function primaryKeyOf(fields: readonly Field[], documents: readonly Hit[]): string | null {
  const candidates = fields
    .filter(({ name }) => /id$/i.test(name))
    .sort((a, b) => Number(b.name === 'id') - Number(a.name === 'id'))
  for (const { name, present } of candidates) {
    if (present < documents.length) continue
    const values = documents.map((document) => document[name])
    if (!values.every(isValidId)) continue
    if (new Set(values.map(String)).size === documents.length) return name
  }
  return null
}

const isValidId = (value: unknown): boolean =>
  (typeof value === 'string' && ID.test(value)) || Number.isInteger(value)

/** Words of two characters and more, in lower case. */
export const wordsOf = (text: string): string[] =>
  text.toLowerCase().match(/\p{L}[\p{L}\p{M}]+/gu) ?? []
