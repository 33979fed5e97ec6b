// The text of one view as one search uses it: the documents of words, prefixes and phrases in the
// fields of the search.
import { IdSet } from '../../../format/idset/index.ts'
import { mapped } from '../../runtime/index.ts'
import { stemOf, stemTerm, stopTerm } from '../../text/index.ts'
import { type PhrasePart, type Places, phraseMembers, phrasePlaces } from '../phrases/index.ts'
import { nearSets, type Scope, scopeOf, type TextIndex, type Word } from '../segment-text/index.ts'
import type { Phrase } from './phrase.ts'
import type { QueryStems, StemKey } from './query-stems.ts'
import type { TermRules } from './term-rules.ts'

export class TermSpace {
  readonly index: TextIndex
  readonly rules: TermRules
  /** Fields in which words match as typed. */
  readonly scope: Scope
  /** Fields in which words with typos match. */
  readonly tolerantScope: Scope
  #infixScope: Scope | null = null
  readonly #phraseDocs = new Map<string, IdSet>()
  readonly #stems: QueryStems | null
  readonly #prefixDocs = new Map<string, IdSet>()

  /**
   * `allFields` is called only if some fields match exactly and the scope is not restricted.
   * `stems`: null if no field has stems.
   */
  constructor(
    index: TextIndex,
    rules: TermRules,
    scope: Scope,
    allFields: () => readonly number[],
    stems: QueryStems | null = null,
  ) {
    this.index = index
    this.rules = rules
    this.scope = scope
    this.tolerantScope = scope
    this.#stems = stems
    if (rules.exactFields.length > 0) {
      const fields = (scope.fields ?? allFields()).filter((f) => !rules.exactFields.includes(f))
      this.tolerantScope = { key: `t${fields.join(',')}`, fields }
    }
  }

  /** False if an occurrence may be in a field in which it does not count. */
  get readsAllFields(): boolean {
    if (this.rules.infix !== null || this.stemScope !== null) return false
    return this.scope.fields === null && this.tolerantScope === this.scope
  }

  /** Returns the word with this lemma, which may be a stop word; null if no document has it. */
  word(lemma: string): Word | null {
    const word = this.index.word(lemma)
    return word !== null || !this.rules.hasStopWords ? word : this.index.word(stopTerm(lemma))
  }

  /**
   * Returns the documents with the word in `scope`, or in `tolerantScope` if `tolerant`; such a word
   * fulfils `isTolerant`.
   */
  wordDocs(word: Word, tolerant: boolean): IdSet {
    return this.index.docs(word, tolerant ? this.tolerantScope : this.scope)
  }

  unionDocs(words: readonly Word[], tolerant: boolean): IdSet {
    if (words.length === 1) return this.wordDocs(words[0]!, tolerant)
    return this.index.union(words, tolerant ? this.tolerantScope : this.scope)
  }

  /**
   * Returns the documents with one of the words that contain a text, in fields whose words are
   * searched for it. These words may have no typos in them: fields and numbers without typos count.
   */
  withinDocs(words: Word): IdSet {
    const scope = this.withinScope
    return scope.fields?.length === 0 ? IdSet.empty : this.index.docs(words, scope)
  }

  /** The searched fields in which words are found by a text inside of them. */
  get withinScope(): Scope {
    this.#infixScope ??= this.#makeInfixScope()
    return this.#infixScope
  }

  /** Returns a word of the query as typed; null if no field has stems. */
  written(token: number): string | null {
    return this.#stems?.written(token) ?? null
  }

  stemKeys(written: string): readonly StemKey[] {
    return this.#stems?.keysOf(written) ?? []
  }

  /** Returns the synonyms of other words with the stems of these, as lists of words. */
  stemSynonyms(words: readonly string[]): readonly (readonly string[])[] {
    const { synonyms } = this.rules
    if (this.#stems === null || synonyms.size === 0) return []
    return this.#stems.synonymKeysOf(words, synonyms).flatMap((key) => synonyms.get(key)!)
  }

  /** Returns the terms of documents whose words share a stem with a word as typed. */
  stemWords(written: string): readonly Word[] {
    const words = new Set<Word>()
    for (const { key, isOwn } of this.stemKeys(written)) {
      const stem = this.index.word(stemTerm(key))
      const own = isOwn ? this.index.word(stemOf(key)) : null
      if (stem !== null) words.add(stem)
      if (own !== null) words.add(own)
    }
    return [...words]
  }

  /** Returns the documents with one of these terms in fields with stems. */
  stemDocs(words: readonly Word[]): IdSet {
    return this.stemScope === null ? IdSet.empty : this.index.union(words, this.stemScope)
  }

  /** The searched fields that have stems; null for none. */
  get stemScope(): Scope | null {
    return this.#stems?.scope ?? null
  }

  #makeInfixScope(): Scope {
    const { fields: searched } = this.scope
    const fields = this.rules.infix?.fields ?? []
    return scopeOf(searched === null ? fields : fields.filter((f) => searched.includes(f)))
  }

  /** Returns true if the word has an occurrence that may match with typos. */
  isTolerant(word: Word): boolean {
    if (this.rules.exactNumbers && isNumber(word.text)) return false
    const { exactFields } = this.rules
    return exactFields.length === 0 || this.index.occursOutside(word, exactFields)
  }

  prefixDocs(prefix: string, tolerant: boolean): IdSet {
    const scope = tolerant ? this.tolerantScope : this.scope
    const key = `${scope.key}\u0000${prefix}`
    let docs = this.#prefixDocs.get(key)
    if (docs === undefined) {
      docs = this.index.prefixDocs(prefix, scope)
      this.#prefixDocs.set(key, docs)
    }
    return docs
  }

  /**
   * Returns the documents that contain a phrase
   * (docs/search-semantics.md#words-that-match-a-query-word). Cached for the search.
   */
  phraseDocs(phrase: Phrase): IdSet {
    let docs = this.#phraseDocs.get(phrase.key)
    if (docs === undefined) {
      docs = this.#findPhrase(phrase)
      this.#phraseDocs.set(phrase.key, docs)
    }
    return docs
  }

  /** Returns the words that may stand at one place of a phrase. */
  phrasePart(phrase: Phrase, place: number): PhrasePart {
    const lemma = phrase.words[place]!
    const isPrefix = phrase.isPrefix && place === phrase.words.length - 1
    const isBehindBreak = phrase.breaks.length > 0 && phrase.breaks.includes(place)
    const words: Word[] = []
    const word = isPrefix ? null : this.index.word(lemma)
    if (word !== null) words.push(word)
    if (this.rules.hasStopWords) this.#addStopWords(lemma, isPrefix, words)
    return { words, prefix: isPrefix ? lemma : null, isBehindBreak }
  }

  /** Returns the places of a phrase in ascending `ids`: see `phrasePlaces`. */
  phrasePlaces(phrase: Phrase, ids: Uint32Array): Places {
    const { rules, scope } = this
    const parts = mapped(phrase.words, (_, place) => this.phrasePart(phrase, place))
    return phrasePlaces(this.index, { parts, fields: scope.fields, byWord: rules.pairsByWord }, ids)
  }

  #addStopWords(lemma: string, isPrefix: boolean, words: Word[]): void {
    const term = stopTerm(lemma)
    const word = this.index.word(term)
    if (word !== null) words.push(word)
    if (!isPrefix) return
    this.index.eachWithPrefix(term, (begun) => words.push(begun) < STOP_WORDS_MAX)
  }

  #findPhrase(phrase: Phrase): IdSet {
    const { rules, scope } = this
    const parts = mapped(phrase.words, (_, place) => this.phrasePart(phrase, place))
    let docs = this.#partDocs(parts[0]!)
    for (let i = 1; i < parts.length && !docs.isEmpty; i++) {
      docs = docs.and(this.#partDocs(parts[i]!))
    }
    if (docs.isEmpty || parts.length < 2) return docs
    const isPair = parts.length === 2 && !parts[1]!.isBehindBreak && scope.fields === null
    if (isPair) return this.#pairDocs(parts[0]!, parts[1]!, docs)
    if (docs.size > PLACES_READ_MAX) {
      for (const [left, right] of pairsOf(parts)) {
        docs = this.#pairDocs(left, right, docs)
        if (docs.isEmpty) return docs
      }
    }
    const query = { parts, fields: scope.fields, byWord: rules.pairsByWord }
    return phraseMembers(this.index, query, docs)
  }

  #pairDocs(left: PhrasePart, right: PhrasePart, among: IdSet): IdSet {
    const byWord = this.rules.pairsByWord
    const pair = { left: left.words, right: right.words, rightPrefix: right.prefix, byWord }
    return nearSets(this.index, pair, among)[0] ?? IdSet.empty
  }

  #partDocs({ prefix, words }: PhrasePart): IdSet {
    const docs = words.length === 0 ? IdSet.empty : this.unionDocs(words, false)
    return prefix === null ? docs : docs.or(this.prefixDocs(prefix, false))
  }
}

/** Stop words that may stand for the typed beginning of one. */
const STOP_WORDS_MAX = 100
/**
 * If at most this many documents have all words of a phrase, their positions are read; of more, the
 * pairs of the phrase, which are cached, are read first.
 */
const PLACES_READ_MAX = 256

type PartPair = readonly [left: PhrasePart, right: PhrasePart]

/** Returns the neighbors in a phrase; those with the rarest word first: they leave the fewest. */
function pairsOf(parts: readonly PhrasePart[]): PartPair[] {
  const pairs: PartPair[] = []
  for (let i = 1; i < parts.length; i++) {
    if (!parts[i]!.isBehindBreak) pairs.push([parts[i - 1]!, parts[i]!])
  }
  const frequency = ({ prefix, words }: PhrasePart): number =>
    words.reduce((sum, word) => sum + word.frequencyMax, prefix === null ? 0 : Infinity)
  const rarest = ([left, right]: PartPair): number => Math.min(frequency(left), frequency(right))
  return pairs.sort((a, b) => rarest(a) - rarest(b))
}

/** Returns true for numeric characters and ASCII punctuation only. */
export const isNumber = (text: string): boolean => /^[\p{N}!-/:-@[-`{-~]+$/u.test(text)
