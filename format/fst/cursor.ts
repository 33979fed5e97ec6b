// Walks keys in order · page: ./FST.md
//
// Frames exist only for nodes with arcs left to take; chains cost nothing on the way back. Ordinals
// need no decoding: after the first, each key is one more.
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

/** A frame: the node, its next arc, the length of the key that leads to the node. */
const FRAME_INTS = 3
/** No node is open: the next key is found through the frames. */
const CLOSED = -1

/**
 * A pull cursor over the keys of a dictionary in byte order. Before the first `next` it stands
 * before the first key. Nothing is allocated per key; `bytes` is overwritten by the next one.
 */
export class FstCursor {
  readonly fst: Fst
  /** The current key is `bytes[0, length)`. */
  readonly bytes: Uint8Array
  length = 0
  /** Of the current key; -1 before the first. */
  ordinal = -1

  readonly #frames: Int32Array
  #frameTop = 0
  /** The node that the key in `bytes` leads to, whose arcs were not looked at; or `CLOSED`. */
  #node = CLOSED
  /** Whether a key that ends at the open node is still to be told. */
  #fresh = false
  /** The ordinal of the key that `next` tells next, and the end. */
  #following = 0
  #end = 0

  constructor(fst: Fst) {
    this.fst = fst
    this.bytes = new Uint8Array(fst.keyBytesMax)
    this.#frames = new Int32Array(fst.keyBytesMax * FRAME_INTS)
    this.rewind()
  }

  /** Goes before the first key. */
  rewind(): void {
    this.#start(0, this.fst.size)
  }

  /**
   * Goes before the first key that does not sort before `key[from, to)`. @throws CorruptionError
   */
  seek(key: Uint8Array, from = 0, to = key.length): void {
    this.#start(this.fst.lowerBound(key, from, to), this.fst.size)
    this.#node = this.#descend(key, from, to)
  }

  /** Goes before the keys that begin with `prefix[from, to)`; `next` ends after them. */
  seekPrefix(prefix: Uint8Array, from = 0, to = prefix.length): void {
    const range = this.fst.range(prefix, from, to)
    this.#start(range.from, range.to)
    if (range.from < range.to) this.#node = this.#descend(prefix, from, to)
  }

  /** Goes to the next key; false when there is none. @throws CorruptionError */
  next(): boolean {
    if (this.#following >= this.#end) return false
    const bytes = this.fst.bytes
    let node = this.#node
    if (node === CLOSED) node = this.#takeFrame()
    else if (this.#fresh && isFinal(bytes, node)) return this.#tell(node)
    else node = node === LEAF ? this.#takeFrame() : this.#takeFirst(node)
    while (!isFinal(bytes, node)) node = this.#takeFirst(node)
    return this.#tell(node)
  }

  #start(following: number, end: number): void {
    this.length = 0
    this.ordinal = -1
    this.#frameTop = 0
    this.#node = this.fst.root
    this.#fresh = true
    this.#following = following
    this.#end = end
  }

  #tell(node: number): true {
    this.#node = node
    this.#fresh = false
    this.ordinal = this.#following++
    return true
  }

  /** Takes the first arc of `node`; returns its target. */
  #takeFirst(node: number): number {
    const bytes = this.fst.bytes
    const header = bytes[node]!
    if (header >= FULL_NODE) return this.#takeArc(node, header, 0)
    this.#push(CHAIN_LABELS[header]!)
    return node - 1
  }

  /** Takes the next arc of the deepest node that has one. */
  #takeFrame(): number {
    if (this.#frameTop === 0) {
      refuse(FST_SECTION, this.fst.root, 'bad_value', `${this.#end} keys`, this.#following)
    }
    this.#frameTop -= FRAME_INTS
    const frames = this.#frames
    const node = frames[this.#frameTop]!
    this.length = frames[this.#frameTop + 2]!
    return this.#takeArc(node, this.fst.bytes[node]!, frames[this.#frameTop + 1]!)
  }

  #takeArc(node: number, header: number, arc: number): number {
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
   * Takes the arcs of `key`. Returns the node whose keys are the first not before it, or `CLOSED`.
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
      node = this.#takeArc(node, header, arc)
      if (label > key[i]!) return node
    }
    return node
  }

  #refuseLength(at: number): never {
    return refuse(FST_SECTION, at, 'bad_length', `keys of ${this.bytes.length}`, 'longer')
  }
}
