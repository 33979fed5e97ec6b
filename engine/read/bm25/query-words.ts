// The words of a query as scores see them: each with everything that matches it, and how much an
// occurrence of that counts.
import type { IdSet } from '../../../format/idset/index.ts'
import type { GraphNode, Phrase, QueryGraph, Term, TermSpace } from '../query-graph/index.ts'
import type { Scope, Word } from '../segment-text/index.ts'
import { KIND_FACTORS } from './limits.ts'

/** Words whose occurrences count alike. */
export type WordMatch = {
  readonly words: readonly Word[]
  readonly prefix: string | null
  /** Set instead of words. */
  readonly phrase: Phrase | null
  readonly scope: Scope
  readonly factor: number
}

export type QueryWord = {
  /** As shown: the word, a phrase in quotes. */
  readonly text: string
  /** Its matches with the largest factors first. */
  readonly matches: readonly WordMatch[]
  /** All documents of the view with any of them. */
  readonly docs: IdSet
  /** True if places that several matches share count once, with the largest factor. */
  readonly hasForms: boolean
  /** Returns the documents with a match of at most `typos` typos; other forms have none. */
  readonly docsWithin: (typos: Typos) => IdSet
}

type Typos = 0 | 1 | 2
export const TYPOS: readonly Typos[] = [0, 1, 2]

/** By number of typos: the mask of all levels up to it. */
const LEVELS = [0b001, 0b011, 0b111] as const

/** Returns the words of a query that occur in the view, in their order. */
export function queryWordsOf(graph: QueryGraph): QueryWord[] {
  const words: QueryWord[] = []
  for (const [, node] of graph.present()) words.push(wordOf(node))
  return words
}

function wordOf({ term }: GraphNode): QueryWord {
  const { space } = term
  const forms = term.stems()
  const hasForms = forms.length > 0
  return {
    text: term.phrase === null ? term.parts.join(' ') : `"${term.phrase.words.join(' ')}"`,
    matches:
      term.phrase === null ? matchesOf(term, space) : [phraseMatch(term.phrase, space, 'exact')],
    docs: term.docs(LEVELS[2], false),
    hasForms,
    docsWithin: (typos) => {
      const docs = term.docs(LEVELS[typos], false)
      return hasForms && typos === 0 ? docs.or(space.stemDocs(forms)) : docs
    },
  }
}

function matchesOf(term: Term, space: TermSpace): WordMatch[] {
  const matches: WordMatch[] = []
  const { scope, tolerantScope } = space
  const own = term.isNgram ? tolerantScope : scope
  const add = (
    words: readonly Word[],
    where: Scope,
    factor: number,
    prefix: string | null = null,
  ): void => {
    if (words.length === 0 && prefix === null) return
    matches.push({ words, prefix, phrase: null, scope: where, factor })
  }
  const { exact, prefixWords, wholePrefix, phrases } = term.zero()
  const { exact: whole, form, prefix, one, two } = KIND_FACTORS
  const forms = term.stems()
  // A prefix that is matched as a whole contains the word itself.
  const isInPrefix = wholePrefix !== null && forms.length === 0
  if (exact !== null) add([exact], own, isInPrefix ? whole - prefix : whole)
  for (const phrase of phrases) matches.push(phraseMatch(phrase, space, 'exact'))
  if (space.stemScope !== null) add(forms, space.stemScope, form)
  add(prefixWords, own, prefix)
  if (wholePrefix !== null) add([], own, prefix, wholePrefix)
  const derived = term.one()
  add(derived.words, tolerantScope, one)
  add(derived.parts, scope, one)
  for (const phrase of [...derived.splits, ...term.stemSynonyms()]) {
    matches.push(phraseMatch(phrase, space, 'one'))
  }
  if (derived.within !== null) add([derived.within], space.withinScope, one)
  add(term.two(), tolerantScope, two)
  return matches
}

const phraseMatch = (
  phrase: Phrase,
  { scope }: TermSpace,
  kind: keyof typeof KIND_FACTORS,
): WordMatch => ({ words: [], prefix: null, phrase, scope, factor: KIND_FACTORS[kind] })

/** Returns the documents of a match. */
export function docsOf(match: WordMatch, space: TermSpace): IdSet {
  const { phrase, prefix, scope, words } = match
  if (phrase !== null) return space.phraseDocs(phrase)
  if (prefix !== null) return space.index.prefixDocs(prefix, scope)
  return words.length === 1 ? space.index.docs(words[0]!, scope) : space.index.union(words, scope)
}
