// Walks keys in order · page: ./FST.md
//
// A frame is stored only for a node that has further arcs, so chains need no frames. Ordinals need
// no decoding: each key has the ordinal of the key before it plus one.
import { refuse } from '../errors.ts'
import type { Fst } from './decode-v1.ts'
import {
  arcCount,
  CHAIN_LABELS,
  FST_SECTION,
  FULL_NODE,
  findLabelFrom,
  isFinal,
  LEAF,
  labelsOffset,
  targetOf,
} from './layout-v1.ts'

/** A frame: a node, the index of its next arc, the length of the key that leads to the node. */
const FRAME_INTS = 3
/** Value of `#node` when no node is open: the next key is found through the frames. */
const CLOSED = -1

/**
 * A pull cursor over the keys of a dictionary in byte order. Before the first `next` it is before
 * the first key. Nothing is allocated per key; the next key overwrites `bytes`.
 */
export class FstCursor {
  readonly fst: Fst
  /** The current key is `bytes[0, length)`. */
  readonly bytes: Uint8Array
  length = 0
  /** Ordinal of the current key; -1 before the first key. */
  ordinal = -1

  readonly #frames: Int32Array
  #frameTop = 0
  /** The node that the key in `bytes` leads to and whose arcs were not read yet, or `CLOSED`. */
  #node = CLOSED
  /** True while a key that ends at the open node was not returned yet. */
  #keyPending = false
  /** Ordinal of the key that `next` returns next. */
  #nextOrdinal = 0
  #end = 0

  constructor(fst: Fst) {
    this.fst = fst
    this.bytes = new Uint8Array(fst.keyBytesMax)
    this.#frames = new Int32Array(fst.keyBytesMax * FRAME_INTS)
    this.rewind()
  }

  /** Moves before the first key. */
  rewind(): void {
    this.#start(0, this.fst.size)
  }

  /** Moves before the first key that is not below `key[from, to)`. @throws CorruptionError */
  seek(key: Uint8Array, from = 0, to = key.length): void {
    this.#start(this.fst.lowerBound(key, from, to), this.fst.size)
    this.#node = this.#descend(key, from, to)
  }

  /**
   * Moves before the keys that begin with `prefix[from, to)`; `next` ends after the last of them.
   */
  seekPrefix(prefix: Uint8Array, from = 0, to = prefix.length): void {
    const range = this.fst.range(prefix, from, to)
    this.#start(range.from, range.to)
    if (range.from < range.to) this.#node = this.#descend(prefix, from, to)
  }

  /** Moves to the next key; returns false at the end. @throws CorruptionError */
  next(): boolean {
    if (this.#nextOrdinal >= this.#end) return false
    const bytes = this.fst.bytes
    let node = this.#node
    if (node === CLOSED) node = this.#followFrame()
    else if (this.#keyPending && isFinal(bytes, node)) return this.#emit(node)
    else node = node === LEAF ? this.#followFrame() : this.#followFirst(node)
    while (!isFinal(bytes, node)) node = this.#followFirst(node)
    return this.#emit(node)
  }

  #start(following: number, end: number): void {
    this.length = 0
    this.ordinal = -1
    this.#frameTop = 0
    this.#node = this.fst.root
    this.#keyPending = true
    this.#nextOrdinal = following
    this.#end = end
  }

  #emit(node: number): true {
    this.#node = node
    this.#keyPending = false
    this.ordinal = this.#nextOrdinal++
    return true
  }

  /** Follows the first arc of `node` and returns its target. */
  #followFirst(node: number): number {
    const bytes = this.fst.bytes
    const header = bytes[node]!
    if (header >= FULL_NODE) return this.#followArc(node, header, 0)
    this.#push(CHAIN_LABELS[header]!)
    return node - 1
  }

  /** Follows the next arc of the deepest node that has one. */
  #followFrame(): number {
    if (this.#frameTop === 0) {
      refuse(FST_SECTION, this.fst.root, 'bad_value', `${this.#end} keys`, this.#nextOrdinal)
    }
    this.#frameTop -= FRAME_INTS
    const frames = this.#frames
    const node = frames[this.#frameTop]!
    this.length = frames[this.#frameTop + 2]!
    return this.#followArc(node, this.fst.bytes[node]!, frames[this.#frameTop + 1]!)
  }

  #followArc(node: number, header: number, arc: number): number {
    const bytes = this.fst.bytes
    const count = arcCount(bytes, node, header)
    const labels = labelsOffset(node, header, count)
    if (arc + 1 < count) this.#pushFrame(node, arc + 1)
    this.#push(bytes[labels + arc]!)
    return targetOf(bytes, node, header, labels, count, arc)
  }

  #pushFrame(node: number, arc: number): void {
    const frames = this.#frames
    const top = this.#frameTop
    if (top === frames.length) this.#refuseLength(node)
    frames[top] = node
    frames[top + 1] = arc
    frames[top + 2] = this.length
    this.#frameTop = top + FRAME_INTS
  }

  #push(label: number): void {
    if (this.length === this.bytes.length) this.#refuseLength(this.#node)
    this.bytes[this.length++] = label
  }

  /**
   * Follows the arcs of `key`. Returns the node whose keys are the first that are not below it, or
   * `CLOSED`.
   */
  #descend(key: Uint8Array, from: number, to: number): number {
    const bytes = this.fst.bytes
    let node = this.fst.root
    for (let i = from; i < to; i++) {
      if (node === LEAF) return CLOSED
      const header = bytes[node]!
      if (header < FULL_NODE) {
        const label = CHAIN_LABELS[header]!
        if (label < key[i]!) return CLOSED
        if (label > key[i]!) return node
        this.#push(label)
        node--
        continue
      }
      const count = arcCount(bytes, node, header)
      const labels = labelsOffset(node, header, count)
      const arc = findLabelFrom(bytes, labels, count, key[i]!)
      if (arc === count) return CLOSED
      const label = bytes[labels + arc]!
      node = this.#followArc(node, header, arc)
      if (label > key[i]!) return node
    }
    return node
  }

  #refuseLength(at: number): never {
    return refuse(FST_SECTION, at, 'bad_length', `keys of ${this.bytes.length}`, 'longer')
  }
}
