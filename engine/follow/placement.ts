// A published state as it stands in the folder of a follower: with the numbers that it gets here,
// without the documents of indexes whose files are still on their way, and the files that it needs.
import type { IndexNo } from '../../format/ids.ts'
import type { SnapshotFile } from '../backup/snapshot/index.ts'
import {
  differences,
  type IndexState,
  type NumberShift,
  type State,
  segmentPath,
  shifted,
} from '../store/catalog/index.ts'
import type { Wanted } from './download.ts'
import { OWN_SPACES } from './record.ts'
import { ForeignSnapshot } from './snapshot-files.ts'

/**
 * The state of a snapshot with the numbers it gets here. A snapshot that is not what the local
 * state could become (its database was itself restored from an older one) gets numbers that were
 * never used, all of them.
 */
export function place(
  local: State,
  remote: State,
  shift: NumberShift,
): { readonly shift: NumberShift; readonly state: State } {
  const moved = shifted(remote, shift)
  if (differences(local, moved, OWN_SPACES) !== null) return { shift, state: moved }
  const fresh = { index: local.nextIndex, segment: local.nextSegment }
  return { shift: fresh, state: shifted(remote, fresh) }
}

/** The same state; these indexes have their name, settings and fields, and no documents. */
export function withoutDocuments(state: State, absent: ReadonlySet<IndexNo>): State {
  if (absent.size === 0) return state
  const indexes = new Map<IndexNo, IndexState>()
  for (const [number, index] of state.indexes) {
    indexes.set(number, absent.has(number) ? emptied(index) : index)
  }
  return { ...state, indexes }
}

const emptied = (index: IndexState): IndexState => ({
  ...index,
  fieldCounts: new Float64Array(index.fields.length),
  vectorCounts: { vectors: 0, documents: 0 },
  segments: new Map(),
})

/**
 * Files of segments that the local state does not have, by index; indexes that need none are left
 * out. `files`: those of the snapshot, by their paths there. @throws ForeignSnapshot
 */
export function segmentsToFetch(
  local: State,
  state: State,
  shift: NumberShift,
  files: ReadonlyMap<string, SnapshotFile>,
): ReadonlyMap<IndexNo, readonly Wanted[]> {
  const wanted = new Map<IndexNo, readonly Wanted[]>()
  for (const [number, { segments }] of state.indexes) {
    const known = local.indexes.get(number)?.segments
    const list: Wanted[] = []
    for (const { segment, layer, location } of segments.values()) {
      if (location.kind === 'inline' || known?.has(segment) === true) continue
      const path = segmentPath(segment - shift.segment, layer)
      const file = files.get(path)
      if (file === undefined) throw new ForeignSnapshot(`the snapshot lacks \`${path}\``)
      list.push({ file, path: segmentPath(segment, layer) })
    }
    if (list.length > 0) wanted.set(number, list)
  }
  return wanted
}

/** Indexes of `state` that are called as one of these of `before` is. */
export function sameNames(
  before: State,
  numbers: Iterable<IndexNo>,
  state: State,
): ReadonlySet<IndexNo> {
  const found = new Set<IndexNo>()
  for (const number of numbers) {
    const uid = before.indexes.get(number)?.uid
    const same = uid === undefined ? undefined : state.byUid.get(uid)
    if (same !== undefined) found.add(same)
  }
  return found
}
