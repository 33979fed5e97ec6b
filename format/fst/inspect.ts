// Inspects a dictionary node by node: for the tools, the golden files and a full check. Nodes are
// stored side by side without gaps, so they can be listed from the root downwards without following
// an arc.
import type { Note } from '../annotate/index.ts'
import { assert, refuse } from '../errors.ts'
import { Fst } from './decode-v1.ts'
import {
  arcCount,
  CHAIN_CODES,
  CHAIN_LABELS,
  COUNTED_SHAPE,
  FST_KEYS_MAX,
  FST_SECTION,
  FULL_NODE,
  isFinal,
  LEAF,
  labelsOffset,
  nodeBytes,
  outputOf,
  outputWidth,
  TRAILER_BYTES,
  targetOf,
  targetWidth,
} from './layout-v1.ts'

type Arc = { readonly label: number; readonly target: number; readonly output: number }

/** A decoded node, stored in bytes [from, at]. */
type Node = {
  readonly at: number
  readonly from: number
  readonly chain: boolean
  readonly final: boolean
  readonly arcs: readonly Arc[]
}

function nodeAt(fst: Fst, at: number): Node {
  const bytes = fst.bytes
  const header = bytes[at]!
  // Address 0 is the leaf; the lowest real node has a label below its header, so its address is
  // above 0.
  if (at === LEAF) refuse(FST_SECTION, at, 'bad_value', 'a header above 0', header)
  if (header < FULL_NODE) {
    const arcs = [{ label: CHAIN_LABELS[header]!, target: at - 1, output: 0 }]
    if (at < 2) refuse(FST_SECTION, at, 'bad_value', 'a node below', at)
    return { at, from: at, chain: true, final: false, arcs }
  }
  const count = arcCount(bytes, at, header)
  const labels = labelsOffset(at, header, count)
  const from = at + 1 - nodeBytes(header, count)
  if (from < 0) refuse(FST_SECTION, at, 'bad_length', 'room for a node', at)
  const arcs: Arc[] = []
  for (let i = 0; i < count; i++) {
    arcs.push({
      label: bytes[labels + i]!,
      target: targetOf(bytes, at, header, labels, count, i),
      output: outputOf(bytes, header, labels, count, i),
    })
  }
  return { at, from, chain: false, final: isFinal(bytes, at), arcs }
}

/** Yields all nodes by descending address, the root first. @throws CorruptionError */
function* nodesOf(fst: Fst): Generator<Node> {
  if (fst.root === LEAF) return
  for (let at = fst.root; at >= 0; ) {
    const node = nodeAt(fst, at)
    yield node
    at = node.from - 1
  }
}

export type FstStats = {
  readonly keys: number
  readonly keyBytesMax: number
  readonly nodes: number
  /** Number of nodes that take one byte. */
  readonly chainNodes: number
  readonly arcs: number
  /** Number of arcs to the leaf, which takes no bytes. */
  readonly leafArcs: number
  /** Length of the whole body, trailer included. */
  readonly bytes: number
}

/** Counts nodes and arcs. O(nodes). @throws CorruptionError */
export function fstStats(fst: Fst): FstStats {
  let nodes = 0
  let chainNodes = 0
  let arcs = 0
  let leafArcs = 0
  for (const node of nodesOf(fst)) {
    nodes++
    if (node.chain) chainNodes++
    arcs += node.arcs.length
    for (const arc of node.arcs) if (arc.target === LEAF) leafArcs++
  }
  const bytes = fst.bytes.length + TRAILER_BYTES
  return { keys: fst.size, keyBytesMax: fst.keyBytesMax, nodes, chainNodes, arcs, leafArcs, bytes }
}

/**
 * Checks everything that can be checked: nodes fill the bytes, arcs lead to nodes and ascend,
 * outputs are the counts of keys before them, each node is used and written in its shortest form,
 * and the trailer is right. Takes time and memory proportional to the number of nodes. @throws
 * CorruptionError
 */
export function verifyFst(fst: Fst): void {
  const nodes = [...nodesOf(fst)].reverse()
  // By address: number of keys reachable from a node, and length of the longest.
  const keys = new Map<number, number>([[LEAF, 1]])
  const lengths = new Map<number, number>([[LEAF, 0]])
  const unused = new Set<number>()
  for (const node of nodes) {
    checkForm(fst, node)
    let count = node.final ? 1 : 0
    let length = 0
    for (const { label, target, output } of node.arcs) {
      const behind = keys.get(target) ?? refuse(FST_SECTION, node.at, 'bad_value', 'a node', target)
      if (output !== count) refuse(FST_SECTION, node.at, 'bad_value', `${label} → ${count}`, output)
      count += behind
      length = Math.max(length, lengths.get(target)! + 1)
      unused.delete(target)
    }
    if (count > FST_KEYS_MAX) refuse(FST_SECTION, node.at, 'bad_value', FST_KEYS_MAX, count)
    keys.set(node.at, count)
    lengths.set(node.at, length)
    unused.add(node.at)
  }
  unused.delete(fst.root)
  for (const at of unused) refuse(FST_SECTION, at, 'bad_value', 'a node in use', 'one that is not')
  const trailer = fst.bytes.length
  if (nodes.length !== fst.nodeCount) {
    refuse(FST_SECTION, trailer + 8, 'bad_value', nodes.length, fst.nodeCount)
  }
  if (nodes.length > 0 && keys.get(fst.root) !== fst.size) {
    refuse(FST_SECTION, trailer, 'bad_value', keys.get(fst.root)!, fst.size)
  }
  if (nodes.length > 0 && lengths.get(fst.root) !== fst.keyBytesMax) {
    refuse(FST_SECTION, trailer + 12, 'bad_value', lengths.get(fst.root)!, fst.keyBytesMax)
  }
}

/** Checks that labels ascend and that the node takes as few bytes as possible. */
function checkForm(fst: Fst, { at, chain, final, arcs, from }: Node): void {
  if (chain) return
  for (let i = 1; i < arcs.length; i++) {
    if (arcs[i]!.label <= arcs[i - 1]!.label) {
      refuse(FST_SECTION, at, 'bad_order', `above ${arcs[i - 1]!.label}`, arcs[i]!.label)
    }
  }
  const header = fst.bytes[at]!
  const { label, target } = arcs[0]!
  const chains = target !== LEAF && target === from - 1 && CHAIN_CODES[label]! >= 0
  if (arcs.length === 1 && !final && chains) refuse(FST_SECTION, at, 'bad_value', 'a chain', header)
  const needed = bytesFor(arcs.at(-1)!.output)
  const outputs = arcs.length === 1 ? 1 : needed
  const counted = arcs.length > COUNTED_SHAPE || outputs > 1
  if ((header & 7) >= COUNTED_SHAPE !== counted || outputWidth(header) !== outputs) {
    refuse(FST_SECTION, at, 'bad_value', 'the narrowest outputs', header)
  }
  const width = targetWidth(header)
  // With targets one byte narrower, the header address would be lower by one byte per arc.
  const lowest = arcs.reduce((low, a) => (a.target === LEAF ? low : Math.min(low, a.target)), at)
  const narrower = lowest === at ? 0 : bytesFor(at - arcs.length - lowest)
  if (width > 0 && narrower < width) {
    refuse(FST_SECTION, at, 'bad_value', 'the narrowest targets', width)
  }
}

/** Number of bytes needed for `value`, at least 1. @param value below 2^32. */
const bytesFor = (value: number): number => Math.max(1, (39 - Math.clz32(value)) >>> 3)

/** Explains each byte of a whole body. @throws CorruptionError */
export function fstNotes(body: Uint8Array): Note[] {
  const fst = new Fst(body)
  const notes: Note[] = []
  for (const node of [...nodesOf(fst)].reverse()) {
    if (node.chain) {
      const { label, target } = node.arcs[0]!
      notes.push({ from: node.at, to: node.at + 1, text: `chain: ${labelText(label)} → ${target}` })
    } else notes.push(...fullNotes(fst, node))
  }
  const end = fst.bytes.length
  const root = fst.root === LEAF ? 'leaf' : `${fst.root}`
  notes.push({ from: end, to: end + 4, text: `keyCount ${fst.size}` })
  notes.push({ from: end + 4, to: end + 8, text: `root ${root}` })
  notes.push({ from: end + 8, to: end + 12, text: `nodeCount ${fst.nodeCount}` })
  notes.push({ from: end + 12, to: end + 14, text: `keyBytesMax ${fst.keyBytesMax}` })
  notes.push({ from: end + 14, to: end + 16, text: 'reserved' })
  return notes
}

function fullNotes(fst: Fst, { at, from, final, arcs }: Node): Note[] {
  const header = fst.bytes[at]!
  const outputs = (arcs.length - 1) * outputWidth(header)
  const targets = arcs.length * targetWidth(header)
  const counted = (header & 7) >= COUNTED_SHAPE ? 1 : 0
  const parts: [number, string][] = [
    [outputs, `outputs ${arcs.map((arc) => arc.output).join(' ')}, the first not stored`],
    [targets, `targets ${arcs.map((arc) => targetText(arc.target)).join(' ')}`],
    [arcs.length, `labels ${arcs.map((arc) => labelText(arc.label)).join(' ')}`],
    [counted, `count ${arcs.length}`],
    [
      1,
      `node ${at}: ${final ? 'final, ' : ''}${arcs.length} ${arcs.length === 1 ? 'arc' : 'arcs'}`,
    ],
  ]
  const notes: Note[] = []
  for (const [length, text] of parts) {
    if (length > 0) notes.push({ from, to: from + length, text })
    from += length
  }
  return notes
}

const targetText = (target: number): string => (target === LEAF ? 'leaf' : String(target))

const labelText = (label: number): string =>
  label > 0x20 && label < 0x7f ? String.fromCharCode(label) : label.toString(16).padStart(2, '0')

/**
 * Draws the first `limit` nodes from the root, breadth first, as a Graphviz graph. @throws
 * CorruptionError
 */
export function fstDot(fst: Fst, limit: number): string {
  assert(Number.isInteger(limit), 'a limit is a whole number')
  const lines = ['digraph fst {', '  rankdir=LR', '  node [shape=circle]']
  const seen = new Set<number>()
  const queue = fst.size === 0 || limit < 1 ? [] : [fst.root]
  // The loop appends to the queue.
  for (const at of queue) {
    if (seen.has(at)) continue
    if (seen.size === limit) break
    seen.add(at)
    const node = at === LEAF ? { final: true, arcs: [] } : nodeAt(fst, at)
    const shape = node.final ? ', shape=doublecircle' : ''
    lines.push(`  ${at} [label="${targetText(at)}"${shape}]`)
    for (const { label, target, output } of node.arcs) {
      const text = labelText(label).replace(/["\\]/g, '\\$&')
      lines.push(`  ${at} -> ${target} [label="${text}${output === 0 ? '' : ` +${output}`}"]`)
      queue.push(target)
    }
  }
  lines.push('}')
  return `${lines.join('\n')}\n`
}
