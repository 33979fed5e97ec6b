// Remembers frozen nodes, so that equal nodes are written once. Two generations bound the memory:
// when the young generation is full, it becomes the old one and the previous old one is discarded;
// a node found in the old generation is copied to the young one. So nodes in use survive. While all
// nodes fit into one generation, none is lost and the automaton is minimal.
//
// A record in the arena, 32-bit words: address · arc count × 2 + final · n targets · n labels.
import { assert } from '../errors.ts'

/**
 * Greatest number of nodes in a generation; the words of some ten thousand texts fit. More would
 * save next to nothing, and building is faster while the table stays in the processor cache.
 */
export const REGISTRY_NODES_MAX = 65536

const SLOTS_MIN = 1024
/** Words of arena per slot: nodes take 2 + 2 × arcs words, and the load is at most one half. */
const WORDS_PER_SLOT = 4
const RECORD_WORDS_MAX = 2 + 2 * 256

type Generation = { slots: Int32Array; arena: Int32Array; used: number; nodes: number }

/** Finished arcs of open nodes; those of one node are [from, to) of each array. */
export type ArcStack = {
  readonly labels: Uint8Array
  /** Addresses of the arcs' targets. */
  readonly targets: Int32Array
  /** Number of keys behind each arc. */
  readonly counts: Int32Array
}

export class NodeRegistry {
  #young: Generation
  #old: Generation
  readonly #nodesMax: number
  #hash = 0

  /** @param nodesMax greatest number of nodes in a generation, a power of two. */
  constructor(nodesMax = REGISTRY_NODES_MAX) {
    assert(nodesMax > 0 && (nodesMax & (nodesMax - 1)) === 0, 'a registry is a power of two')
    this.#nodesMax = nodesMax
    this.#young = generation(Math.min(SLOTS_MIN, nodesMax * 2))
    this.#old = generation(1)
  }

  /** Returns the address of a remembered node with exactly these arcs, or -1. */
  find(arcs: ArcStack, from: number, to: number, final: number): number {
    this.#hash = hashOf(arcs, from, to, final)
    const young = lookUp(this.#young, this.#hash, arcs, from, to, final)
    if (young >= 0) return this.#young.arena[young]!
    if (this.#old.nodes === 0) return -1
    const old = lookUp(this.#old, this.#hash, arcs, from, to, final)
    if (old < 0) return -1
    const address = this.#old.arena[old]!
    this.insert(arcs, from, to, final, address)
    return address
  }

  /** Remembers the node of the last `find`, whose hash is reused. */
  insert(arcs: ArcStack, from: number, to: number, final: number, address: number): void {
    this.#makeRoom()
    const young = this.#young
    put(young.slots, this.#hash, young.used + 1)
    young.nodes++
    const arena = young.arena
    let at = young.used
    arena[at++] = address
    arena[at++] = (to - from) * 2 + final
    for (let i = from; i < to; i++) arena[at++] = arcs.targets[i]!
    for (let i = from; i < to; i++) arena[at++] = arcs.labels[i]!
    young.used = at
  }

  #makeRoom(): void {
    const { slots, arena, used, nodes } = this.#young
    const fits = used + RECORD_WORDS_MAX <= arena.length
    if (fits && nodes < slots.length / 2 && nodes < this.#nodesMax) return
    if (slots.length < this.#nodesMax * 2) {
      this.#young = grown(this.#young)
      return
    }
    const reused = this.#old.slots.length === slots.length ? this.#old : generation(slots.length)
    reused.slots.fill(0)
    reused.used = 0
    reused.nodes = 0
    this.#old = this.#young
    this.#young = reused
  }
}

function generation(slots: number): Generation {
  const words = slots * WORDS_PER_SLOT + RECORD_WORDS_MAX
  return { slots: new Int32Array(slots), arena: new Int32Array(words), used: 0, nodes: 0 }
}

function grown(small: Generation): Generation {
  const big = generation(small.slots.length * 2)
  big.arena.set(small.arena.subarray(0, small.used))
  big.used = small.used
  big.nodes = small.nodes
  const arena = small.arena
  for (let at = 0; at < small.used; ) {
    const count = arena[at + 1]! >>> 1
    put(big.slots, hashOfRecord(arena, at), at + 1)
    at += 2 + 2 * count
  }
  return big
}

function put(slots: Int32Array, hash: number, value: number): void {
  const mask = slots.length - 1
  let slot = hash & mask
  while (slots[slot] !== 0) slot = (slot + 1) & mask
  slots[slot] = value
}

/** Returns the offset of the record in the arena, or -1. */
function lookUp(
  generation: Generation,
  hash: number,
  arcs: ArcStack,
  from: number,
  to: number,
  final: number,
): number {
  const { slots, arena } = generation
  const mask = slots.length - 1
  const head = (to - from) * 2 + final
  for (let slot = hash & mask; slots[slot] !== 0; slot = (slot + 1) & mask) {
    const record = slots[slot]! - 1
    if (arena[record + 1] === head && sameArcs(arena, record + 2, arcs, from, to)) return record
  }
  return -1
}

function sameArcs(
  arena: Int32Array,
  record: number,
  arcs: ArcStack,
  from: number,
  to: number,
): boolean {
  const { targets, labels } = arcs
  const count = to - from
  for (let i = 0; i < count; i++) {
    if (arena[record + i] !== targets[from + i]) return false
    if (arena[record + count + i] !== labels[from + i]) return false
  }
  return true
}

function hashOf(arcs: ArcStack, from: number, to: number, final: number): number {
  const { targets, labels } = arcs
  let hash = final
  for (let i = from; i < to; i++) hash = mix(hash, targets[i]!, labels[i]!)
  return hash ^ (hash >>> 15)
}

function hashOfRecord(arena: Int32Array, record: number): number {
  const head = arena[record + 1]!
  const count = head >>> 1
  let hash = head & 1
  for (let i = record + 2; i < record + 2 + count; i++) {
    hash = mix(hash, arena[i]!, arena[i + count]!)
  }
  return hash ^ (hash >>> 15)
}

/**
 * Multiplies by an odd constant near 2^32 ÷ the golden ratio to spread the bits; the shift moves
 * high bits down.
 */
const mix = (hash: number, target: number, label: number): number => {
  const mixed = Math.imul(hash ^ target, 0x9e3779b1) ^ label
  return Math.imul(mixed ^ (mixed >>> 13), 0x85ebca6b)
}
