// The elements of a segment in the making: rows in spaces, one for each path below a document or
// below a row of another space (./COLUMNS.md, "Elements"). An element becomes a row with its first
// value, so that elements without a value of any field have none.
import { assert } from '../errors.ts'
import { DOCUMENT_IDS_MAX, Uint32List } from '../fields/index.ts'
import type { DocId, FieldId } from '../ids.ts'
import type { SpaceRows } from './elements-v1.ts'
import { FieldLists } from './field-lists.ts'

/** The rows of one space in the making. */
export class RowSpace {
  readonly path: FieldId
  readonly lists = new FieldLists()
  /** The spaces of the elements inside its rows, by path. */
  readonly below = new Map<FieldId, RowSpace>()
  /** By row: the document, or the row of the outer space. */
  readonly #owners = new Uint32List(4)

  constructor(path: FieldId) {
    this.path = path
  }

  get rowCount(): number {
    return this.#owners.length
  }

  /** The row begun last, or -1. */
  get row(): number {
    return this.#owners.length - 1
  }

  begin(owner: number): void {
    assert(this.rowCount < DOCUMENT_IDS_MAX, 'the rows of a segment stay below DOCUMENT_IDS_MAX')
    this.#owners.push(owner)
  }

  /** `parent`: number of the outer space, 0 for documents. */
  rows(parent: number): SpaceRows {
    const all = this.#owners.view()
    const owners = new Uint32Array(all.length)
    const starts = new Uint32Array(all.length + 1)
    let n = 0
    for (let row = 0; row < all.length; row++) {
      if (n === 0 || owners[n - 1] !== all[row]) owners[n++] = all[row]!
      starts[n] = row + 1
    }
    return {
      path: this.path,
      parent,
      rowCount: all.length,
      owners: owners.subarray(0, n),
      starts: starts.subarray(0, n + 1),
    }
  }
}

/** A space with the number of its outer one. */
export type NumberedSpace = { readonly space: RowSpace; readonly parent: number }

/** All spaces of a segment, and the elements around the current value. */
export class ElementRows {
  readonly #top = new Map<FieldId, RowSpace>()
  readonly #open: RowSpace[] = []
  /** By level: true if the element has a row. */
  readonly #hasRow: boolean[] = []
  /** Number of elements around the current value. */
  depth = 0

  enter(path: FieldId): void {
    const siblings = this.depth === 0 ? this.#top : this.#open[this.depth - 1]!.below
    let space = siblings.get(path)
    if (space === undefined) siblings.set(path, (space = new RowSpace(path)))
    this.#open[this.depth] = space
    this.#hasRow[this.depth++] = false
  }

  leave(): void {
    assert(this.depth > 0, 'an element was entered')
    this.depth--
  }

  /**
   * Returns the space of the element at `level`, whose row is the last one. Levels are asked for
   * from the outermost on.
   */
  at(level: number, id: DocId): RowSpace {
    const space = this.#open[level]!
    if (this.#hasRow[level]!) return space
    space.begin(level === 0 ? id : this.#open[level - 1]!.row)
    this.#hasRow[level] = true
    return space
  }

  /** Returns the spaces that have rows, in the order in which they are stored. */
  spaces(): readonly NumberedSpace[] {
    const found: NumberedSpace[] = []
    const add = (spaces: ReadonlyMap<FieldId, RowSpace>, parent: number): void => {
      for (const path of [...spaces.keys()].sort((a, b) => a - b)) {
        const space = spaces.get(path)!
        if (space.rowCount > 0) found.push({ space, parent })
      }
    }
    add(this.#top, 0)
    for (let i = 0; i < found.length; i++) add(found[i]!.space.below, i + 1)
    return found
  }
}
