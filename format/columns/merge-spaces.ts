// Merges the elements of several segments: rows of live documents, numbered anew in the order of
// their owners.
import { assert } from '../errors.ts'
import { DOCUMENT_IDS_MAX } from '../fields/index.ts'
import type { FieldId } from '../ids.ts'
import { type IdSet, IdUnion } from '../idset/index.ts'
import type { ColumnsReader } from './columns-v1.ts'
import type { ElementSpace, SpaceRows } from './elements-v1.ts'
import { mergeIds } from './merge-field.ts'

/** The new id of a document or row that is not in the result. */
const NONE = 0xffffffff

/** The documents, or the rows of a space, of one input. */
type Outer = {
  readonly spaces: readonly ElementSpace[]
  /** Null for documents. */
  readonly space: ElementSpace | null
  readonly dead: IdSet
  /** By row its number in the result, or NONE; null for documents, whose ids stay the same. */
  readonly map: Uint32Array | null
}

/** The rows of one input in the result. */
export type MergedRows = {
  readonly source: ElementSpace
  readonly dead: IdSet
  readonly map: Uint32Array
}

/**
 * Returns whether one segment can number the elements of all inputs: `mergeColumns` asserts it. Dead
 * ones count. Costs the heads of the spaces. @throws CorruptionError
 */
export function elementsFit(
  readers: Iterable<ColumnsReader>,
  rowsMax: number = DOCUMENT_IDS_MAX,
): boolean {
  let rows = 0
  for (const reader of readers) {
    let most = 0
    for (const { docCount } of reader.spaces()) most = Math.max(most, docCount)
    rows += most
  }
  return rows < rowsMax
}

/**
 * Calls `write` for each space that has rows in the result, in the order in which spaces are stored.
 * @throws CorruptionError
 */
export function mergeSpaces(
  inputs: readonly { readonly reader: ColumnsReader; readonly dead: IdSet }[],
  write: (space: SpaceRows, rows: readonly MergedRows[]) => void,
): void {
  const levels: (readonly Outer[])[] = []
  const documents = inputs.map(({ reader, dead }): Outer => {
    return { spaces: reader.spaces(), space: null, dead, map: null }
  })
  if (documents.every(({ spaces }) => spaces.length === 0)) return
  levels.push(documents)
  for (let parent = 0; parent < levels.length; parent++) {
    const outer = levels[parent]!
    for (const path of pathsIn(outer)) {
      const found = outer.flatMap((one) => {
        const space = one.spaces.find((inner) => inner.parent === one.space && inner.path === path)
        return space === undefined ? [] : [{ outer: one, space }]
      })
      const { rows, merged } = mergeRowsOf(path, parent, found)
      if (rows.rowCount === 0) continue
      write(rows, merged)
      levels.push(
        merged.map(({ source, dead, map }, i) => {
          return { spaces: found[i]!.outer.spaces, space: source, dead, map }
        }),
      )
    }
  }
}

function pathsIn(outer: readonly Outer[]): Uint32Array {
  const paths = new Set<number>()
  for (const { spaces, space } of outer) {
    for (const { parent, path } of spaces) if (parent === space) paths.add(path)
  }
  return Uint32Array.from(paths).sort()
}

type Found = { readonly outer: Outer; readonly space: ElementSpace }

/** Numbers the live rows of one path. */
function mergeRowsOf(
  path: FieldId,
  parent: number,
  found: readonly Found[],
): { readonly rows: SpaceRows; readonly merged: readonly MergedRows[] } {
  const newOwners = found.map(ownersIn)
  const owners = mergeIds(newOwners.map((ids) => ids.filter((id) => id !== NONE)))
  const starts = new Uint32Array(owners.length + 1)
  found.forEach(({ space }, i) => {
    forEachOwner(newOwners[i]!, owners, (rank, at) => {
      const all = space.starts()
      starts[at + 1]! += all === null ? 1 : all[rank + 1]! - all[rank]!
    })
  })
  for (let at = 0; at < owners.length; at++) starts[at + 1]! += starts[at]!
  const next = starts.slice()
  const merged = found.map(({ space }, i): MergedRows => {
    const all = space.starts()
    const map = new Uint32Array(space.docCount).fill(NONE)
    forEachOwner(newOwners[i]!, owners, (rank, at) => {
      const from = all === null ? rank : all[rank]!
      const to = all === null ? rank + 1 : all[rank + 1]!
      for (let row = from; row < to; row++) map[row] = next[at]!++
    })
    return { source: space, dead: deadRows(map), map }
  })
  const rowCount = starts[owners.length]!
  assert(rowCount < DOCUMENT_IDS_MAX, 'the rows of a segment stay below DOCUMENT_IDS_MAX')
  const rows = { path, parent, rowCount, owners, starts }
  return { rows, merged }
}

/** Returns, by rank of an owner, its id in the result, or NONE. */
function ownersIn({ outer, space }: Found): Uint32Array {
  const { map, dead } = outer
  const owners = space.owners().set.toArray()
  if (map !== null) return owners.map((owner) => map[owner]!)
  return dead.isEmpty ? owners : owners.map((owner) => (dead.has(owner) ? NONE : owner))
}

/** Calls `take` with the rank of each owner in the result, and its position among all owners. */
function forEachOwner(
  ids: Uint32Array,
  owners: Uint32Array,
  take: (rank: number, at: number) => void,
): void {
  let at = 0
  for (let rank = 0; rank < ids.length; rank++) {
    const id = ids[rank]!
    if (id === NONE) continue
    while (owners[at]! < id) at++
    take(rank, at)
  }
}

function deadRows(map: Uint32Array): IdSet {
  const dead = new IdUnion(map.length)
  for (let row = 0; row < map.length; row++) if (map[row] === NONE) dead.add(row)
  return dead.take()
}
