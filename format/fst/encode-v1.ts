// Writes nodes and the trailer · layout: ./layout-v1.ts · page: ./FST.md
import { assert } from '../errors.ts'
import type { ByteSink } from '../frame/index.ts'
import {
  CHAIN_CODES,
  COUNTED_SHAPE,
  FINAL_BIT,
  FST_BYTES_MAX,
  FULL_NODE,
  LEAF,
  NODE_BYTES_MAX,
  TRAILER_BYTES,
} from './layout-v1.ts'
import type { ArcStack } from './registry.ts'

const CHUNK_BYTES = 16384

/** Streams nodes to a sink, children before parents, through a buffer of fixed size. */
export class NodeWriter {
  readonly #sink: ByteSink
  readonly #chunk = new Uint8Array(CHUNK_BYTES)
  #used = 0
  /** Bytes passed to the sink so far; those in `#chunk` are not included. */
  #flushed = 0
  #nodes = 0

  constructor(sink: ByteSink) {
    this.#sink = sink
  }

  get nodeCount(): number {
    return this.#nodes
  }

  /** Bytes written so far; the last one is the header of the last node. */
  get length(): number {
    return this.#flushed + this.#used
  }

  /**
   * Writes the node with arcs [from, to), at least one, and returns its address. `final` is 1 if a
   * key ends at the node, else 0.
   */
  write(arcs: ArcStack, from: number, to: number, final: number): number {
    assert(to > from && to - from <= 256, 'a node has 1 to 256 arcs')
    if (this.#used + NODE_BYTES_MAX > CHUNK_BYTES) this.#flush()
    this.#nodes++
    if (final === 0 && to - from === 1) {
      const code = CHAIN_CODES[arcs.labels[from]!]!
      const target = arcs.targets[from]!
      if (code >= 0 && target !== LEAF && target === this.length - 1) {
        this.#chunk[this.#used++] = code
        return this.length - 1
      }
    }
    return this.#writeFull(arcs, from, to, final)
  }

  #writeFull(arcs: ArcStack, from: number, to: number, final: number): number {
    const count = to - from
    let output = final
    for (let i = from; i < to - 1; i++) output += arcs.counts[i]!
    const outputWidth = count === 1 ? 1 : widthOf(output)
    const counted = count > COUNTED_SHAPE || outputWidth > 1
    const shape = counted ? COUNTED_SHAPE + outputWidth - 1 : count - 1
    const fixed = this.length + count + (count - 1) * outputWidth + (counted ? 1 : 0)
    const targetWidth = widthOfTargets(arcs.targets, from, to, fixed)
    const address = fixed + count * targetWidth
    assert(address <= FST_BYTES_MAX - TRAILER_BYTES, 'a dictionary stays below 2 GiB')
    const chunk = this.#chunk
    let at = this.#used
    output = final
    for (let i = from; i < to - 1; i++) {
      output += arcs.counts[i]!
      at = writeUint(chunk, at, output, outputWidth)
    }
    for (let i = from; i < to; i++) {
      const target = arcs.targets[i]!
      at = writeUint(chunk, at, target === LEAF ? 0 : address - target, targetWidth)
    }
    for (let i = from; i < to; i++) chunk[at++] = arcs.labels[i]!
    if (counted) chunk[at++] = count - 1
    chunk[at++] = FULL_NODE | (final === 0 ? 0 : FINAL_BIT) | (targetWidth << 3) | shape
    this.#used = at
    return address
  }

  /** Writes the trailer, flushes the buffer and returns the length of the whole body in bytes. */
  finish(keyCount: number, root: number, keyBytesMax: number): number {
    this.#flush()
    const trailer = new DataView(this.#chunk.buffer, 0, TRAILER_BYTES)
    trailer.setUint32(0, keyCount, true)
    trailer.setUint32(4, root, true)
    trailer.setUint32(8, this.#nodes, true)
    trailer.setUint16(12, keyBytesMax, true)
    trailer.setUint16(14, 0, true)
    this.#used = TRAILER_BYTES
    this.#flush()
    return this.length
  }

  #flush(): void {
    if (this.#used === 0) return
    this.#sink(this.#chunk.subarray(0, this.#used))
    this.#flushed += this.#used
    this.#used = 0
  }
}

/** Number of bytes needed for `value`; 0 for 0. */
const widthOf = (value: number): number => (39 - Math.clz32(value)) >>> 3

/**
 * Returns the least width that holds the distances to all targets, or 0 if every target is the
 * leaf. Distances are counted from the header, whose offset depends on the width, so widths are
 * tried from 1 upwards.
 */
function widthOfTargets(targets: Int32Array, from: number, to: number, fixed: number): number {
  let lowest = 0
  for (let i = from; i < to; i++) {
    const target = targets[i]!
    if (target !== LEAF && (lowest === 0 || target < lowest)) lowest = target
  }
  if (lowest === 0) return 0
  let width = 1
  while (widthOf(fixed + (to - from) * width - lowest) > width) width++
  return width
}

function writeUint(target: Uint8Array, at: number, value: number, width: number): number {
  for (let i = 0; i < width; i++) {
    target[at++] = value
    value >>>= 8
  }
  return at
}
