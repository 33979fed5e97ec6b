// What the bytes of a node mean · page: ./FST.md
//
// A node is named by its address, the offset of its header byte; the rest of it lies below:
//
//   outputs (n − 1) × outputWidth · targets n × targetWidth · labels n · count 0 or 1 · header 1
//
// Everything here is a stand-alone function on small integers, so that the walks that call it stay
// free of objects; V8 inlines them.
import { refuse } from '../errors.ts'

export const FST_SECTION = 'fst'

/** Bytes behind the nodes: key count, root, node count, longest key. */
export const TRAILER_BYTES = 16

/** Longest key: the trailer holds it in 16 bits, and a walk keeps a frame for each byte of it. */
export const FST_KEY_BYTES_MAX = 65535

/** Largest body, and most keys: addresses and ordinals stay non-negative in 32-bit arithmetic. */
export const FST_BYTES_MAX = 2147483647
export const FST_KEYS_MAX = 2147483647

/** The address of the node that is final and has no arcs. It takes no bytes. */
export const LEAF = 0

/**
 * Headers below this are a whole chain node: one common label, not final, its target just below.
 */
export const FULL_NODE = 0x80
export const FINAL_BIT = 0x40

/**
 * Shapes below this give the arc count, shape + 1, and outputs of one byte; others are followed by
 * a count.
 */
export const COUNTED_SHAPE = 4
export const WIDTH_MAX = 4

/** The largest full node: 256 arcs, widths of 4, count and header. */
export const NODE_BYTES_MAX = 256 * (1 + WIDTH_MAX) + 255 * WIDTH_MAX + 2

/**
 * The labels that a chain node can hold, by code: digits, small letters, the 64 continuation bytes
 * of UTF-8, then space, hyphen and the lead bytes of the scripts with most words. Never to be
 * changed.
 */
export const CHAIN_LABELS: Uint8Array = chainLabels()

/** The chain code of a label, or -1. */
export const CHAIN_CODES: Int16Array = chainCodes()

function chainLabels(): Uint8Array {
  const labels = new Uint8Array(128)
  let code = 0
  for (let label = 0x30; label <= 0x39; label++) labels[code++] = label
  for (let label = 0x61; label <= 0x7a; label++) labels[code++] = label
  for (let label = 0x80; label <= 0xbf; label++) labels[code++] = label
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

/** Whether a key ends at the node. */
export function isFinal(bytes: Uint8Array, at: number): boolean {
  if (at === LEAF) return true
  return bytes[at]! >= (FULL_NODE | FINAL_BIT)
}

/** How many arcs the full node has. */
export function arcCount(bytes: Uint8Array, at: number, header: number): number {
  const shape = header & 7
  return shape < COUNTED_SHAPE ? shape + 1 : bytes[at - 1]! + 1
}

/**
 * Where the labels of the full node with `count` arcs begin; they ascend. @throws CorruptionError
 */
export function labelsOffset(at: number, header: number, count: number): number {
  const labels = at - count - ((header & 7) < COUNTED_SHAPE ? 0 : 1)
  if (labels < 0) refuse(FST_SECTION, at, 'bad_length', `room for ${count} labels`, at)
  return labels
}

/** The index of the arc with `label`, or -1. Few labels are looked at in turn, many are halved. */
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

/** The index of the first arc whose label is not below `label`; `count` when there is none. */
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

/** The node that arc `arc` leads to: `LEAF`, or an address below `at`. @throws CorruptionError */
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
 * How many keys of the node's language come before those behind arc `arc`. The first arc has none
 * stored: only the key that ends here can come before it.
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

/** Bytes of the full node, header included. */
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
