// Reads a boolean query for one index: the documents that match its tree, and its words as a graph by
// which they are ranked (docs/search-semantics.md#boolean-queries). Ranking does not know the tree: words
// that documents may not have are left out, and of the others any may be missing, as with the
// matching strategy `any`.
import { IdSet } from '../../../format/idset/index.ts'
import type { SearchRequest } from '../../model/index.ts'
import type { Token } from '../../text/index.ts'
import { isBlank, type SearchableView } from '../jobs/index.ts'
import {
  buildGraph,
  type ParsedQuery,
  parseQuery,
  type QueryGraph,
  type TermSpace,
} from '../query-graph/index.ts'
import {
  type BooleanQuery,
  type FieldName,
  type Leaf,
  matching,
  parseBoolean,
  refuse,
} from '../query-syntax/index.ts'
import { type Scope, scopeOf } from '../segment-text/index.ts'

/** Positions between words that do not stand side by side, so that they are not read as one. */
const GAP = 8

type BooleanRequest = Pick<SearchRequest, 'q'> &
  Partial<Pick<SearchRequest, 'matchingStrategy' | 'querySyntax'>>

/** Returns null for a query in another syntax, or without text. @throws EngineFault invalid_search_q */
export function booleanQueryOf(
  { search }: SearchableView,
  { matchingStrategy, q, querySyntax }: BooleanRequest,
): BooleanQuery | null {
  if (querySyntax !== 'boolean' || q === null || isBlank(q)) return null
  const query = parseBoolean(q, matchingStrategy === 'any')
  for (const { field } of query.leaves) {
    if (field === null || search.maySearch(field.name)) continue
    refuse(q, field.from, `the attribute \`${field.name}\` is not searchable,`)
  }
  return query
}

/** Returns the text with blanks for everything but words and phrases, which keep their places. */
export function wordsAlone(text: string, { leaves }: BooleanQuery): string {
  let words = ''
  for (const { from, to } of leaves) words = words.padEnd(from) + text.slice(from, to)
  return words
}

export type BooleanParts = {
  /** The text of `wordsAlone`, and its tokens. */
  readonly text: string
  readonly tokens: readonly Token[]
  readonly needsAny: boolean
  /** Whether the last word may be a prefix. */
  readonly prefixSearch: boolean
  readonly space: TermSpace
  /** Returns the space of the attributes that a name stands for. */
  readonly spaceOf: (field: FieldName) => TermSpace
}

export type ReadBoolean = {
  readonly parsed: ParsedQuery
  readonly graph: QueryGraph | null
  /** Returns the documents of a set that match. */
  readonly matching: (universe: IdSet) => IdSet
}

type Term = ParsedQuery['terms'][number]
type Part = {
  readonly terms: readonly Term[]
  readonly space: TermSpace
  readonly hasWords: boolean
}

export function readBoolean(query: BooleanQuery, parts: BooleanParts): ReadBoolean {
  const { space } = parts
  const read = new Map<Leaf, Part>()
  const terms: Term[] = []
  const spaces: TermSpace[] = []
  let position = 0
  let from = 0
  for (const leaf of query.leaves) {
    while (from < parts.tokens.length && parts.tokens[from]!.start < leaf.from) from++
    const part = partOf(leaf, from, parts)
    read.set(leaf, part)
    if (leaf.isNegated) continue
    for (const term of part.terms) {
      terms.push({ ...term, first: term.first + position, last: term.last + position })
      spaces.push(part.space)
    }
    position = (terms.at(-1)?.last ?? 0) + GAP
  }
  const hasWords = [...read.values()].some((part) => part.hasWords)
  const docsOf = (leaf: Leaf, universe: IdSet): IdSet | null => {
    const part = read.get(leaf)!
    if (part.terms.length === 0 || (hasWords && !part.hasWords)) return null
    if (leaf.isNegated) return exactDocs(part, universe, parts.needsAny)
    const graph = buildGraph(part, part.space)!
    return parts.needsAny ? graph.anyDocs(universe) : graph.docs(universe)
  }
  const parsed: ParsedQuery = { terms, negativeWords: [], negativePhrases: [] }
  return {
    parsed,
    graph: buildGraph(parsed, space, (term) => spaces[term]!),
    matching: (universe) =>
      query.tree === null
        ? universe
        : (matching(query.tree, universe, (leaf) => docsOf(leaf, universe)) ?? universe),
  }
}

/** `from`: the number of the first token. */
function partOf(leaf: Leaf, from: number, parts: BooleanParts): Part {
  let end = from
  while (end < parts.tokens.length && parts.tokens[end]!.start < leaf.to) end++
  const tokens = parts.tokens.slice(from, end)
  const isTyped = parts.prefixSearch && leaf.to === parts.text.length
  const terms = parseQuery(tokens, isTyped, true).terms.map((term) =>
    term.kind === 'word' ? { ...term, token: from + term.token } : term,
  )
  const space = leaf.field === null ? parts.space : parts.spaceOf(leaf.field)
  const hasWords = leaf.kind === 'phrase' || tokens.some(({ kind }) => kind === 'word')
  return { terms, space, hasWords }
}

/** Returns the documents with all or any of the words, as typed: those to exclude have no typos. */
function exactDocs({ space, terms }: Part, universe: IdSet, needsAny: boolean): IdSet {
  const each = terms.map((term) => {
    if (term.kind === 'phrase') return space.phraseDocs(term.phrase)
    const word = space.word(term.word)
    return word === null ? IdSet.empty : space.wordDocs(word, false)
  })
  return needsAny
    ? each.reduce((all, one) => all.or(one)).and(universe)
    : each.reduce((left, one) => left.and(one), universe)
}

/** Returns the fields of both; null stands for all. */
export const sharedScope = (a: Scope | null, b: Scope | null): Scope | null =>
  a === null || b === null ? (a ?? b) : scopeOf(a.fields!.filter((id) => b.fields!.includes(id)))
