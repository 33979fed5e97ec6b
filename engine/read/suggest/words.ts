// Suggestions from the vocabulary of the index: words that complete the last word typed, in
// documents that have all words before it. If no word does, the nearest spelling may
// (docs/suggestions.md).
import { compareText } from '../../../format/bytes/index.ts'
import type { IdSet } from '../../../format/idset/index.ts'
import { originalPrefix, type Token } from '../../text/index.ts'
import {
  buildGraph,
  type ParsedQuery,
  phraseOf,
  Term,
  type WordTerm,
} from '../query-graph/index.ts'
import type { Word } from '../segment-text/index.ts'
import { FieldTexts } from './field-texts.ts'
import { frequentWithPrefix } from './frequent-words.ts'
import { RUN_WORDS_MAX, WORDS_COUNTED_MAX } from './limits.ts'
import { fieldsOf } from './shown-fields.ts'
import { spellingIn } from './spelling.ts'
import { type Suggestion, type Typed, unitsOf } from './typed.ts'

/** A word, and the documents that have it and all words before it. */
type Completion = { readonly word: Word; readonly docs: IdSet }

/** Documents in which the spelling of a word is searched. */
const SPELLINGS_READ_MAX = 3

/** Returns the best suggestions. */
export function wordSuggestions(typed: Typed): readonly Suggestion[] {
  const { terms } = typed.query.parsed
  const last = terms.at(-1)
  if (last?.kind !== 'word' || !last.prefix) return []
  const speller = new Speller(typed)
  const among = documentsWith(typed, terms.slice(0, -1))
  const run = runBefore(terms)
  if (run.length === 0) {
    return speller.suggestions(last, last.word, completionsOf(typed, last.word, among))
  }
  // The whole run may be the beginning of one word, which the dictionary has cut.
  const first = terms[terms.length - 1 - run.length] as WordTerm
  const joined = [...run, last.word].join('')
  const words = frequentWithPrefix(typed.query.space.index, joined, WORDS_COUNTED_MAX)
  const before = documentsWith(typed, terms.slice(0, -1 - run.length))
  return [
    ...speller.suggestions(first, joined, best(typed, words, before, typed.limit, false)),
    ...speller.suggestions(last, last.word, adjacent(typed, run, last.word, among)),
  ]
}

/** Returns the documents that have all of these words. */
function documentsWith({ query, universe }: Typed, terms: ParsedQuery['terms']): IdSet {
  const graph = buildGraph({ ...query.parsed, terms }, query.space)
  return graph === null ? universe : graph.docs(universe)
}

/**
 * Returns the words before the last one that belong to one stretch with it, in a script without
 * spaces.
 */
function runBefore(terms: ParsedQuery['terms']): readonly string[] {
  const run: string[] = []
  for (let i = terms.length - 1; i > 0; i--) {
    const [term, before] = [terms[i]!, terms[i - 1]!]
    if (term.kind !== 'word' || before.kind !== 'word') break
    if (!term.isUnspaced || term.joint !== 'none') break
    run.unshift(before.word)
  }
  return run
}

/** Returns the completions that documents have directly behind the words of a run, best first. */
function adjacent(
  typed: Typed,
  run: readonly string[],
  prefix: string,
  among: IdSet,
): readonly Completion[] {
  const { limit, query } = typed
  const words = frequentWithPrefix(query.space.index, prefix, WORDS_COUNTED_MAX)
  const found = best(typed, words, among, RUN_WORDS_MAX, false).map(({ docs, word }) => {
    const phrase = phraseOf([...run, word.text])
    return { word, docs: docs.and(query.space.phraseDocs(phrase)) }
  })
  return found
    .filter(({ docs }) => !docs.isEmpty)
    .sort(byHits)
    .slice(0, limit)
}

function completionsOf(typed: Typed, prefix: string, among: IdSet): readonly Completion[] {
  if (among.isEmpty) return []
  const { limit } = typed
  const { space } = typed.query
  const words = frequentWithPrefix(space.index, prefix, WORDS_COUNTED_MAX)
  const found = best(typed, words, among, limit, false)
  if (found.length > 0) return found
  // A word that is typed completely needs no other spelling.
  const exact = space.word(prefix)
  if (exact !== null && among.intersects(space.wordDocs(exact, false))) return []
  const term = new Term(space, { text: prefix, phrase: null, isPrefix: true, parts: [prefix] })
  const near = best(typed, mostFrequentFirst(term.one().words), among, limit, true)
  if (near.length > 0) return near
  return best(typed, mostFrequentFirst(term.two()), among, limit, true)
}

const mostFrequentFirst = (words: readonly Word[]): readonly Word[] =>
  words.toSorted((a, b) => b.frequencyMax - a.frequencyMax)

/**
 * Returns the words with the most documents of `among`, best first. `words`: the most frequent in
 * the index first, so that counting stops when no further one can be among them.
 */
function best(
  { control, query }: Typed,
  words: readonly Word[],
  among: IdSet,
  limit: number,
  hasTypos: boolean,
): Completion[] {
  let found: Completion[] = []
  for (const word of words) {
    const worst = found.length < limit ? 0 : found[limit - 1]!.docs.size
    if (word.frequencyMax < worst || control.isLate()) break
    const docs = among.and(query.space.wordDocs(word, hasTypos))
    if (docs.isEmpty || docs.size < worst) continue
    found.push({ word, docs })
    found.sort(byHits)
    found = found.slice(0, limit)
  }
  return found
}

const byHits = (a: Completion, b: Completion): number =>
  b.docs.size - a.docs.size ||
  a.word.text.length - b.word.text.length ||
  compareText(a.word.text, b.word.text)

class Speller {
  readonly #typed: Typed
  readonly #texts: FieldTexts

  constructor(typed: Typed) {
    this.#typed = typed
    this.#texts = new FieldTexts(typed.view, fieldsOf(typed.view, typed.scope))
  }

  /** Returns the typed text with each completion in place of `term` and what follows it. */
  suggestions(
    { token }: WordTerm,
    prefix: string,
    completions: readonly Completion[],
  ): readonly Suggestion[] {
    const before = this.#typed.text.slice(0, this.#typed.query.tokens[token]!.start)
    return completions.flatMap((completion) => this.#suggestion(before, prefix, completion) ?? [])
  }

  /**
   * Spells the word as a document does; in its normal form if it would be read as another word
   * then. Returns null if no search finds the text.
   */
  #suggestion(before: string, prefix: string, { docs, word }: Completion): Suggestion | null {
    const typed = this.#typed
    let spelled = this.#spelled(word, docs)
    const isSame = this.#tokens(before + spelled).at(-1)?.lemma === word.text
    if (!isSame && typed.hitsOf(before + spelled) === 0) {
      spelled = word.text
      if (typed.hitsOf(before + spelled) === 0) return null
    }
    const token = this.#tokens(spelled)[0]
    const characters = token === undefined ? 0 : originalPrefix(token, [...prefix].length).chars
    return {
      text: before + spelled,
      typed: before.length + unitsOf(spelled, characters),
      hits: docs.size,
      source: 'words',
    }
  }

  #spelled({ text }: Word, docs: IdSet): string {
    for (const id of docs.first(SPELLINGS_READ_MAX)) {
      const found = spellingIn(this.#typed.view, this.#texts, id, [text])
      if (found !== null) return found
    }
    return text
  }

  #tokens(text: string): readonly Token[] {
    const { locales, view } = this.#typed
    return view.search.analyzer.tokenize(text, locales, { charMaps: true })
  }
}
