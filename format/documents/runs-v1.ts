// The document ids of a segment as runs, and the mapping between ids and positions · ./DOCUMENTS.md
// "RUNS"
import { ByteWriter } from '../bytes/index.ts'
import { assert, refuse } from '../errors.ts'
import type { Section } from '../frame/index.ts'
import type { DocId } from '../ids.ts'
import { fillRange, IdSet } from '../idset/index.ts'

const ENTRY_BYTES = 8
const ID_END = 2 ** 32

/** Collects ascending ids into runs. */
export class RunsWriter {
  readonly #out = new ByteWriter(256)
  #next = -1
  #position = 0

  add(id: DocId): void {
    assert(id >= this.#next, 'ids ascend')
    if (id !== this.#next) {
      this.#out.u32(id)
      this.#out.u32(this.#position)
    }
    this.#next = id + 1
    this.#position++
  }

  finish(): Uint8Array {
    return this.#out.view()
  }
}

/** The runs of a segment, verified and checked by the constructor. */
export class Runs {
  readonly count: number
  readonly #runCount: number
  /** Two words per run: firstId, firstPosition. */
  readonly #runs: Uint32Array
  #set: IdSet | null = null

  /** @throws CorruptionError */
  constructor(section: Section, count: number) {
    section.all()
    this.#runs = section.u32()
    this.count = count
    this.#runCount = section.length / ENTRY_BYTES
    if (!Number.isInteger(this.#runCount) || this.#runCount > count) {
      refuse('RUNS', 0, 'bad_length', `8 × up to ${count}`, section.length)
    }
    let idEnd = -1
    for (let r = 0; r < this.#runCount; r++) {
      const from = this.#runs[r * 2]!
      const at = this.#runs[r * 2 + 1]!
      const to = this.#positionEnd(r)
      if ((r === 0 && at !== 0) || to <= at) {
        refuse('RUNS', r * ENTRY_BYTES + 4, 'bad_order', 'ascending positions from 0', at)
      }
      if (from <= idEnd) refuse('RUNS', r * ENTRY_BYTES, 'bad_order', `> ${idEnd}`, from)
      idEnd = from + to - at
      if (idEnd > ID_END) refuse('RUNS', r * ENTRY_BYTES, 'bad_value', 'ids of 32 bits', idEnd)
    }
    if (this.#runCount === 0 && count > 0) refuse('RUNS', 0, 'bad_length', 'a run', 'none')
  }

  /** Returns the position of an id, or -1. O(log runs) */
  positionOf(id: DocId): number {
    const r = this.#runOf(0, id)
    if (r < 0) return -1
    const position = this.#runs[r * 2 + 1]! + id - this.#runs[r * 2]!
    return position < this.#positionEnd(r) ? position : -1
  }

  /** Returns the id at a position below `count`. O(log runs) */
  idAt(position: number): number {
    assert(position >= 0 && position < this.count, 'a position is below the number of documents')
    const r = this.#runOf(1, position)
    return this.#runs[r * 2]! + position - this.#runs[r * 2 + 1]!
  }

  /** Returns all ids; the set is built once. */
  idSet(): IdSet {
    this.#set ??= this.#buildSet()
    return this.#set
  }

  #buildSet(): IdSet {
    const last = this.#runCount - 1
    if (last < 0) return IdSet.empty
    const idEnd = this.idAt(this.count - 1) + 1
    if (this.count <= idEnd / 32) {
      const ids = new Uint32Array(this.count)
      for (let r = 0; r <= last; r++) {
        const at = this.#runs[r * 2 + 1]!
        for (let p = at; p < this.#positionEnd(r); p++) ids[p] = this.#runs[r * 2]! + p - at
      }
      return IdSet.ofSorted(ids)
    }
    const words = new Uint32Array(Math.ceil(idEnd / 32))
    for (let r = 0; r <= last; r++) {
      const from = this.#runs[r * 2]!
      fillRange(words, from, from + this.#positionEnd(r) - this.#runs[r * 2 + 1]!)
    }
    return IdSet.ofWords(words)
  }

  #positionEnd(r: number): number {
    return r + 1 < this.#runCount ? this.#runs[r * 2 + 3]! : this.count
  }

  /**
   * Returns the last run whose firstId (column 0) or firstPosition (column 1) is at most `value`,
   * or -1.
   */
  #runOf(column: 0 | 1, value: number): number {
    let low = 0
    let high = this.#runCount
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#runs[middle * 2 + column]! <= value) low = middle + 1
      else high = middle
    }
    return low - 1
  }
}
