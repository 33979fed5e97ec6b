// Adapts a published state to the folder of a follower: renumbers it, removes the documents of
// indexes whose files are not there yet, and lists the files that it needs.
import { asSegmentNo, type IndexNo } from '../../../format/ids.ts'
import type { SnapshotFile } from '../../backup/snapshot/index.ts'
import {
  differences,
  type IndexState,
  type NumberShift,
  type State,
  segmentPath,
  shifted,
} from '../../store/catalog/index.ts'
import type { Wanted } from './download.ts'
import { OWN_SPACES } from './record.ts'
import { ForeignSnapshot } from './snapshot-files.ts'

/**
 * Returns the state of a snapshot with local numbers. If the snapshot cannot be a later version of
 * the local state (its database was itself restored from an older one), all its numbers become
 * numbers that were never used here.
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

/** Returns the state in which these indexes keep name, settings and fields, but no documents. */
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
 * Returns the files of segments that the local state does not have, by index, for indexes that need
 * any. `files`: those of the snapshot, by their paths there. @throws ForeignSnapshot
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
      const path = segmentPath(asSegmentNo(segment - shift.segment), layer)
      const file = files.get(path)
      if (file === undefined) throw new ForeignSnapshot(`the snapshot lacks \`${path}\``)
      const like = shift.segment === 0 ? {} : { like: path }
      list.push({ file, path: segmentPath(segment, layer), ...like })
    }
    if (list.length > 0) wanted.set(number, list)
  }
  return wanted
}

/** Returns the indexes of `state` that have the same name as one of these of `before`. */
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
