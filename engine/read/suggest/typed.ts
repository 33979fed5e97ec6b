// A typed text, read for the documents from which suggestions may come.
import type { IdSet } from '../../../format/idset/index.ts'
import { DEFAULT_SEARCH, type SearchRequest, type SuggestRequest } from '../../model/index.ts'
import type { SearchableView, SearchControl } from '../jobs/index.ts'
import { type Query, readQuery, withoutNegatives } from '../retrieval/index.ts'
import type { Scope } from '../segment-text/index.ts'

export type Suggestion = {
  readonly text: string
  /** UTF-16 units at its beginning that are typed already. */
  readonly typed: number
  /** Number of documents that have all of its words. */
  readonly hits: number
  readonly source: 'words' | 'titles'
}

export class Typed {
  readonly view: SearchableView
  readonly text: string
  readonly limit: number
  readonly locales: readonly string[] | null
  /** The fields that words and titles come from; null for all searchable ones. */
  readonly scope: Scope | null
  readonly query: Query
  /** The documents that pass the filter and contain no excluded word. */
  readonly universe: IdSet
  readonly control: SearchControl

  constructor(
    view: SearchableView,
    { q, limit, locales }: SuggestRequest,
    scope: Scope | null,
    filtered: IdSet,
    control: SearchControl,
  ) {
    this.view = view
    this.text = q.trimStart()
    this.limit = limit
    this.locales = locales
    this.scope = scope
    this.control = control
    this.query = this.read(this.text, scope, true)
    this.universe = withoutNegatives(this.query.parsed, this.query.space, filtered)
  }

  /** A search for `q` in which no word may be missing. */
  searchFor(q: string): SearchRequest {
    return { ...DEFAULT_SEARCH, q, locales: this.locales, matchingStrategy: 'all' }
  }

  /** `prefixes`: whether the last word may be a prefix; the setting does not decide. */
  read(q: string, scope: Scope | null, prefixes: boolean): Query {
    return readQuery(this.view, this.searchFor(q), scope, prefixes)
  }

  /**
   * Returns how many documents a search for `q` finds by its words as they are spelled; if it
   * finds no document, because the text is cut into other words than those of the documents, by all of its
   * readings.
   */
  hitsOf(q: string): number {
    const { graph, parsed, space } = this.read(q, this.scope, false)
    const universe = withoutNegatives(parsed, space, this.universe)
    let docs = universe
    for (const term of parsed.terms) {
      const word = term.kind === 'word' ? space.word(term.word) : null
      if (word !== null) docs = docs.and(space.wordDocs(word, false))
      else if (term.kind === 'phrase') docs = docs.and(space.phraseDocs(term.phrase))
      else return graph?.docs(universe).size ?? 0
    }
    return docs.isEmpty ? (graph?.docs(universe).size ?? 0) : docs.size
  }
}

/** Returns the first `count` characters of a text in UTF-16 units. */
export function unitsOf(text: string, count: number): number {
  let units = 0
  for (const character of text) {
    if (count-- <= 0) break
    units += character.length
  }
  return units
}
