// Keys near a query word, in key order: the automaton and the dictionary walked together · page:
// ./LEVENSHTEIN.md
//
// Arcs on which the automaton dies are not taken, so only a small part of the dictionary is seen.
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
import { DEAD, DISTANCE_MAX, FAR, START } from './parametric.ts'
import { type FuzzyOptions, FuzzyPattern } from './pattern.ts'

/** A frame: node, next arc, key length and state at the node, ordinal of the node's first key. */
const FRAME_INTS = 5

/**
 * A pull cursor over the keys within reach of a query. Before the first `next` it stands before the first.
 * Nothing is allocated on the way; `bytes` is overwritten by the next key.
 */
export class FuzzyCursor {
  readonly fst: Fst
  /** The current key is `bytes[0, length)`. */
  readonly bytes: Uint8Array
  length = 0
  ordinal = -1
  /** Of the current key from the query, or of its nearest prefix. */
  distance = 0
  /** Whether the key's first code point is the query's. */
  sameFirst = false

  readonly #pattern: FuzzyPattern
  readonly #frames: Int32Array
  #frameTop = 0
  /** Where the walk goes on: the node whose arcs come next, the state there, its first key's ordinal. */
  #node: number
  #state = START
  #base = 0
  #begun = false
  /** The highest ordinal that a later arc led to; they must rise, which bounds the walk. */
  #highest = 0

  /** @param query a normalised word, at most `FUZZY_QUERY_BYTES_MAX` long in UTF-8. */
  constructor(fst: Fst, query: string, options: FuzzyOptions) {
    this.fst = fst
    this.#pattern = new FuzzyPattern(query, options)
    this.bytes = new Uint8Array(fst.keyBytesMax)
    this.#node = fst.root
    // A word that is near as a whole is at most so long; one that only begins near may be any length.
    const reach = (this.#pattern.length + DISTANCE_MAX + 1) * 4
    const depthMax = options.prefix ? fst.keyBytesMax : Math.min(reach, fst.keyBytesMax)
    this.#frames = new Int32Array(depthMax * FRAME_INTS)
  }

  /** Goes to the next key; false when there is none. @throws CorruptionError */
  next(): boolean {
    if (this.#begun) return this.#walk()
    this.#begun = true
    if (this.fst.size === 0) this.#node = LEAF
    else if (isFinal(this.fst.bytes, this.#node) && this.#pattern.emptyDistance !== FAR) {
      return this.#tell(this.#node, START, 0, 0, this.#pattern.emptyDistance)
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
    let arc = 0
    for (;;) {
      let next = DEAD
      let label = 0
      let target = LEAF
      if (node !== LEAF) {
        const header = bytes[node]!
        if (header < FULL_NODE) {
          label = CHAIN_LABELS[header]!
          next = pattern.step(state, label, key, length)
          target = node - 1
        } else {
          const count = arcCount(bytes, node, header)
          const labels = labelsOffset(node, header, count)
          for (; arc < count; arc++) {
            label = bytes[labels + arc]!
            next = pattern.step(state, label, key, length)
            if (next !== DEAD) break
          }
          if (next !== DEAD) {
            if (arc + 1 < count) this.#pushFrame(node, arc + 1, length, state, base)
            base += outputOf(bytes, header, labels, count, arc)
            if (arc > 0) this.#rise(node, base)
            target = targetOf(bytes, node, header, labels, count, arc)
          }
        }
      }
      if (next === DEAD) {
        if (this.#frameTop === 0) break
        this.#frameTop -= FRAME_INTS
        const at = this.#frameTop
        const frames = this.#frames
        node = frames[at]!
        arc = frames[at + 1]!
        length = frames[at + 2]!
        state = frames[at + 3]!
        base = frames[at + 4]!
        continue
      }
      if (length === key.length) this.#refuseLength(node)
      key[length++] = label
      node = target
      state = next
      arc = 0
      if (isFinal(bytes, node)) {
        const distance = pattern.distance(state)
        if (distance !== FAR) return this.#tell(node, state, base, length, distance)
      }
    }
    this.#node = LEAF
    return false
  }

  #tell(node: number, state: number, base: number, length: number, distance: number): true {
    this.#node = node
    this.#state = state
    this.#base = base
    this.ordinal = base
    this.length = length
    this.distance = distance
    this.sameFirst = this.#pattern.beginsSame(this.bytes, length)
    return true
  }

  #pushFrame(node: number, arc: number, length: number, state: number, base: number): void {
    const frames = this.#frames
    const at = this.#frameTop
    if (at === frames.length) this.#refuseLength(node)
    frames[at] = node
    frames[at + 1] = arc
    frames[at + 2] = length
    frames[at + 3] = state
    frames[at + 4] = base
    this.#frameTop = at + FRAME_INTS
  }

  /** Later arcs lead to higher ordinals: in bytes that say otherwise the walk could go on for ever. */
  #rise(node: number, ordinal: number): void {
    if (ordinal <= this.#highest || ordinal >= this.fst.size) {
      refuse(FST_SECTION, node, 'bad_order', `above ${this.#highest}`, ordinal)
    }
    this.#highest = ordinal
  }

  #refuseLength(at: number): never {
    return refuse(FST_SECTION, at, 'bad_length', `keys of ${this.bytes.length}`, 'longer')
  }
}
