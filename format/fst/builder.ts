// Builds a term dictionary from keys in ascending order, in one pass and bounded memory · page:
// ./FST.md
//
// Only the nodes on the path of the last key are open. When the next key leaves that path at depth
// d, the nodes below d are frozen, deepest first: each is looked up among the nodes already written
// and is written only if no equal node exists.
//
// Memory: the open path with the arcs of its nodes (at most 256 per level), the registry of frozen
// nodes (bounded, see ./registry.ts) and one output chunk. Time: constant per byte.
import { compareBytes } from '../bytes/index.ts'
import { assert } from '../errors.ts'
import type { ByteSink } from '../frame/index.ts'
import { NodeWriter } from './encode-v1.ts'
import { FST_KEY_BYTES_MAX, FST_KEYS_MAX, LEAF } from './layout-v1.ts'
import { type ArcStack, NodeRegistry, REGISTRY_NODES_MAX } from './registry.ts'

export type FstSummary = {
  readonly keyCount: number
  readonly nodeCount: number
  /** Bytes passed to the sink: the length of the whole body, trailer included. */
  readonly bytes: number
}

export class FstBuilder {
  readonly #writer: NodeWriter
  readonly #registry: NodeRegistry
  /** The last key, which is also the labels of the open path. */
  #key = new Uint8Array(64)
  #keyLength = 0
  #keyCount = 0
  #keyBytesMax = 0
  #finished = false
  /**
   * By depth of the open path: whether a key ends there (0 or 1), and the start of its finished
   * arcs in `#arcs`.
   */
  #finals = new Uint8Array(65)
  #starts = new Int32Array(65)
  /** The finished arcs of all open nodes, from the root to the deepest node. */
  #arcs: ArcStack = arcStack(256)
  #arcsEnd = 0

  /**
   * @param sink receives the bytes in order; each piece is overwritten after the call returns.
   * @param registryNodesMax nodes remembered for sharing, a power of two. More memory gives fewer
   * bytes.
   */
  constructor(sink: ByteSink, registryNodesMax = REGISTRY_NODES_MAX) {
    this.#writer = new NodeWriter(sink)
    this.#registry = new NodeRegistry(registryNodesMax)
  }

  get keyCount(): number {
    return this.#keyCount
  }

  /**
   * Adds `key[from, to)`, which must sort after all keys before it, and returns its ordinal. The
   * key is copied.
   */
  add(key: Uint8Array, from = 0, to = key.length): number {
    const length = to - from
    assert(!this.#finished, 'keys are added before the end')
    assert(length <= FST_KEY_BYTES_MAX, 'a key is at most 65,535 bytes long')
    assert(this.#keyCount < FST_KEYS_MAX, 'a dictionary has fewer than 2^31 keys')
    const last = this.#key
    const lastLength = this.#keyLength
    let shared = 0
    while (shared < lastLength && shared < length && last[shared] === key[from + shared]) shared++
    const ascends =
      shared === lastLength
        ? length > shared || this.#keyCount === 0
        : shared < length && key[from + shared]! > last[shared]!
    assert(ascends, 'keys come in strictly ascending byte order')
    if (length > this.#key.length) this.#growPath(length)
    this.#freezeBelow(shared)
    for (let depth = shared + 1; depth <= length; depth++) {
      this.#key[depth - 1] = key[from + depth - 1]!
      this.#finals[depth] = 0
      this.#starts[depth] = this.#arcsEnd
    }
    this.#finals[length] = 1
    this.#keyLength = length
    if (length > this.#keyBytesMax) this.#keyBytesMax = length
    return this.#keyCount++
  }

  /** Freezes the open nodes and writes the trailer. */
  finish(): FstSummary {
    assert(!this.#finished, 'a dictionary is finished once')
    this.#finished = true
    this.#freezeBelow(0)
    const root = this.#freeze(0)
    const bytes = this.#writer.finish(this.#keyCount, root, this.#keyBytesMax)
    return { keyCount: this.#keyCount, nodeCount: this.#writer.nodeCount, bytes }
  }

  #freezeBelow(depth: number): void {
    for (let deep = this.#keyLength; deep > depth; deep--) {
      const target = this.#freeze(deep)
      const start = this.#starts[deep]!
      let count = this.#finals[deep]!
      for (let i = start; i < this.#arcsEnd; i++) count += this.#arcs.counts[i]!
      if (start === this.#arcs.counts.length) this.#growArcs()
      this.#arcs.labels[start] = this.#key[deep - 1]!
      this.#arcs.targets[start] = target
      this.#arcs.counts[start] = count
      this.#arcsEnd = start + 1
    }
    this.#keyLength = depth
  }

  /**
   * Returns the address of the deepest open node, all of whose arcs are finished. The arcs stay on
   * the stack.
   */
  #freeze(depth: number): number {
    const from = this.#starts[depth]!
    const to = this.#arcsEnd
    if (from === to) return LEAF
    const final = this.#finals[depth]!
    const found = this.#registry.find(this.#arcs, from, to, final)
    if (found >= 0) return found
    const address = this.#writer.write(this.#arcs, from, to, final)
    this.#registry.insert(this.#arcs, from, to, final, address)
    return address
  }

  #growPath(length: number): void {
    const capacity = Math.max(length, this.#key.length * 2)
    this.#key = copied(new Uint8Array(capacity), this.#key)
    this.#finals = copied(new Uint8Array(capacity + 1), this.#finals)
    this.#starts = copied(new Int32Array(capacity + 1), this.#starts)
  }

  #growArcs(): void {
    const small = this.#arcs
    this.#arcs = arcStack(small.counts.length * 2)
    this.#arcs.labels.set(small.labels)
    this.#arcs.targets.set(small.targets)
    this.#arcs.counts.set(small.counts)
  }
}

const arcStack = (capacity: number): ArcStack => ({
  labels: new Uint8Array(capacity),
  targets: new Int32Array(capacity),
  counts: new Int32Array(capacity),
})

function copied<T extends Uint8Array | Int32Array>(target: T, source: T): T {
  target.set(source)
  return target
}

/**
 * Builds a dictionary in memory from keys in any order; duplicates count once. For small sets and
 * tests.
 */
export function buildFst(keys: readonly Uint8Array[], registryNodesMax?: number): Uint8Array {
  const chunks: Uint8Array[] = []
  const builder = new FstBuilder((bytes) => chunks.push(bytes.slice()), registryNodesMax)
  const sorted = [...keys].sort(compareBytes)
  for (let i = 0; i < sorted.length; i++) {
    if (i === 0 || compareBytes(sorted[i - 1]!, sorted[i]!) !== 0) builder.add(sorted[i]!)
  }
  const whole = new Uint8Array(builder.finish().bytes)
  let at = 0
  for (const chunk of chunks) {
    whole.set(chunk, at)
    at += chunk.length
  }
  return whole
}
