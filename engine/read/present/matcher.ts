// The parts of a query that can be marked in a text: its words, the words they matched, its phrases
// (docs/search-semantics.md#matches-in-a-text). Built after ranking, because words with typos count
// only if a ranking rule has looked them up.
//
// Phrases are tried before words, words before prefixes, prefixes before texts inside of words; in a tie the one that covers more of the
// query, then the one that comes first in it.
import { encoder, equalBytes } from '../../../format/bytes/index.ts'
import { mapped } from '../../runtime/index.ts'
import { pointAt, unitsOfBeginning } from '../../text/index.ts'
import type { GraphNode, Phrase, QueryGraph, Term } from '../query-graph/index.ts'
import { countPoints } from './points.ts'
import { PrefixRun } from './prefix-run.ts'
import { WordSet } from './word-set.ts'

/** The positions of the query that a match covers, inclusive. */
export type Needle = {
  readonly positionFirst: number
  readonly positionLast: number
}

/** Words that follow each other, with or without separators between them. */
export type PhraseNeedle = Needle & {
  /** Numbers in `Matcher.words`. */
  readonly words: readonly number[]
  /** The number in `Matcher.tails` of the beginning of a further word, or NO_TAIL. */
  readonly tail: number
}

export const NO_TAIL = -1
/** A set of tails is a number of 31 bits; phrases with further tails are not marked. */
const TAILS_MAX = 31

/** A query word that matches the words that contain it. */
type WithinNeedle = Needle & { readonly bytes: Uint8Array }

/** A query word that matches words with this prefix. */
class PrefixNeedle implements Needle {
  readonly positionFirst: number
  readonly positionLast: number
  /** Characters of the query word: this many are marked. */
  readonly chars: number
  /** Possible prefixes of tokens, by number of typos. */
  readonly runs: readonly PrefixRun[]

  constructor(node: GraphNode, text: string, runs: readonly PrefixRun[]) {
    this.positionFirst = node.positionFirst
    this.positionLast = node.positionLast
    this.chars = countPoints(encoder.encode(text))
    this.runs = runs
  }

  /** Returns the prefix with which bytes[0, length) begins, or null. */
  find(bytes: Uint8Array, length: number): Uint8Array | null {
    for (let i = 0; i < this.runs.length; i++) {
      const word = this.runs[i]!.find(bytes, length)
      if (word !== null) return word
    }
    return null
  }
}

/** A query word that parts of words match. */
export class PartNeedle implements Needle {
  readonly positionFirst: number
  readonly positionLast: number
  readonly #text: string
  readonly #isPrefix: boolean

  constructor({ positionFirst, positionLast, term }: GraphNode) {
    this.positionFirst = positionFirst
    this.positionLast = positionLast
    this.#text = term.text!
    this.#isPrefix = term.isPrefix
  }

  /** Returns the units that are marked of a part with this normal form; 0 if it does not match. */
  unitsOf(part: string, lemma: string): number {
    if (lemma === this.#text) return part.length
    return this.#isPrefix && lemma.startsWith(this.#text) ? unitsOfBeginning(part, this.#text) : 0
  }
}

/** A query word that matches words with one of its stems. */
type StemNeedle = Needle & { readonly keys: ReadonlySet<string> }

const PAIRS = 4096
const POINTS = 4096
/** The characters of numbers. */
const NUMBER = '0123456789+-.e'

export class Matcher {
  /** Whole words and words of phrases; other arrays are indexed by their numbers. */
  readonly words = new WordSet()
  /** The needle of a single word. */
  readonly whole: (Needle | undefined)[] = []
  /** By first word: phrases in the order in which they are tried. */
  readonly phrases: (PhraseNeedle[] | undefined)[] = []
  /** In the order in which they are tried. */
  readonly prefixes: PrefixNeedle[] = []
  /** Texts that words may contain, in the order in which they are tried. */
  readonly within: WithinNeedle[] = []
  /** Words that match parts of words, tried where nothing else matches a word. */
  readonly parts: PartNeedle[] = []
  /** Words that match by their stems, tried where no word or beginning matches. */
  readonly stems: StemNeedle[] = []
  /** The beginnings of words with which phrases end. */
  readonly tails: Uint8Array[] = []
  /** By byte: 1 if a match may begin with it. */
  readonly firstBytes = new Uint8Array(256)
  /** By `pairOf` of the first two bytes; a word of one byte has 0 as the second. */
  readonly firstPairs = new Uint8Array(PAIRS)

  /** By the low bits of a code point, see `isFirst`. */
  readonly #firstPoints = new Uint8Array(POINTS)

  #infix: Matcher = this

  /** `graph`: the query graph with all readings; null matches nothing. */
  static of(graph: QueryGraph | null): Matcher {
    const matcher = new Matcher()
    const nodes = (graph?.nodes ?? []).filter((node) => node !== null)
    nodes.sort((a, b) => span(b) - span(a))
    for (const node of nodes) matcher.#add(node)
    const inside = nodes.filter(({ term }) => (term.computed.one?.within ?? null) !== null)
    if (inside.length === 0) return matcher
    const infix = new Matcher()
    for (const node of nodes) infix.#add(node)
    for (const node of inside) infix.#addWithin(node)
    matcher.#infix = infix
    return matcher
  }

  /**
   * The matcher for fields in which words are also found by a text inside of them: itself, if no
   * such words were looked up. It reads every word of a text.
   */
  get forInfixes(): Matcher {
    return this.#infix
  }

  /** True if the text of a number may match. */
  get matchesNumbers(): boolean {
    for (let i = 0; i < NUMBER.length; i++)
      if (this.firstBytes[NUMBER.charCodeAt(i)] === 1) return true
    return false
  }

  /** True if nothing can match. */
  get isEmpty(): boolean {
    const { parts, prefixes, stems, within, words } = this
    const further = parts.length + stems.length + within.length
    return words.count + prefixes.length + further === 0
  }

  /** Returns the needle of a beginning, part or stem, which are numbered in this order. */
  begun(number: number): Needle {
    const { parts, prefixes, stems } = this
    if (number < prefixes.length) return prefixes[number]!
    const further = number - prefixes.length
    return further < parts.length ? parts[further]! : stems[further - parts.length]!
  }

  /** Returns true if a match may begin with this character. */
  isFirst(point: number): boolean {
    return this.#firstPoints[point & (POINTS - 1)] === 1
  }

  #add(node: GraphNode): void {
    const { term } = node
    for (const phrase of phrasesOf(term)) this.#addPhrase(phrase, node)
    if (term.phrase !== null) return
    if ((term.computed.one?.parts ?? []).length > 0) this.parts.push(new PartNeedle(node))
    this.#addStems(node)
    const lists = wordsOf(term)
    if (term.isPrefix) this.#addPrefix(lists, node, term.text!)
    else for (const list of lists) for (const word of list) this.#addWord(word, node)
  }

  /** Stems count, like typos, only if a ranking rule has looked them up. */
  #addStems({ positionFirst, positionLast, term }: GraphNode): void {
    if (term.computed.one === null || term.stems().length === 0) return
    const keys = new Set(term.space.stemKeys(term.written!).map(({ key }) => key))
    this.stems.push({ positionFirst, positionLast, keys })
  }

  #addWord(bytes: Uint8Array, node: GraphNode): void {
    const word = this.words.add(bytes)
    this.whole[word] ??= node
    this.#addFirst(bytes)
  }

  #addPrefix(lists: readonly (readonly Uint8Array[])[], node: GraphNode, text: string): void {
    const runs = lists.filter((list) => list.length > 0).map((list) => new PrefixRun(list))
    if (runs.length === 0) return
    this.prefixes.push(new PrefixNeedle(node, text, runs))
    for (const run of runs) for (const word of run.words) this.#addBeginning(word)
  }

  /** A match may begin anywhere in a word, so no word is passed over for its beginning. */
  #addWithin({ positionFirst, positionLast, term }: GraphNode): void {
    this.within.push({ positionFirst, positionLast, bytes: encoder.encode(term.text!) })
    this.firstBytes.fill(1)
    this.firstPairs.fill(1)
    this.#firstPoints.fill(1)
  }

  #addPhrase({ isPrefix, words: texts }: Phrase, node: GraphNode): void {
    const words: number[] = []
    const last = texts.at(-1)
    if (last === undefined) return
    if (isPrefix && texts.length === 1) {
      this.#addPrefix([[encoder.encode(last)]], node, last)
      return
    }
    const tail = isPrefix ? this.#addTail(encoder.encode(last)) : NO_TAIL
    if (tail === TAILS_MAX) return
    for (const text of isPrefix ? texts.slice(0, -1) : texts) {
      const bytes = encoder.encode(text)
      this.#addFirst(bytes)
      words.push(this.words.add(bytes))
    }
    const { positionFirst, positionLast } = node
    ;(this.phrases[words[0]!] ??= []).push({ positionFirst, positionLast, words, tail })
  }

  /** Returns the number of a tail; TAILS_MAX if there are too many. */
  #addTail(bytes: Uint8Array): number {
    const known = this.tails.findIndex((tail) => equalBytes(tail, bytes))
    if (known >= 0 || this.tails.length === TAILS_MAX) return known >= 0 ? known : TAILS_MAX
    this.#addBeginning(bytes)
    return this.tails.push(bytes) - 1
  }

  /** Adds the beginning of a word, which may be the whole word. */
  #addBeginning(bytes: Uint8Array): void {
    this.#addFirst(bytes)
    if (bytes.length === 1) this.#addAllPairs(bytes[0]!)
  }

  #addFirst(bytes: Uint8Array): void {
    this.firstBytes[bytes[0]!] = 1
    this.firstPairs[pairOf(bytes[0]!, bytes[1] ?? 0)] = 1
    this.#firstPoints[pointAt(bytes, 0) & (POINTS - 1)] = 1
  }

  #addAllPairs(first: number): void {
    for (let second = 0; second < 64; second++) this.firstPairs[pairOf(first, second)] = 1
  }
}

/** Different pairs may share a number, so it only proves that something cannot match. */
export const pairOf = (first: number, second: number): number => ((first & 63) << 6) | (second & 63)

const span = (node: GraphNode): number => node.positionLast - node.positionFirst

function phrasesOf(term: Term): readonly Phrase[] {
  if (term.phrase !== null) return [term.phrase]
  const { phrases } = term.zero()
  const { one } = term.computed
  return one === null ? phrases : [...phrases, ...one.splits, ...term.stemSynonyms()]
}

/** The known words that a term matches, by number of typos; each list in byte order. */
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
