// The state of the database at one moment: the result of all edits so far. A state never changes;
// the next state shares with it all parts that the edit did not change, so a view can hold it
// cheaply.
import {
  asIndexNo,
  asSegmentNo,
  type BatchUid,
  type FieldId,
  type IndexNo,
  type IndexUid,
  type SegmentNo,
} from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import type { SegmentEntry } from '../../../format/manifest/index.ts'

export type SegmentState = SegmentEntry & {
  /** Number of changes of `dead`, 0 if no document has died. */
  readonly generation: number
  /** Ids whose copy in this segment is dead. */
  readonly dead: IdSet
}

export type IndexState = {
  /** Identifies the index permanently, independent of its uid. */
  readonly index: IndexNo
  readonly uid: IndexUid
  readonly primaryKey: string | null
  readonly createdAt: number
  readonly updatedAt: number
  /** JSON text; `engine/settings` parses it. */
  readonly settings: string
  /** Names by field id. */
  readonly fields: readonly string[]
  /** Field ids by name. */
  readonly fieldIds: ReadonlyMap<string, FieldId>
  /** By field id, the number of documents that have the field; as long as `fields`. */
  readonly fieldCounts: Float64Array
  /** Number of vectors of all embedders together, and of documents with vectors. */
  readonly vectorCounts: { readonly vectors: number; readonly documents: number }
  readonly segments: ReadonlyMap<SegmentNo, SegmentState>
}

/** By space and key: small values that need the same durability as the documents. */
type Values = ReadonlyMap<string, ReadonlyMap<string, Uint8Array>>

export type State = {
  /** Sequence of the last edit; 0 before the first. */
  readonly sequence: number
  /** Larger than the number of every index that ever existed. */
  readonly nextIndex: IndexNo
  /** Larger than the number of every segment that was committed. */
  readonly nextSegment: SegmentNo
  /** By index number, ascending. */
  readonly indexes: ReadonlyMap<IndexNo, IndexState>
  readonly byUid: ReadonlyMap<IndexUid, IndexNo>
  readonly values: Values
  /**
   * By batch uid, in order of commits: records of finished batches that may not be in the task log
   * yet. See `Manifest.forget`.
   */
  readonly outcomes: ReadonlyMap<BatchUid, Uint8Array>
}

export const EMPTY_STATE: State = {
  sequence: 0,
  nextIndex: asIndexNo(1),
  nextSegment: asSegmentNo(1),
  indexes: new Map(),
  byUid: new Map(),
  values: new Map(),
  outcomes: new Map(),
}

/** Returns the index with this uid, or undefined. */
export function indexOfUid(state: State, uid: IndexUid): IndexState | undefined {
  const index = state.byUid.get(uid)
  return index === undefined ? undefined : state.indexes.get(index)
}

/** Returns the state of a new segment. */
export const segmentOf = (entry: SegmentEntry): SegmentState => ({
  segment: entry.segment,
  layer: entry.layer,
  documents: entry.documents,
  idMin: entry.idMin,
  idMax: entry.idMax,
  bytes: entry.bytes,
  location: entry.location,
  generation: 0,
  dead: IdSet.empty,
})

/**
 * Returns the same state with its own memory: inline frames, values and records that were views of
 * a manifest's bytes are copied, to offsets that are multiples of 8, so those bytes can be freed.
 */
export function detached(state: State): State {
  const indexes = new Map<IndexNo, IndexState>()
  for (const [number, index] of state.indexes) {
    const segments = new Map<SegmentNo, SegmentState>()
    for (const [key, segment] of index.segments) segments.set(key, detachedSegment(segment))
    indexes.set(number, { ...index, segments })
  }
  const values = new Map<string, ReadonlyMap<string, Uint8Array>>()
  for (const [space, keys] of state.values) {
    values.set(space, new Map([...keys].map(([key, value]) => [key, new Uint8Array(value)])))
  }
  const outcomes = new Map<BatchUid, Uint8Array>()
  for (const [batch, record] of state.outcomes) outcomes.set(batch, new Uint8Array(record))
  return { ...state, indexes, values, outcomes }
}

function detachedSegment(segment: SegmentState): SegmentState {
  const { location } = segment
  if (location.kind === 'file') return segment
  return { ...segment, location: { kind: 'inline', frame: new Uint8Array(location.frame) } }
}
