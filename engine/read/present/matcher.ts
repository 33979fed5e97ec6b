// What of a query may be seen in a text: its words, what they were taken to stand for, its phrases
// · search semantics §15.3. Made when the ranking is done, because words with typos only count
// where a ranking rule has looked for them.
//
// Phrases go before words, words before prefixes; among equals the one that covers more of the
// query, then the one that stands first in it.

import { mapped } from '../../model/index.ts'
import { pointAt } from '../../text/index.ts'
import type { GraphNode, Phrase, QueryGraph, Term } from '../query/index.ts'
import { countPoints } from './points.ts'
import { PrefixRun } from './prefix-run.ts'
import { WordSet } from './word-set.ts'

/** What a match says of the query: the positions it covers, inclusive. */
export type Needle = {
  readonly positionFirst: number
  readonly positionLast: number
}

/** Words that follow each other, separators between them or not. */
export type PhraseNeedle = Needle & {
  /** Numbers in `Matcher.words`. */
  readonly words: readonly number[]
}

/** A word of the query that goes on in the text. */
class PrefixNeedle implements Needle {
  readonly positionFirst: number
  readonly positionLast: number
  /** Characters of the query word: so many are marked. */
  readonly chars: number
  /** What tokens may begin with, by typos. */
  readonly runs: readonly PrefixRun[]

  constructor(node: GraphNode, runs: readonly PrefixRun[]) {
    this.positionFirst = node.positionFirst
    this.positionLast = node.positionLast
    this.chars = countPoints(encoder.encode(node.term.text!))
    this.runs = runs
  }

  /** The word that bytes[0, length) begins with, or null. */
  find(bytes: Uint8Array, length: number): Uint8Array | null {
    for (let i = 0; i < this.runs.length; i++) {
      const word = this.runs[i]!.find(bytes, length)
      if (word !== null) return word
    }
    return null
  }
}

const PAIRS = 4096
const POINTS = 4096
/** The characters of numbers. */
const NUMBER = '0123456789+-.e'
const encoder = new TextEncoder()

export class Matcher {
  /** Whole words and words of phrases; other arrays are by their numbers. */
  readonly words = new WordSet()
  /** The needle of a word by itself. */
  readonly whole: (Needle | undefined)[] = []
  /** Phrases that begin with a word, in the order in which they are tried. */
  readonly phrases: (PhraseNeedle[] | undefined)[] = []
  /** In the order in which they are tried. */
  readonly prefixes: PrefixNeedle[] = []
  /** By byte: 1 where something that matches begins with it. */
  readonly firstBytes = new Uint8Array(256)
  /** By `pairOf` of the first two bytes; a word of one byte has 0 for the second. */
  readonly firstPairs = new Uint8Array(PAIRS)

  /** By the low bits of a code point, as `isFirst` reads it. */
  readonly #firstPoints = new Uint8Array(POINTS)

  /** `graph`: all readings of the query, nothing narrowed; null: nothing matches. */
  static of(graph: QueryGraph | null): Matcher {
    const matcher = new Matcher()
    if (graph === null) return matcher
    const nodes: GraphNode[] = []
    for (const node of graph.nodes) if (node !== null) nodes.push(node)
    nodes.sort((a, b) => span(b) - span(a))
    for (const node of nodes) matcher.#add(node)
    return matcher
  }

  /** Whether the text of a number may match. */
  get matchesNumbers(): boolean {
    for (let i = 0; i < NUMBER.length; i++)
      if (this.firstBytes[NUMBER.charCodeAt(i)] === 1) return true
    return false
  }

  /** Nothing matches anywhere. */
  get isEmpty(): boolean {
    return this.words.count === 0 && this.prefixes.length === 0
  }

  /** Whether something that matches may begin with a character. */
  isFirst(point: number): boolean {
    return this.#firstPoints[point & (POINTS - 1)] === 1
  }

  #add(node: GraphNode): void {
    const { term } = node
    for (const phrase of phrasesOf(term)) this.#addPhrase(phrase, node)
    if (term.phrase !== null) return
    const lists = wordsOf(term)
    if (term.isPrefix) this.#addPrefix(lists, node)
    else for (const list of lists) for (const word of list) this.#addWord(word, node)
  }

  #addWord(bytes: Uint8Array, node: GraphNode): void {
    const word = this.words.add(bytes)
    this.whole[word] ??= node
    this.#remember(bytes)
  }

  #addPrefix(lists: readonly (readonly Uint8Array[])[], node: GraphNode): void {
    const runs = lists.filter((list) => list.length > 0).map((list) => new PrefixRun(list))
    if (runs.length === 0) return
    this.prefixes.push(new PrefixNeedle(node, runs))
    for (const run of runs) {
      for (const word of run.words) {
        this.#remember(word)
        if (word.length === 1) this.#rememberAllPairs(word[0]!)
      }
    }
  }

  /**
   * A phrase with a gap matches no text: there the word that may be anything is a word like others.
   */
  #addPhrase(phrase: Phrase, node: GraphNode): void {
    const words: number[] = []
    if (phrase.words.length === 0) return
    for (const text of phrase.words) {
      if (text === null) return
      const bytes = encoder.encode(text)
      this.#remember(bytes)
      words.push(this.words.add(bytes))
    }
    const { positionFirst, positionLast } = node
    ;(this.phrases[words[0]!] ??= []).push({ positionFirst, positionLast, words })
  }

  #remember(bytes: Uint8Array): void {
    this.firstBytes[bytes[0]!] = 1
    this.firstPairs[pairOf(bytes[0]!, bytes[1] ?? 0)] = 1
    this.#firstPoints[pointAt(bytes, 0) & (POINTS - 1)] = 1
  }

  #rememberAllPairs(first: number): void {
    for (let second = 0; second < 64; second++) this.firstPairs[pairOf(first, second)] = 1
  }
}

/** Different pairs may share a number: it only tells what cannot match. */
export const pairOf = (first: number, second: number): number => ((first & 63) << 6) | (second & 63)

const span = (node: GraphNode): number => node.positionLast - node.positionFirst

function phrasesOf(term: Term): readonly Phrase[] {
  if (term.phrase !== null) return [term.phrase]
  const { phrases } = term.zero()
  const split = term.computed.one?.split ?? null
  return split === null ? phrases : [...phrases, split]
}

/** The words a term stands for as far as they are known, by typos; each list in byte order. */
function wordsOf(term: Term): Uint8Array[][] {
  const { exact, prefixWords } = term.zero()
  const zero = mapped(prefixWords, (word) => word.bytes)
  if (exact !== null) zero.unshift(exact.bytes)
  const { one, two } = term.computed
  const lists = [zero]
  if (one !== null) lists.push(mapped(one.words, (word) => word.bytes))
  if (two !== null) lists.push(mapped(two, (word) => word.bytes))
  return lists
}
