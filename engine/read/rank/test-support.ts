// A naive model of ranking, one document at a time: the cost that each rule assigns to a document
// for a reading of the query (docs/search-semantics.md#ranking). For the tests of this folder.
import { compareText } from '../../../format/bytes/index.ts'
import { prefixDistance } from '../../../format/fst/distance.ts'
import { editDistance } from '../../../format/fst/index.ts'
import { type ModelNode, type ModelTerm, nodesOf, readingsFrom } from './test-query.ts'

/** Field → words, or a list of them; a word that ends a sentence is followed by `.`. */
export type ModelDocument = { readonly [field: string]: string | readonly string[] }

type Occurrence = {
  readonly field: string
  readonly word: string
  readonly position: number
  /** Where its list element begins; null outside of lists of several elements. */
  readonly element: number | null
}

/** The matches of a node at one typo level. */
type Level = {
  readonly words: ReadonlySet<string>
  readonly phrases: readonly (readonly string[])[]
}

const TYPO_LENGTHS = [5, 9]
const INFIX_LENGTH = 3
const WHOLE_PREFIX_WORDS = 100
const RARE_DOCUMENTS = 3
const SPLIT_PARTS = 5
export const PROXIMITY_FAR = 3
export const POSITION_FAR = 10
const POSITION_STEPS = [0, 1, 4, 7, 11, 16, 24, 64, 256, 1024]

/** The position bucket of a position. */
const bucketOf = (position: number): number => {
  if (position < 16) return position
  if (position < 24) return 24
  let bucket = 32
  while (bucket < position) bucket *= 2
  return bucket
}

const stepOf = (distance: number): number => {
  const step = POSITION_STEPS.findIndex((most) => distance <= most)
  return step < 0 ? POSITION_FAR : step
}

function occurrencesOf(document: ModelDocument): Occurrence[] {
  return Object.entries(document).flatMap(([field, value]) => {
    const texts = typeof value === 'string' ? [value] : value
    let start = 0
    return texts.flatMap((text) => {
      const found = wordsFrom(text, start).map((one) => ({
        field,
        ...one,
        element: texts.length > 1 ? start : null,
      }))
      start = (found.at(-1)?.position ?? start) + 8
      return found
    })
  })
}

type ModelOptions = {
  readonly weights: readonly string[]
  readonly typos: boolean
  /** True if query words are looked for inside of words, in all fields. */
  readonly infix?: boolean
}

function wordsFrom(text: string, start: number): { word: string; position: number }[] {
  let next = start
  return text
    .split(' ')
    .filter((word) => word !== '')
    .map((written) => {
      const position = next
      const ends = written.endsWith('.')
      next += ends ? 8 : 1
      return { word: ends ? written.slice(0, -1) : written, position }
    })
}

export class RankModel {
  readonly nodes: readonly ModelNode[]
  /** Lists of nodes that cover the query. */
  readonly readings: readonly (readonly ModelNode[])[]
  readonly #occurrences: readonly (readonly Occurrence[])[]
  readonly #vocabulary: readonly string[]
  readonly #weights: ReadonlyMap<string, number>
  readonly weightMax: number
  readonly #hasTypos: boolean
  readonly #hasInfix: boolean
  readonly #levels = new Map<ModelNode, Level[]>()

  constructor(
    documents: readonly ModelDocument[],
    terms: readonly ModelTerm[],
    isPrefix: boolean,
    { infix = false, typos, weights }: ModelOptions,
  ) {
    this.#occurrences = documents.map(occurrencesOf)
    const words = this.#occurrences.flatMap((all) => all.map(({ word }) => word))
    this.#vocabulary = [...new Set(words)].sort(compareText)
    this.#weights = new Map(weights.map((field, weight) => [field, weight]))
    const present = new Set(documents.flatMap((document) => Object.keys(document)))
    this.weightMax = Math.max(0, ...weights.map((field, w) => (present.has(field) ? w : 0)))
    this.#hasTypos = typos
    this.#hasInfix = infix
    this.nodes = nodesOf(terms, isPrefix)
    this.readings = readingsFrom(this.nodes, 0, terms.length)
  }

  has(word: string): boolean {
    return this.#vocabulary.includes(word)
  }

  /** The matches of a node, by typos. */
  levels(node: ModelNode): Level[] {
    let levels = this.#levels.get(node)
    if (levels === undefined) this.#levels.set(node, (levels = this.#makeLevels(node)))
    return levels
  }

  typosMax(node: ModelNode): number {
    if (node.text === null || !this.#hasTypos) return 0
    const typos = TYPO_LENGTHS.filter((least) => node.text!.length >= least).length
    return Math.max(0, typos - (node.parts.length - 1))
  }

  /** The largest typo cost of a node. */
  typoCostMax(node: ModelNode): number {
    return node.phrase !== null ? 0 : Math.max(1, this.typosMax(node))
  }

  #makeLevels(node: ModelNode): Level[] {
    const none: Level = { words: new Set(), phrases: [] }
    if (node.phrase !== null) return [{ words: new Set(), phrases: [node.phrase] }, none, none]
    const text = node.text!
    const most = this.typosMax(node)
    const found: Set<string>[] = [new Set(), new Set(), new Set()]
    for (const word of this.#vocabulary) {
      if (word === text || (node.isPrefix && word.startsWith(text))) found[0]!.add(word)
      if (this.#hasInfix && text.length >= INFIX_LENGTH && word.includes(text)) found[1]!.add(word)
      const distance = (node.isPrefix ? prefixDistance : editDistance)(text, word)
      if (distance === 0) continue
      const isFirst = word[0] === text[0]
      if (isFirst && distance <= most) found[distance]!.add(word)
      else if (!isFirst && most === 2 && distance === 1) found[2]!.add(word)
    }
    const isBegun = [...found[0]!].some((word) => word !== text)
    const isRare = !isBegun && this.#count([text]) <= RARE_DOCUMENTS
    const splits = this.#splits(node, isRare)
    return found.map((words, level) => ({ words, phrases: level === 1 ? splits : [] }))
  }

  /** The best split in two, and for a rare word those in the fewest further parts. */
  #splits(node: ModelNode, isRare: boolean): readonly (readonly string[])[] {
    const best = this.#split(node)
    const splits = best === null ? [] : [best]
    if (node.parts.length > 1 || !isRare) return splits
    const isPrefix = node.isPrefix && !this.has(node.text!)
    for (let parts = isPrefix && best === null ? 2 : 3; parts <= SPLIT_PARTS; parts++) {
      const counted = splitsInto(node.text!, parts)
        .filter((words) => !isPrefix || parts > 2 || words[1]!.length > 1)
        .map((words) => (isPrefix ? [...words.slice(0, -1), `${words.at(-1)}*`] : words))
        .map((words) => ({ words, count: this.#count(words) }))
        .filter(({ count }) => count > 0)
        .sort((a, b) => b.count - a.count)
      if (counted.length > 0) return [...splits, ...counted.map(({ words }) => words).slice(0, 8)]
    }
    return splits
  }

  /** Number of documents that hold these words as a phrase. */
  #count(words: readonly string[]): number {
    return this.#occurrences.filter((_, doc) => this.holdsPhrase(doc, words)).length
  }

  #split(node: ModelNode): readonly string[] | null {
    const text = node.text!
    let best: readonly string[] | null = null
    let most = 0
    for (let i = 1; i < text.length; i++) {
      const pair = [text.slice(0, i), text.slice(i)]
      const count = this.#occurrences.filter((all) => forward(all, pair[0]!, pair[1]!) === 1).length
      if (count <= most) continue
      best = pair
      most = count
    }
    const isOwn = best !== null && best.join(' ') === node.parts.join(' ')
    return isOwn && this.typosMax(node) < 2 ? null : best
  }

  /** Returns true if the word or phrase occurs as typed. */
  isExact(doc: number, node: ModelNode): boolean {
    if (node.phrase !== null) return this.holdsPhrase(doc, node.phrase)
    return this.#occurrences[doc]!.some(({ word }) => word === node.text)
  }

  /** `words`: the last one may end in a star, which stands for the rest of a word. */
  holdsPhrase(doc: number, words: readonly string[]): boolean {
    const all = this.#occurrences[doc]!
    const isWord = (written: string, word: string): boolean =>
      written.endsWith('*') ? word.startsWith(written.slice(0, -1)) : word === written
    return all.some(({ field, position }) =>
      words.every((written, i) =>
        all.some(
          (other) =>
            other.field === field && other.position === position + i && isWord(written, other.word),
        ),
      ),
    )
  }

  /** Returns true if the document contains the node at one of these levels. */
  matches(doc: number, node: ModelNode, levels: readonly number[]): boolean {
    return levels.some((level) => this.placesAt(doc, node, level).length > 0)
  }

  /** Occurrences of the node at a level; for a phrase those of its first word. */
  placesAt(doc: number, node: ModelNode, level: number): Occurrence[] {
    const all = this.#occurrences[doc]!
    const { words, phrases } = this.levels(node)[level]!
    const held = phrases.filter((phrase) => this.holdsPhrase(doc, phrase))
    return all.filter(({ word }) => words.has(word) || held.some((phrase) => phrase[0] === word))
  }

  /** The fewest typos with which a document contains the node, or null. */
  typos(doc: number, node: ModelNode): number | null {
    const level = [0, 1, 2].find((typos) => this.matches(doc, node, [typos]))
    return level ?? null
  }

  weight(doc: number, node: ModelNode): number {
    const places = [0, 1, 2].flatMap((level) => this.placesAt(doc, node, level))
    return Math.min(...places.map(({ field }) => this.#weights.get(field) ?? 0))
  }

  /** The cost of the nearest occurrence of the node, for each of its words. */
  position(doc: number, node: ModelNode): number {
    const places = [0, 1, 2].flatMap((level) => this.placesAt(doc, node, level))
    const ids = node.idLast - node.idFirst + 1
    const costs = places.map(({ position }) => {
      const distance = Math.abs(bucketOf(position) - node.position)
      let cost = 0
      for (let i = 0; i < ids; i++) cost += stepOf(distance + i)
      return cost
    })
    return Math.min(...costs)
  }

  /** The cost of the distance between two nodes, at most PROXIMITY_FAR. */
  proximity(doc: number, left: ModelNode, right: ModelNode): number {
    const all = this.#occurrences[doc]!
    let least = PROXIMITY_FAR
    for (const before of this.#ends(doc, left, 'last')) {
      for (const behind of this.#ends(doc, right, 'first')) {
        least = Math.min(least, forward(all, before.word, behind.word) - 1)
        if (before.isPhrase || behind.isPhrase || behind.isBegun) continue
        const back = forward(all, behind.word, before.word)
        if (back < PROXIMITY_FAR) least = Math.min(least, back)
      }
    }
    return least
  }

  /** The words that a node may begin or end with in a document. */
  #ends(doc: number, node: ModelNode, end: 'first' | 'last') {
    return this.levels(node).flatMap(({ words, phrases }, level) => {
      const isWhole = level === 0 && node.isPrefix && this.#isWholePrefix(node.text!, words)
      const singles = [...words]
        .filter((word) => !isWhole || end === 'first' || word === node.text)
        .map((word) => ({ word, isPhrase: false, isBegun: isWhole && word !== node.text }))
      const held = phrases.filter((phrase) => this.holdsPhrase(doc, phrase))
      const word = (phrase: readonly string[]) => (end === 'first' ? phrase[0] : phrase.at(-1))
      return [
        ...singles,
        ...held.map((phrase) => ({ word: word(phrase)!, isPhrase: true, isBegun: false })),
      ]
    })
  }

  /** A prefix of so many words counts only as the right side of a pair. */
  #isWholePrefix(text: string, words: ReadonlySet<string>): boolean {
    return text.length <= 4 && words.size >= WHOLE_PREFIX_WORDS
  }

  /** Returns true if a list element equals these nodes. */
  isExactElement(doc: number, nodes: readonly ModelNode[]): boolean {
    const words = this.#exactWords(nodes)
    return words !== null && exactElement(this.#occurrences[doc]!, words) === 'exactMatch'
  }

  /** Words with their positions, or null if nothing can equal the nodes. */
  #exactWords(nodes: readonly ModelNode[]): readonly PlacedWord[] | null {
    const known = nodes.filter((node) => node.phrase !== null || this.has(node.text!))
    const rows = known.filter((node) => node.parts.length <= 1)
    if (rows.length === 0 || rows.some((node, i) => node.idFirst !== i)) return null
    return rows.flatMap(({ phrase, text, position }) =>
      (phrase ?? [text!]).map((word, i) => ({ word, position: position + i })),
    )
  }

  /** Returns whether an attribute or a list element equals these nodes, or begins with them. */
  exactAttribute(doc: number, nodes: readonly ModelNode[]): Verdict {
    const words = this.#exactWords(nodes)
    if (words === null) return 'noExactMatch'
    const all = this.#occurrences[doc]!
    const inList = exactElement(all, words)
    const isPlaced = words.every(({ word, position }) =>
      all.some((one) => one.word === word && bucketOf(one.position) === bucketOf(position)),
    )
    if (!isPlaced || inList === 'exactMatch') return inList
    let verdict = inList
    for (const field of new Set(all.map((occurrence) => occurrence.field))) {
      const inField = all.filter((occurrence) => occurrence.field === field)
      if (!words.every(({ word }) => inField.some((other) => other.word === word))) continue
      if (inField.length === words.length && words.length <= 30) return 'exactMatch'
      verdict = 'matchesStart'
    }
    return verdict
  }
}

type PlacedWord = { readonly word: string; readonly position: number }
type Verdict = 'noExactMatch' | 'matchesStart' | 'exactMatch'

function exactElement(all: readonly Occurrence[], words: readonly PlacedWord[]): Verdict {
  let verdict: Verdict = 'noExactMatch'
  const inLists = all.filter(({ element }) => element !== null)
  for (const { field, element } of inLists) {
    const own = inLists.filter((one) => one.field === field && one.element === element)
    const isBegun = words.every(({ word, position }) =>
      own.some((one) => one.word === word && one.position === element! + position),
    )
    if (!isBegun) continue
    if (own.at(-1)!.position === element! + words.at(-1)!.position) return 'exactMatch'
    verdict = 'matchesStart'
  }
  return verdict
}

/** The ways to cut a text into parts, from the left. */
function splitsInto(text: string, parts: number): string[][] {
  if (parts === 1) return text === '' ? [] : [[text]]
  return Array.from(text, (_, i) => i + 1).flatMap((at) =>
    splitsInto(text.slice(at), parts - 1).map((rest) => [text.slice(0, at), ...rest]),
  )
}

/** The least distance 1..3 from one word to a later one in one field, else 4. */
function forward(all: readonly Occurrence[], left: string, right: string): number {
  let least = 4
  for (const a of all) {
    if (a.word !== left) continue
    for (const b of all) {
      const distance = b.position - a.position
      if (b.word === right && b.field === a.field && distance >= 1 && distance < least) {
        least = distance
      }
    }
  }
  return least
}
