// What the database consists of at one moment: what all edits so far add up to. A state never
// changes; the next one shares with it whatever the edit left alone, so a view can keep it.
import type { IndexNo, SegmentNo } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import type { SegmentEntry } from '../../../format/manifest/index.ts'

export type SegmentState = SegmentEntry & {
  /** Counts the changes of `dead`; 0 when nothing died yet. */
  readonly generation: number
  /** Ids whose copy here no longer counts. */
  readonly dead: IdSet
}

export type IndexState = {
  /** Names the index for ever, whatever its uid. */
  readonly index: IndexNo
  readonly uid: string
  readonly primaryKey: string | null
  readonly createdAt: number
  readonly updatedAt: number
  /** JSON text; `engine/settings` reads it. */
  readonly settings: string
  /** Field id → name. */
  readonly fields: readonly string[]
  /** Name → field id. */
  readonly fieldIds: ReadonlyMap<string, number>
  /** Field id → documents that have it; exactly as long as `fields`. */
  readonly fieldCounts: Float64Array
  /** Vectors that documents have, all embedders together, and documents that have any. */
  readonly vectorCounts: { readonly vectors: number; readonly documents: number }
  readonly segments: ReadonlyMap<SegmentNo, SegmentState>
}

/** Space → key → bytes: small things that want the same durability as the rest. */
type Values = ReadonlyMap<string, ReadonlyMap<string, Uint8Array>>

export type State = {
  /** Of the last edit; 0 before the first. */
  readonly sequence: number
  /** No index ever had this number or a larger one. */
  readonly nextIndex: IndexNo
  /** No segment that was committed has this number or a larger one. */
  readonly nextSegment: SegmentNo
  /** By index number, ascending. */
  readonly indexes: ReadonlyMap<IndexNo, IndexState>
  readonly byUid: ReadonlyMap<string, number>
  readonly values: Values
  /**
   * By batch uid, in the order of commits: the records of batches that finished and may not have
   * reached the task log yet. See `Manifest.forget`.
   */
  readonly outcomes: ReadonlyMap<number, Uint8Array>
}

export const EMPTY_STATE: State = {
  sequence: 0,
  nextIndex: 1,
  nextSegment: 1,
  indexes: new Map(),
  byUid: new Map(),
  values: new Map(),
  outcomes: new Map(),
}

/** The index of that uid, or undefined. */
export function indexOfUid(state: State, uid: string): IndexState | undefined {
  const index = state.byUid.get(uid)
  return index === undefined ? undefined : state.indexes.get(index)
}

/** A new segment as it enters the state. */
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
 * The same state with memory of its own: inline frames, values and records that were views of a
 * manifest's bytes become copies, which begin at a multiple of 8, and the bytes can be let go.
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
  const outcomes = new Map<number, Uint8Array>()
  for (const [batch, record] of state.outcomes) outcomes.set(batch, new Uint8Array(record))
  return { ...state, indexes, values, outcomes }
}

function detachedSegment(segment: SegmentState): SegmentState {
  const { location } = segment
  if (location.kind === 'file') return segment
  return { ...segment, location: { kind: 'inline', frame: new Uint8Array(location.frame) } }
}
