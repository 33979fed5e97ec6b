// The order of documents that all rules rank equal: first those with the words of the query as they
// are spelled there (`résumé`, `C++`, `.NET`), then by id. Only the terms of other spellings in the index are
// read, so a query without any costs one look-up for each of its words.
import { IdSet } from '../../../format/idset/index.ts'
import { isGlue, spellingOf, spellingsOf, spellingTerm, type Token } from '../../text/index.ts'
import { QUERY_TERMS_MAX, type TermSpace } from '../query-graph/index.ts'
import type { TieOrder } from '../rank/index.ts'
import type { Word } from '../segment-text/index.ts'

/** Other spellings of one word that are read. */
const SPELLINGS_MAX = 100

export type SpelledWord = { readonly lemma: string; readonly spelling: string }

/** Returns the words of a query text with their spellings. */
export function spelledWords(text: string, tokens: readonly Token[]): SpelledWord[] {
  const words: SpelledWord[] = []
  for (const [i, { kind, lemma, start, end, script }] of tokens.entries()) {
    const isLatin = script === 'Latin' || script === 'Other'
    if (kind !== 'word' || lemma === '' || !isLatin) continue
    const dot = isDotBefore(tokens, i) ? '.' : ''
    const spelling = dot + spellingOf(text.slice(start, end)) + glueAt(text, end)
    words.push({ lemma, spelling })
    if (words.length === QUERY_TERMS_MAX) break
  }
  return words
}

/** Returns true if a dot stands before a word, and no word or dot before that. */
function isDotBefore(tokens: readonly Token[], word: number): boolean {
  const dot = tokens[word - 1]
  const before = tokens[word - 2]
  if (dot?.kind !== 'softSeparator' || dot.lemma !== '.') return false
  return before === undefined || (before.kind.endsWith('Separator') && before.lemma !== '.')
}

/** Returns the signs at `at` that belong to the spelling of the word before them. */
function glueAt(text: string, at: number): string {
  let end = at
  while (end < text.length && isGlue(text.charCodeAt(end))) end++
  const isWord = /[0-9A-Za-z\u0080-\uffff]/.test(text.charAt(end))
  return isWord ? '' : text.slice(at, end)
}

/** Returns the order, or null if the spellings of the query decide nothing. */
export function spellingOrder(words: readonly SpelledWord[], space: TermSpace): TieOrder | null {
  const spelled = words.flatMap(({ lemma, spelling }) => {
    const others: Word[] = []
    // Mostly false, and cheaper than a walk.
    if (!space.index.hasPrefixWords(spellingsOf(lemma), 1)) return []
    space.index.eachWithPrefix(spellingsOf(lemma), (word) => {
      return others.push(word) < SPELLINGS_MAX
    })
    if (spelling !== lemma) {
      const word = space.index.word(spellingTerm(lemma, spelling))
      return word === null ? [] : [space.index.docs(word, space.scope)]
    }
    const word = space.index.word(lemma)
    if (word === null) return []
    return [space.index.docs(word, space.scope).andNot(space.index.union(others, space.scope))]
  })
  return spelled.length === 0 ? null : new SpellingOrder(spelled)
}

class SpellingOrder implements TieOrder {
  readonly #spelled: readonly IdSet[]

  /** `spelled`: for each word the documents that have it as it is spelled in the query. */
  constructor(spelled: readonly IdSet[]) {
    this.#spelled = spelled
  }

  first(documents: IdSet, count: number): Uint32Array {
    const ids = new Uint32Array(Math.min(count, documents.size))
    let found = 0
    for (const group of this.groups(documents)) {
      if (found === ids.length) break
      const first = group.first(ids.length - found)
      ids.set(first, found)
      found += first.length
    }
    return ids
  }

  /** Returns the documents by the number of words that they have as spelled, most first. */
  groups(documents: IdSet): readonly IdSet[] {
    let levels = [documents]
    for (const docs of this.#spelled) {
      const next = levels.map((level) => level.andNot(docs))
      next.push(IdSet.empty)
      levels.forEach((level, i) => {
        next[i + 1] = next[i + 1]!.or(level.and(docs))
      })
      levels = next
    }
    return levels.reverse()
  }
}
