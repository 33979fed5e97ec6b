// Suggestions from the vocabulary of the index: words that complete the last word typed, in
// documents that have all words before it. If no word does, the nearest spelling may
// (docs/suggestions.md).
import { compareText } from '../../../format/bytes/index.ts'
import type { IdSet } from '../../../format/idset/index.ts'
import { originalPrefix } from '../../text/index.ts'
import { buildGraph, Term } from '../query-graph/index.ts'
import type { Word } from '../segment-text/index.ts'
import { FieldTexts } from './field-texts.ts'
import { frequentWithPrefix } from './frequent-words.ts'
import { WORDS_COUNTED_MAX } from './limits.ts'
import { fieldsOf } from './shown-fields.ts'
import { spellingIn } from './spelling.ts'
import { type Suggestion, type Typed, unitsOf } from './typed.ts'

/** A word, and the documents that have it and all words before it. */
type Completion = { readonly word: Word; readonly docs: IdSet }

/** Documents in which the spelling of a word is searched. */
const SPELLINGS_READ_MAX = 3

/** Returns at most as many suggestions as are requested, best first. */
export function wordSuggestions(typed: Typed): Suggestion[] {
  const { parsed, tokens, space } = typed.query
  const last = parsed.terms.at(-1)
  if (last?.kind !== 'word' || !last.prefix) return []
  const before = buildGraph({ ...parsed, terms: parsed.terms.slice(0, -1) }, space)
  const among = before === null ? typed.universe : before.docs(typed.universe)
  const texts = new FieldTexts(typed.view, fieldsOf(typed.view, typed.scope))
  const start = tokens[last.token]!.start
  return completionsOf(typed, last.word, among).flatMap(
    ({ word, docs }) => suggestionOf(typed, texts, start, last.word, word, docs) ?? [],
  )
}

function completionsOf(typed: Typed, prefix: string, among: IdSet): Completion[] {
  if (among.isEmpty) return []
  const { space } = typed.query
  const words = frequentWithPrefix(space.index, prefix, WORDS_COUNTED_MAX)
  const found = best(typed, words, among, false)
  if (found.length > 0) return found
  // A word that is typed completely needs no other spelling.
  const exact = space.word(prefix)
  if (exact !== null && among.intersects(space.wordDocs(exact, false))) return []
  const source = { text: prefix, phrase: null, isPrefix: true, parts: [prefix] }
  const term = new Term(space, source)
  const near = best(typed, mostFrequentFirst(term.one().words), among, true)
  return near.length > 0 ? near : best(typed, mostFrequentFirst(term.two()), among, true)
}

const mostFrequentFirst = (words: readonly Word[]): readonly Word[] =>
  words.toSorted((a, b) => b.frequencyMax - a.frequencyMax)

/**
 * Returns the words with the most documents of `among`, best first. `words`: the most frequent in
 * the index first, so that counting stops when no further one can be among them.
 */
function best(
  { limit, control, query }: Typed,
  words: readonly Word[],
  among: IdSet,
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

/**
 * Returns the typed text with its last word, which begins at `start`, replaced, as a document
 * spells it; in its normal form if that would be read as another word; null if no search finds it.
 */
function suggestionOf(
  typed: Typed,
  texts: FieldTexts,
  start: number,
  prefix: string,
  word: Word,
  docs: IdSet,
): Suggestion | null {
  const { locales, text, view } = typed
  const tokenize = (part: string) =>
    view.search.analyzer.tokenize(part, locales, { charMaps: true })
  let spelled = word.text
  for (const id of docs.first(SPELLINGS_READ_MAX)) {
    const found = spellingIn(view, texts, id, word.text)
    if (found === null) continue
    spelled = found
    break
  }
  const whole = (part: string): string => text.slice(0, start) + part
  const isSame = tokenize(whole(spelled)).at(-1)?.lemma === word.text
  if (!isSame && typed.hitsOf(whole(spelled)) === 0) spelled = word.text
  const suggested = whole(spelled)
  if (!isSame && typed.hitsOf(suggested) === 0) return null
  const token = tokenize(spelled)[0]
  const characters = token === undefined ? 0 : originalPrefix(token, [...prefix].length).chars
  return {
    text: suggested,
    typed: start + unitsOf(spelled, characters),
    hits: docs.size,
    source: 'words',
  }
}
