// The query as the documents that it finds spell it: each word that no document has as typed is
// replaced by the word with typos by which a hit was found (docs/suggestions.md#corrections).
import type { DocId } from '../../../format/ids.ts'
import type { SearchRequest } from '../../model/index.ts'
import type { HitList } from '../answers/index.ts'
import type { SearchableView } from '../jobs/index.ts'
import { type QueryGraph, Term } from '../query-graph/index.ts'
import { type Prepared, type Query, readQuery } from '../retrieval/index.ts'
import { EVERYWHERE, type Scope, type Word } from '../segment-text/index.ts'
import { FieldTexts } from './field-texts.ts'
import { CORRECTION_HITS_MAX } from './limits.ts'
import { fieldsOf, shownScope } from './shown-fields.ts'
import { spellingIn } from './spelling.ts'

/** As typed: the word, words that it begins, and synonyms. */
const AS_TYPED = 0b001

/**
 * Returns the corrected query of a search, or null if none was requested or nothing is to be
 * corrected. `hits`: the best ones first.
 */
export function correctionOf(
  view: SearchableView,
  request: SearchRequest,
  { kind, scope }: Prepared,
  hits: HitList,
): string | null {
  if (!request.showCorrection || kind === 'semantic') return null
  const best: DocId[] = []
  for (let at = 0; at < hits.length && at < CORRECTION_HITS_MAX; at++)
    best.push(hits.documentAt(at))
  return correctedQuery(view, request, scope, best)
}

/** `scope` was checked before. */
function correctedQuery(
  view: SearchableView,
  request: SearchRequest,
  scope: Scope | null,
  hits: readonly DocId[],
): string | null {
  const { q } = request
  if (q === null || hits.length === 0) return null
  const query = readQuery(view, request, scope)
  const wrong = misspelled(query)
  if (wrong.length === 0) return null
  const speller = new Speller(view, query, shownScope(view, scope))
  let corrected = ''
  let copied = 0
  for (const { term, token } of wrong) {
    const spelled = speller.spelled(term, hits)
    if (spelled === null) continue
    const { start, end } = query.tokens[token]!
    corrected += q.slice(copied, start) + spelled
    copied = end
  }
  return copied === 0 ? null : corrected + q.slice(copied)
}

type Misspelled = { readonly term: Term; readonly token: number }

/**
 * Returns the words that no document has as typed, alone or joined with others, in their order.
 * Words of scripts without spaces are left out: they are cut by a dictionary, not typed so.
 */
function misspelled({ graph, parsed }: Query): readonly Misspelled[] {
  if (graph === null) return []
  const known = termsAsTyped(graph)
  const wrong: Misspelled[] = []
  for (const [, { idFirst, idLast, term }] of graph.present()) {
    const typed = parsed.terms[idFirst]!
    if (idFirst !== idLast || known.has(idFirst)) continue
    if (typed.kind === 'word' && !typed.isUnspaced) wrong.push({ term, token: typed.token })
  }
  return wrong.sort((a, b) => a.token - b.token)
}

/** Returns the numbers of the terms that documents have as typed. */
function termsAsTyped(graph: QueryGraph): ReadonlySet<number> {
  const known = new Set<number>()
  for (const [, { exactOnly, idFirst, idLast, term }] of graph.present()) {
    if (term.docs(AS_TYPED, exactOnly).isEmpty) continue
    for (let id = idFirst; id <= idLast; id++) known.add(id)
  }
  return known
}

class Speller {
  readonly #view: SearchableView
  readonly #query: Query
  readonly #scope: Scope
  readonly #texts: FieldTexts

  constructor(view: SearchableView, query: Query, scope: Scope | null) {
    this.#view = view
    this.#query = query
    this.#scope = scope ?? EVERYWHERE
    this.#texts = new FieldTexts(view, fieldsOf(view, scope))
  }

  /**
   * Returns the words of the first hit that the term matches with the fewest typos, or null. Words
   * that only begin with something near the typed word count if no hit has a whole one.
   */
  spelled(term: Term, hits: readonly DocId[]): string | null {
    const { form, parts, text } = term
    const source = { text, phrase: null, isPrefix: false, parts, form }
    const whole = term.isPrefix ? new Term(this.#query.space, source) : term
    return this.#in(whole, hits) ?? (term.isPrefix ? this.#in(term, hits) : null)
  }

  /** A word with one typo in any of the hits is meant rather than one with two in the first. */
  #in(term: Term, hits: readonly DocId[]): string | null {
    return (
      firstOf(hits, (id) => this.#nearest(term.one().words, term, id) ?? this.#split(term, id)) ??
      firstOf(hits, (id) => this.#nearest(term.two(), term, id))
    )
  }

  /** Of several words, one as long as the typed one is most probably meant. */
  #nearest(words: readonly Word[], term: Term, id: DocId): string | null {
    const { index } = this.#query.space
    const length = term.text!.length
    const away = ({ text }: Word): number => Math.abs(text.length - length)
    const found = words
      .filter((word) => index.docs(word, this.#scope).has(id))
      .sort((a, b) => away(a) - away(b) || b.frequencyMax - a.frequencyMax)
    if (found.length === 0) return null
    const lemmas = found.map(({ text }) => text)
    return spellingIn(this.#view, this.#texts, id, lemmas)
  }

  /** Several words that were typed as one. */
  #split(term: Term, id: DocId): string | null {
    for (const phrase of term.one().splits) {
      if (!this.#query.space.phraseDocs(phrase).has(id)) continue
      const words = phrase.words.map((word) => spellingIn(this.#view, this.#texts, id, [word]))
      if (words.every((word) => word !== null)) return words.join(' ')
    }
    return null
  }
}

function firstOf(hits: readonly DocId[], find: (id: DocId) => string | null): string | null {
  for (const id of hits) {
    const found = find(id)
    if (found !== null) return found
  }
  return null
}
