// Reads the dictionary in place · layout: ./layout-v1.ts · page: ./FST.md
//
// The checksum of the section is verified before a dictionary is opened, so the walks check only
// the properties that keep them inside the bytes and make them end: addresses strictly decrease,
// ordinals are below the key count, keys are no longer than the trailer says. Any other damage
// gives wrong values, never a hang. `verifyFst` in ./inspect.ts checks everything.

import { assert, refuse } from '../errors.ts'
import type { TermOrdinal } from '../ids.ts'
import {
  arcCount,
  CHAIN_LABELS,
  FINAL_BIT,
  FST_BYTES_MAX,
  FST_KEYS_MAX,
  FST_SECTION,
  FULL_NODE,
  findLabel,
  findLabelFrom,
  isFinal,
  LEAF,
  labelsOffset,
  outputOf,
  TRAILER_BYTES,
  targetOf,
} from './layout-v1.ts'

/** The ordinals `from` to `to` − 1. */
export type OrdinalRange = { readonly from: number; readonly to: number }

/** An immutable term dictionary. It reads the caller's bytes in place, so they must outlive it. */
export class Fst {
  /** Number of keys; ordinals are 0 to size − 1 in key order. */
  readonly size: number
  /** Length of the longest key in bytes; a buffer of this size fits every `keyOf`. */
  readonly keyBytesMax: number
  readonly nodeCount: number
  /** Address of the root node. Used by the walks of this folder. */
  readonly root: number
  /** The nodes without the trailer. Used by the walks of this folder. */
  readonly bytes: Uint8Array

  /** Opens a whole section body. The cost does not depend on its size. @throws CorruptionError */
  constructor(body: Uint8Array) {
    const end = body.length - TRAILER_BYTES
    if (end < 0) refuse(FST_SECTION, 0, 'bad_length', `at least ${TRAILER_BYTES}`, body.length)
    if (end > FST_BYTES_MAX) refuse(FST_SECTION, 0, 'bad_length', FST_BYTES_MAX, end)
    const trailer = new DataView(body.buffer, body.byteOffset + end, TRAILER_BYTES)
    this.size = trailer.getUint32(0, true)
    this.root = trailer.getUint32(4, true)
    this.nodeCount = trailer.getUint32(8, true)
    this.keyBytesMax = trailer.getUint16(12, true)
    // Always a plain Uint8Array, even if the body is a Buffer: the hot loops then see one array
    // class.
    this.bytes = new Uint8Array(body.buffer, body.byteOffset, end)
    this.#checkTrailer(end, trailer.getUint16(14, true))
  }

  #checkTrailer(end: number, reserved: number): void {
    const { size, root, nodeCount, keyBytesMax } = this
    const rootExpected = end === 0 ? LEAF : end - 1
    if (size > FST_KEYS_MAX) refuse(FST_SECTION, end, 'bad_value', FST_KEYS_MAX, size)
    if (root !== rootExpected) refuse(FST_SECTION, end + 4, 'bad_value', rootExpected, root)
    if (nodeCount > end || (nodeCount === 0) !== (end === 0)) {
      refuse(FST_SECTION, end + 8, 'bad_value', `at most ${end} nodes`, nodeCount)
    }
    // A path passes each node at most once, and each label of a key leads to another node or the
    // leaf.
    if (keyBytesMax > nodeCount) {
      refuse(FST_SECTION, end + 12, 'bad_value', `at most ${nodeCount}`, keyBytesMax)
    }
    if (end === 0 ? size > 1 : size === 0 || keyBytesMax === 0) {
      refuse(FST_SECTION, end, 'bad_value', 'keys where there are nodes', size)
    }
    if (reserved !== 0) refuse(FST_SECTION, end + 14, 'bad_value', 0, reserved)
  }

  /**
   * Returns the ordinal of `key[from, to)`, or -1. About 0.3 µs for a word. @throws CorruptionError
   */
  ordinalOf(key: Uint8Array, from = 0, to = key.length): number {
    if (this.size === 0 || to - from > this.keyBytesMax) return -1
    const bytes = this.bytes
    let at = this.root
    let ordinal = 0
    for (let i = from; i < to; i++) {
      if (at === LEAF) return -1
      const header = bytes[at]!
      if (header < FULL_NODE) {
        if (CHAIN_LABELS[header] !== key[i]) return -1
        at--
        continue
      }
      const count = arcCount(bytes, at, header)
      const labels = labelsOffset(at, header, count)
      const arc = findLabel(bytes, labels, count, key[i]!)
      if (arc < 0) return -1
      ordinal += outputOf(bytes, header, labels, count, arc)
      at = targetOf(bytes, at, header, labels, count, arc)
    }
    if (!isFinal(bytes, at)) return -1
    if (ordinal >= this.size) refuse(FST_SECTION, at, 'bad_value', `< ${this.size}`, ordinal)
    return ordinal
  }

  /**
   * Writes the key of `ordinal` into `out`, at least `keyBytesMax` bytes long, and returns its
   * length. @throws CorruptionError
   */
  keyOf(ordinal: TermOrdinal, out: Uint8Array): number {
    assert(ordinal >= 0 && ordinal < this.size, 'an ordinal is below the number of keys')
    const bytes = this.bytes
    let at = this.root
    let left = ordinal
    let length = 0
    while (at !== LEAF) {
      const header = bytes[at]!
      if (length === this.keyBytesMax) this.#refuseLength(at)
      if (header < FULL_NODE) {
        out[length++] = CHAIN_LABELS[header]!
        at--
        continue
      }
      if (left === 0 && (header & FINAL_BIT) !== 0) return length
      const count = arcCount(bytes, at, header)
      const labels = labelsOffset(at, header, count)
      const arc = arcOfOutput(bytes, header, labels, count, left)
      left -= outputOf(bytes, header, labels, count, arc)
      out[length++] = bytes[labels + arc]!
      at = targetOf(bytes, at, header, labels, count, arc)
    }
    if (left !== 0) refuse(FST_SECTION, this.root, 'bad_value', 'outputs that add up', left)
    return length
  }

  /** Returns a copy of the key of `ordinal`. */
  key(ordinal: TermOrdinal): Uint8Array {
    const out = new Uint8Array(this.keyBytesMax)
    return out.slice(0, this.keyOf(ordinal, out))
  }

  /**
   * Returns the ordinals of all keys that begin with `prefix[from, to)`; an empty prefix gives all
   * keys. @throws CorruptionError
   */
  range(prefix: Uint8Array, from = 0, to = prefix.length): OrdinalRange {
    const bytes = this.bytes
    let at = this.root
    let low = 0
    let high = this.size
    for (let i = from; i < to; i++) {
      if (at === LEAF || low === high) return { from: low, to: low }
      const header = bytes[at]!
      if (header < FULL_NODE) {
        if (CHAIN_LABELS[header] !== prefix[i]) return { from: low, to: low }
        at--
        continue
      }
      const count = arcCount(bytes, at, header)
      const labels = labelsOffset(at, header, count)
      const arc = findLabel(bytes, labels, count, prefix[i]!)
      if (arc < 0) return { from: low, to: low }
      const base = low
      low = base + outputOf(bytes, header, labels, count, arc)
      if (arc + 1 < count) high = base + outputOf(bytes, header, labels, count, arc + 1)
      if (low >= high || high > this.size) {
        refuse(FST_SECTION, at, 'bad_order', `ordinals that ascend to ${high}`, low)
      }
      at = targetOf(bytes, at, header, labels, count, arc)
    }
    return { from: low, to: high }
  }

  /**
   * Returns the number of keys that sort before `key[from, to)`, which is the ordinal of the first
   * key that does not, or `size`. @throws CorruptionError
   */
  lowerBound(key: Uint8Array, from = 0, to = key.length): number {
    const bytes = this.bytes
    let at = this.root
    let low = 0
    // End of the current node's ordinals: the result if all its keys sort before `key`.
    let high = this.size
    for (let i = from; i < to; i++) {
      if (at === LEAF) return high
      const header = bytes[at]!
      if (header < FULL_NODE) {
        const label = CHAIN_LABELS[header]!
        if (label !== key[i]) return label < key[i]! ? high : low
        at--
        continue
      }
      const count = arcCount(bytes, at, header)
      const labels = labelsOffset(at, header, count)
      const arc = findLabelFrom(bytes, labels, count, key[i]!)
      if (arc === count) return high
      const base = low
      low = base + outputOf(bytes, header, labels, count, arc)
      if (low > high) refuse(FST_SECTION, at, 'bad_order', `at most ${high}`, low)
      if (bytes[labels + arc] !== key[i]) return low
      if (arc + 1 < count) high = base + outputOf(bytes, header, labels, count, arc + 1)
      if (high > this.size) refuse(FST_SECTION, at, 'bad_order', `at most ${this.size}`, high)
      at = targetOf(bytes, at, header, labels, count, arc)
    }
    return low
  }

  #refuseLength(at: number): never {
    return refuse(FST_SECTION, at, 'bad_length', `keys of at most ${this.keyBytesMax}`, 'longer')
  }
}

/** Returns the last arc whose output is at most `left`. */
function arcOfOutput(
  bytes: Uint8Array,
  header: number,
  labels: number,
  count: number,
  left: number,
): number {
  let low = 0
  let high = count
  while (high - low > 1) {
    const middle = (low + high) >>> 1
    if (outputOf(bytes, header, labels, count, middle) <= left) low = middle
    else high = middle
  }
  return low
}
