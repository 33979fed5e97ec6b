// Suggestions from values: titles that begin with what is typed. They come from the best hits of a
// search for it, so values are not indexed a second time.
import type { Token } from '../../text/index.ts'
import { originalPrefix } from '../../text/index.ts'
import { KeywordRetriever } from '../retrieval/index.ts'
import { scopeOf } from '../segment-text/index.ts'
import { FieldTexts } from './field-texts.ts'
import { TITLE_UNITS_MAX, TITLES_READ_MAX } from './limits.ts'
import { titleFields } from './shown-fields.ts'
import { type Suggestion, type Typed, unitsOf } from './typed.ts'

/** Returns the titles of the best hits, best hit first; `areNamed`: see `titleFields`. */
export function titleSuggestions(typed: Typed, areNamed: boolean): readonly Suggestion[] {
  const { control, text: q, universe, view } = typed
  const fields = titleFields(view, typed.scope, areNamed)
  if (fields.length === 0) return []
  const query = typed.read(q, scopeOf(fields), true)
  if (query.graph === null) return []
  const options = { sort: [], distinctField: null, withScores: false, control }
  const retriever = new KeywordRetriever(view, typed.searchFor(q), query, options)
  const { hits } = retriever.retrieve(universe, {
    offset: 0,
    limit: TITLES_READ_MAX,
    finite: false,
  })
  const texts = new FieldTexts(view, fields)
  const titles = new Map<string, number>()
  for (const { id } of hits) {
    for (const { text, locales } of texts.of(id)) {
      const title = text.trim()
      if (title.length > TITLE_UNITS_MAX || titles.has(title)) continue
      const typedUnits = beginning(typed, title, typed.locales ?? locales)
      if (typedUnits !== null) titles.set(title, typedUnits)
    }
  }
  const found: Suggestion[] = []
  for (const [text, typedUnits] of titles) {
    const hits = typed.hitsOf(text)
    if (hits > 0) found.push({ text, typed: typedUnits, hits, source: 'titles' })
  }
  return found
}

/**
 * Returns how many UTF-16 units of a title are typed, or null if it does not begin with what is
 * typed. Normal forms are compared, and separators with each other; those before the first word
 * are left out.
 */
function beginning(
  { text, view }: Typed,
  title: string,
  locales: readonly string[] | null,
): number | null {
  const options = { charMaps: true, foldsAlike: true, ignoreStopWords: true }
  const tokenize = (of: string): readonly Token[] =>
    view.search.analyzer.tokenize(of, locales, options)
  let left = formOf(tokenize(text))
  let isFirst = true
  let isSeparated = false
  for (const token of tokenize(title)) {
    const isSeparator = token.kind !== 'word'
    if (isSeparator && (isFirst || isSeparated)) continue
    const form = isSeparator ? ' ' : token.lemma
    if (form.startsWith(left)) {
      if (isSeparator || form === left) return token.end
      const { chars } = originalPrefix(token, [...left].length)
      return token.start + unitsOf(title.slice(token.start), chars)
    }
    if (!left.startsWith(form)) return null
    left = left.slice(form.length)
    isFirst &&= isSeparator
    isSeparated = isSeparator
    if (left === '') return token.end
  }
  return null
}

/** Returns the normal forms of words, with one blank for the separators between them. */
function formOf(tokens: readonly Token[]): string {
  let form = ''
  for (const { kind, lemma } of tokens) {
    if (kind === 'word') form += lemma
    else if (form !== '' && !form.endsWith(' ')) form += ' '
  }
  return form
}
