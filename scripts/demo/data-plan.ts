// A demo over unknown documents: derives settings from their fields, and searches from their words.
import { basename } from 'node:path'
import { DemoError, type Hit } from './client.ts'
import { type Field, type Roles, rolesOf, surveyFields, wordsOf } from './data-fields.ts'
import { readLines } from './data-file.ts'
import type { DemoPlan, DemoSearch } from './plan.ts'

const SAMPLE_DOCUMENTS = 2_000
/** Added to documents without an identifying field. */
const OWN_KEY = 'documentId'

export async function dataPlan(path: string): Promise<DemoPlan> {
  const sample: Hit[] = []
  for await (const line of readLines(path)) {
    sample.push(parseDocument(line, path))
    if (sample.length >= SAMPLE_DOCUMENTS) break
  }
  if (sample.length === 0) throw new DemoError(`${path} holds no documents.`)
  const roles = rolesOf(surveyFields(sample), sample)
  const facets = roles.facets.map(({ name }) => name)
  const numbers = roles.numbers.map(({ name }) => name)
  const { title, primaryKey } = roles
  return {
    uid: uidOf(path),
    primaryKey: primaryKey ?? OWN_KEY,
    origin: basename(path),
    settings: {
      searchableAttributes: roles.searchable.length === 0 ? ['*'] : roles.searchable,
      filterableAttributes: [...facets, ...numbers],
      sortableAttributes: [...numbers, ...(title === null ? [] : [title])],
    },
    lines: primaryKey === null ? numbered(readLines(path), path) : readLines(path),
    searches: searchesFor(sample, roles),
    mustFind: false,
    nameOf: (hit) => String(hit[title ?? primaryKey ?? OWN_KEY] ?? hit[primaryKey ?? OWN_KEY]),
  }
}

/** Returns searches that find something in `sample`: the same ones for the same documents. */
export function searchesFor(sample: readonly Hit[], roles: Roles): DemoSearch[] {
  const searches: DemoSearch[] = []
  const add = (about: string, request: DemoSearch['request'], detail?: string) =>
    searches.push({ about, request, ...(detail === undefined ? {} : { detail }) })
  const word = frequentWord(sample, roles.title, 7) ?? frequentWord(sample, roles.searchable[0], 5)
  if (word !== null) {
    add('a word', { q: word })
    add('a prefix', { q: word.slice(0, Math.max(3, word.length - 3)) })
    if (word.length >= 5) add('a typo', { q: misspelt(word) })
  }
  const longest = roles.searchable.at(-1)
  const run = longest === undefined ? null : runOfWords(sample, longest)
  if (run !== null) {
    add('several words', { q: run.join(' ') })
    add('a phrase', { q: `"${run.slice(0, 2).join(' ')}"` })
  }
  const facets = roles.facets.slice(0, 2).map(({ name }) => name)
  const facet = roles.facets[0]
  if (facet !== undefined) {
    const filter = `${quoted(facet.name)} = ${quoted(facet.top[0]!.value)}`
    add('filter, facets', { ...(word === null ? {} : { q: word.slice(0, 2) }), filter, facets })
  }
  const number = sortField(roles.numbers)
  if (number !== null) add('sort', { sort: [`${number}:desc`] }, number)
  add('everything', { ...(facets.length === 0 ? {} : { facets }) })
  return searches
}

/**
 * Returns a word of at least `length` letters that several documents share, except the most common
 * one.
 */
function frequentWord(sample: readonly Hit[], field: string | null | undefined, length: number) {
  if (field === null || field === undefined) return null
  const counts = new Map<string, number>()
  for (const document of sample) {
    for (const word of new Set(textsOf(document[field]).flatMap(wordsOf))) {
      if (word.length >= length) counts.set(word, (counts.get(word) ?? 0) + 1)
    }
  }
  const words = [...counts].sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1))
  return words[Math.min(3, words.length - 1)]?.[0] ?? null
}

/** Swaps two neighbouring letters near the middle; if all are equal, drops the last letter. */
export function misspelt(word: string): string {
  const letters = [...word]
  for (let at = letters.length >> 1; at + 1 < letters.length; at++) {
    if (letters[at] === letters[at + 1]) continue
    letters.splice(at, 2, letters[at + 1]!, letters[at]!)
    return letters.join('')
  }
  return letters.slice(0, -1).join('')
}

/** Returns three consecutive words of some document. */
function runOfWords(sample: readonly Hit[], field: string): string[] | null {
  for (const document of sample.slice(sample.length >> 1)) {
    for (const text of textsOf(document[field])) {
      const run = /\p{L}{4,}(?: \p{L}{3,}){2}/u.exec(text)?.[0].split(' ')
      if (run !== undefined) return run.map((word) => word.toLowerCase())
    }
  }
  return null
}

/** Numbers that people sort by. */
const SORTED_BY = /year|date|time|price|rating|score|popularity|votes|points|population|_at$/i

/** Returns a number field with such a name, else the one with the most distinct values. */
function sortField(numbers: readonly Field[]): string | null {
  const [best] = [...numbers].sort((a, b) => {
    const named = Number(SORTED_BY.test(b.name)) - Number(SORTED_BY.test(a.name))
    return named || b.distinct - a.distinct
  })
  return best?.name ?? null
}

const textsOf = (value: unknown): string[] =>
  (Array.isArray(value) ? value : [value]).filter((one) => typeof one === 'string')

const quoted = (text: string): string => `"${text.replace(/[\\"]/g, '\\$&')}"`

const uidOf = (path: string): string =>
  basename(path)
    .replace(/(?:\.[a-z]+)+$/i, '')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .slice(0, 100) || 'documents'

async function* numbered(lines: AsyncIterable<string>, path: string): AsyncIterable<string> {
  let number = 0
  for await (const line of lines) {
    yield JSON.stringify({ [OWN_KEY]: ++number, ...parseDocument(line, path) })
  }
}

function parseDocument(line: string, path: string): Hit {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch (error) {
    if (error instanceof SyntaxError) throw new DemoError(`${path}: ${error.message}`)
    throw error
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new DemoError(`${path}: a document is a JSON object, this is not: ${line.slice(0, 80)}`)
  }
  return value as Hit
}
