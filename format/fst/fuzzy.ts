// Finds keys near a query word, in key order, by walking the automaton and the dictionary together
// · page: ./LEVENSHTEIN.md
//
// Arcs on which the automaton dies are not followed, so only a small part of the dictionary is
// read.
import { withRoom } from '../bytes/index.ts'
import { refuse } from '../errors.ts'
import type { Fst } from './decode-v1.ts'
import {
  arcCount,
  CHAIN_LABELS,
  FST_SECTION,
  FULL_NODE,
  isFinal,
  LEAF,
  labelsOffset,
  outputOf,
  targetOf,
} from './layout-v1.ts'
import { BASE_SHIFT, DEAD, FAR, ID_BITS, ID_MASK, START } from './parametric.ts'
import { type FuzzyOptions, FuzzyPattern } from './pattern.ts'

/**
 * An arc to follow: its target, the state there, the first ordinal there, key length × 256 + label.
 */
const ENTRY_INTS = 4
/** Initial capacity of the stack, enough for the arcs of most walks. */
const ENTRIES_MIN = 128

/**
 * A pull cursor over the keys within the distance of a query. Before the first `next` it is before
 * the first key. Nothing is allocated per key; the next key overwrites `bytes`.
 */
export class FuzzyCursor {
  readonly fst: Fst
  /** The current key is `bytes[0, length)`. */
  readonly bytes: Uint8Array
  length = 0
  ordinal = -1
  /** Distance of the current key, or of its nearest prefix, from the query. */
  distance = 0
  /** Whether the current key begins with the query's first code point. */
  sameFirst = false

  readonly #pattern: FuzzyPattern
  /** A stack of arcs to follow, the next one on top. */
  #entries = new Int32Array(ENTRIES_MIN * ENTRY_INTS)
  #top = 0
  /**
   * Where the walk continues: the node whose arcs come next, the state there, its first key's
   * ordinal.
   */
  #node: number
  #state = START
  #base = 0
  #started = false

  /** @param query a normalised word of at most `FUZZY_QUERY_BYTES_MAX` bytes of UTF-8. */
  constructor(fst: Fst, query: string, options: FuzzyOptions) {
    this.fst = fst
    this.#pattern = new FuzzyPattern(query, options)
    this.bytes = new Uint8Array(fst.keyBytesMax)
    this.#node = fst.root
  }

  /** Moves to the next key; returns false at the end. @throws CorruptionError */
  next(): boolean {
    if (this.#started) return this.#walk()
    this.#started = true
    if (this.fst.size === 0) this.#node = LEAF
    else if (isFinal(this.fst.bytes, this.#node) && this.#pattern.emptyDistance !== FAR) {
      return this.#emit(this.#node, START, 0, 0, this.#pattern.emptyDistance)
    }
    return this.#walk()
  }

  #walk(): boolean {
    const bytes = this.fst.bytes
    const key = this.bytes
    const pattern = this.#pattern
    let node = this.#node
    let state = this.#state
    let base = this.#base
    let length = this.length
    for (;;) {
      const header = node === LEAF ? 0 : bytes[node]!
      if (node !== LEAF && header < FULL_NODE) {
        const label = CHAIN_LABELS[header]!
        state = pattern.step(state, label, key, length)
        if (state === DEAD) node = LEAF
        else {
          if (length === key.length) this.#refuseLength(node)
          key[length++] = label
          node--
        }
      } else {
        const before = this.#top
        if (node !== LEAF) this.#expand(node, header, state, base, length)
        if (this.#top === 0) break
        // After a dead end the next ordinal must be greater; otherwise damaged bytes could make the
        // walk endless.
        const least = this.#top > before ? base : base + 1
        this.#top -= ENTRY_INTS
        const entries = this.#entries
        const at = this.#top
        node = entries[at]!
        state = entries[at + 1]!
        base = entries[at + 2]!
        length = entries[at + 3]! >>> 8
        if (base < least || base >= this.fst.size) this.#refuseOrdinal(node, least, base)
        key[length - 1] = entries[at + 3]! & 0xff
      }
      if (isFinal(bytes, node) && state !== DEAD) {
        const distance = pattern.distance(state)
        if (distance !== FAR) return this.#emit(node, state, base, length, distance)
      }
    }
    this.#node = LEAF
    return false
  }

  /** Pushes the arcs of a full node on which the automaton lives, the first arc on top. */
  #expand(node: number, header: number, state: number, base: number, length: number): void {
    const bytes = this.fst.bytes
    const pattern = this.#pattern
    const count = arcCount(bytes, node, header)
    const labels = labelsOffset(node, header, count)
    if (length === this.bytes.length) this.#refuseLength(node)
    if (this.#top + count * ENTRY_INTS > this.#entries.length) this.#grow(count)
    const entries = this.#entries
    let top = this.#top
    // `pattern.step` inlined, with the parts that all arcs share computed once.
    const { rows, patterns, steps } = pattern
    const inTablesBelow = pattern.isPlain(state) ? 0x80 : 0
    const id = state & ID_BITS
    const shift = state >>> BASE_SHIFT
    const kept = state & ~ID_MASK
    for (let arc = count - 1; arc >= 0; arc--) {
      const label = bytes[labels + arc]!
      let next: number
      if (label < inTablesBelow) {
        const step = steps[id | patterns[rows[label]! + shift]!]!
        if (step === DEAD) continue
        next = kept + step
      } else {
        next = pattern.step(state, label, this.bytes, length)
        if (next === DEAD) continue
      }
      const target = targetOf(bytes, node, header, labels, count, arc)
      if (target === LEAF && pattern.distance(next) === FAR) continue
      entries[top] = target
      entries[top + 1] = next
      entries[top + 2] = base + outputOf(bytes, header, labels, count, arc)
      entries[top + 3] = ((length + 1) << 8) | label
      top += ENTRY_INTS
    }
    this.#top = top
  }

  #emit(node: number, state: number, base: number, length: number, distance: number): true {
    this.#node = node
    this.#state = state
    this.#base = base
    this.ordinal = base
    this.length = length
    this.distance = distance
    this.sameFirst = this.#pattern.beginsSame(this.bytes, length)
    return true
  }

  #grow(count: number): void {
    this.#entries = withRoom(this.#entries, this.#top + count * ENTRY_INTS)
  }

  #refuseOrdinal(at: number, least: number, got: number): never {
    return refuse(FST_SECTION, at, 'bad_order', `${least} to ${this.fst.size - 1}`, got)
  }

  #refuseLength(at: number): never {
    return refuse(FST_SECTION, at, 'bad_length', `keys of ${this.bytes.length}`, 'longer')
  }
}
