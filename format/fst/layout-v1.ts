// The bytes of a node · page: ./FST.md
//
// A node is identified by its address, the offset of its header byte; its other bytes are below:
//
//   outputs (n − 1) × outputWidth · targets n × targetWidth · labels n · count 0 or 1 · header 1
//
// All functions here take and return small integers, so the walks that call them allocate no
// objects; V8 inlines them.
import { assert, refuse } from '../errors.ts'

export const FST_SECTION = 'fst'

/** Bytes after the nodes: key count, root, node count, longest key. */
export const TRAILER_BYTES = 16

/**
 * Longest key in bytes: the trailer holds it in 16 bits, and a walk keeps a frame for each byte of
 * it.
 */
export const FST_KEY_BYTES_MAX = 65535

/**
 * Largest body and greatest number of keys: addresses and ordinals stay non-negative in 32-bit
 * arithmetic.
 */
export const FST_BYTES_MAX = 2147483647
export const FST_KEYS_MAX = 2147483647

/** Address of the node that is final and has no arcs. It takes no bytes. */
export const LEAF = 0

/**
 * A header below this value is a whole chain node: one common label, not final, its target just
 * below.
 */
export const FULL_NODE = 0x80
export const FINAL_BIT = 0x40

/**
 * Shapes below this value mean an arc count of shape + 1 and outputs of one byte; other shapes are
 * followed by a count byte.
 */
export const COUNTED_SHAPE = 4
const WIDTH_MAX = 4

/** Size of the largest full node: 256 arcs, widths of 4, count and header. */
export const NODE_BYTES_MAX = 256 * (1 + WIDTH_MAX) + 255 * WIDTH_MAX + 2

/**
 * Labels that a chain node can hold, by code: digits, small letters, the 64 continuation bytes of
 * UTF-8, then space, hyphen and the lead bytes of the scripts with most words. The table is part of
 * the layout and must never change.
 */
export const CHAIN_LABELS: Uint8Array = chainLabels()

/** Chain codes by label; -1 for labels without a code. */
export const CHAIN_CODES: Int16Array = chainCodes()

function chainLabels(): Uint8Array {
  const labels = new Uint8Array(128)
  let code = 0
  for (let label = 0x30; label <= 0x39; label++) labels[code++] = label
  for (let label = 0x61; label <= 0x7a; label++) labels[code++] = label
  for (let label = 0x80; label <= 0xbf; label++) labels[code++] = label
  assert(code === 100, '28 codes are left for single labels')
  labels.set([0x20, 0x2d, 0xc3, 0xc4, 0xc5, 0xce, 0xcf, 0xd0, 0xd1, 0xd6, 0xd7, 0xd8], code)
  labels.set([0xd9, 0xda, 0xdb, 0xe0, 0xe1, 0xe3, 0xe4, 0xe5, 0xe6, 0xe7, 0xe8, 0xe9], code + 12)
  labels.set([0xea, 0xeb, 0xec, 0xed], code + 24)
  return labels
}

function chainCodes(): Int16Array {
  const codes = new Int16Array(256).fill(-1)
  for (let code = 0; code < 128; code++) codes[CHAIN_LABELS[code]!] = code
  return codes
}

/** Returns true if a key ends at the node. */
export function isFinal(bytes: Uint8Array, at: number): boolean {
  if (at === LEAF) return true
  return bytes[at]! >= (FULL_NODE | FINAL_BIT)
}

/** Returns the number of arcs of the full node at `at`. */
export function arcCount(bytes: Uint8Array, at: number, header: number): number {
  const shape = header & 7
  if (shape < COUNTED_SHAPE) return shape + 1
  return at > 0 ? bytes[at - 1]! + 1 : refuse(FST_SECTION, at, 'bad_length', 'room for a count', at)
}

/**
 * Returns the offset of the labels of a full node with `count` arcs; they ascend. @throws
 * CorruptionError
 */
export function labelsOffset(at: number, header: number, count: number): number {
  const labels = at - count - ((header & 7) < COUNTED_SHAPE ? 0 : 1)
  if (labels < 0) refuse(FST_SECTION, at, 'bad_length', `room for ${count} labels`, at)
  return labels
}

/**
 * Returns the index of the arc with `label`, or -1. Binary search narrows down to 8 labels, which
 * are then compared one by one.
 */
export function findLabel(bytes: Uint8Array, labels: number, count: number, label: number): number {
  let low = 0
  let high = count
  while (high - low > 8) {
    const middle = (low + high) >>> 1
    if (bytes[labels + middle]! <= label) low = middle
    else high = middle
  }
  for (; low < high; low++) if (bytes[labels + low] === label) return low
  return -1
}

/** Returns the index of the first arc whose label is at least `label`, or `count`. */
export function findLabelFrom(
  bytes: Uint8Array,
  labels: number,
  count: number,
  label: number,
): number {
  let arc = 0
  while (arc < count && bytes[labels + arc]! < label) arc++
  return arc
}

/**
 * Returns the node that arc `arc` leads to: `LEAF`, or an address below `at`. @throws
 * CorruptionError
 */
export function targetOf(
  bytes: Uint8Array,
  at: number,
  header: number,
  labels: number,
  count: number,
  arc: number,
): number {
  const width = (header >>> 3) & 7
  const from = labels - (count - arc) * width
  if (from < 0) refuse(FST_SECTION, at, 'bad_length', `room for ${count} targets`, at)
  let delta: number
  if (width === 2) delta = bytes[from]! | (bytes[from + 1]! << 8)
  else if (width === 3) {
    delta = bytes[from]! | (bytes[from + 1]! << 8) | (bytes[from + 2]! << 16)
  } else if (width === 1) delta = bytes[from]!
  else if (width === 0) return LEAF
  else delta = wideDelta(bytes, at, from, width)
  if (delta === 0) return LEAF
  if (delta >= at) refuse(FST_SECTION, from, 'bad_value', `a distance below ${at}`, delta)
  return at - delta
}

/**
 * Returns the number of keys under the node that sort before those of arc `arc`. The output of the
 * first arc is not stored: only a key that ends at the node sorts before it.
 */
export function outputOf(
  bytes: Uint8Array,
  header: number,
  labels: number,
  count: number,
  arc: number,
): number {
  if (arc === 0) return (header & FINAL_BIT) === 0 ? 0 : 1
  const width = outputWidth(header)
  const from = labels - count * ((header >>> 3) & 7) - (count - arc) * width
  if (width === 1) return bytes[from]! | 0
  let output = 0
  for (let i = width - 1; i >= 0; i--) output = (output << 8) | bytes[from + i]!
  return output >>> 0
}

export const targetWidth = (header: number): number => (header >>> 3) & 7

export const outputWidth = (header: number): number => {
  const shape = header & 7
  return shape < COUNTED_SHAPE ? 1 : shape - COUNTED_SHAPE + 1
}

/** Size of the full node in bytes, header included. */
export const nodeBytes = (header: number, count: number): number =>
  count * (1 + targetWidth(header)) +
  (count - 1) * outputWidth(header) +
  ((header & 7) < COUNTED_SHAPE ? 1 : 2)

function wideDelta(bytes: Uint8Array, at: number, from: number, width: number): number {
  if (width !== WIDTH_MAX) refuse(FST_SECTION, at, 'bad_value', 'a target width of 0 to 4', width)
  let delta = 0
  for (let i = WIDTH_MAX - 1; i >= 0; i--) delta = (delta << 8) | bytes[from + i]!
  return delta >>> 0
}
