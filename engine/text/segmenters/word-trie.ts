// A tree of units over a word list, for walking along a text: which words begin here? The children
// of a node are stored together in order, so a step is a search among them; the root, which has the
// most children, has a table by unit instead. Ten bytes per node.
import type { WordList } from './word-list.ts'

/** No node. The root is 0 too: no step leads to it. */
export const NO_NODE = 0

export class WordTrie {
  /** The children of node n are the nodes from firsts[n] up to firsts[n + 1]. */
  readonly #firsts: Uint32Array
  /** The unit that leads to each node. */
  readonly #units: Uint16Array
  /** By unit: the root's child. */
  readonly #tops = new Uint32Array(0x10000)
  /** By node: the count of the word that ends there, or 0. Do not write. */
  readonly counts: Uint32Array

  /** The list holds no empty words, and counts above 0. */
  constructor(list: WordList) {
    const nodes = nodesOf(list)
    const firsts = new Uint32Array(nodes + 1)
    const units = new Uint16Array(nodes)
    const counts = new Uint32Array(nodes)
    // Level by level: node n stands for the words [from[n], to[n]), which agree in depths[n] units.
    const from = new Uint32Array(nodes)
    const to = new Uint32Array(nodes)
    const depths = new Uint16Array(nodes)
    to[0] = list.counts.length
    let made = 1
    for (let node = 0; node < nodes; node++) {
      firsts[node] = made
      const depth = depths[node]!
      let word = from[node]!
      if (word < to[node]! && list.starts[word + 1]! - list.starts[word]! === depth) {
        counts[node] = list.counts[word++]!
      }
      while (word < to[node]!) {
        const unit = list.units[list.starts[word]! + depth]!
        from[made] = word++
        while (word < to[node]! && list.units[list.starts[word]! + depth] === unit) word++
        to[made] = word
        depths[made] = depth + 1
        units[made] = unit
        if (node === 0) this.#tops[unit] = made
        made++
      }
    }
    firsts[nodes] = made
    this.#firsts = firsts
    this.#units = units
    this.counts = counts
  }

  /** The node that `unit` leads to from `node`, or NO_NODE. */
  step(node: number, unit: number): number {
    if (node === 0) return this.#tops[unit]!
    const units = this.#units
    let low = this.#firsts[node]!
    let high = this.#firsts[node + 1]!
    while (low < high) {
      const middle = (low + high) >>> 1
      const at = units[middle]!
      if (at === unit) return middle
      if (at < unit) low = middle + 1
      else high = middle
    }
    return NO_NODE
  }

  /** Returns the count of the word text[from, to), or 0 if it is not in the list. */
  count(text: string, from: number, to: number): number {
    let node = 0
    for (let i = from; i < to; i++) {
      node = this.step(node, text.charCodeAt(i))
      if (node === NO_NODE) return 0
    }
    return this.counts[node]!
  }
}

function nodesOf({ units, starts, counts }: WordList): number {
  let nodes = 1
  for (let i = 0; i < counts.length; i++) {
    const start = starts[i]!
    const length = starts[i + 1]! - start
    let same = 0
    if (i > 0) {
      const before = starts[i - 1]!
      const most = Math.min(length, start - before)
      while (same < most && units[before + same] === units[start + same]) same++
    }
    nodes += length - same
  }
  return nodes
}
