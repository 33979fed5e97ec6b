// A view as plain data: the state of one index after one edit. The main thread sends it to every
// thread that reads the index; each opens the segments it names.
//
// Large parts are in shared memory, created once per segment and per set of dead documents: the
// inline frames of the manifest, and those sets. So sending a view copies neither, and all threads
// read the same bytes.
import type { IndexNo, IndexUid } from '../../../format/ids.ts'
import { type IdSetData, idSetData } from '../../../format/idset/index.ts'
import type { SegmentEntry } from '../../../format/manifest/index.ts'
import type { IndexState, SegmentState } from '../catalog/index.ts'

export type SegmentRef = SegmentEntry & {
  readonly generation: number
  /** Ids whose copy in this segment is dead, or null. */
  readonly dead: IdSetData | null
}

export type ViewRef = {
  readonly index: IndexNo
  readonly uid: IndexUid
  /** Sequence of the edit; larger is newer. */
  readonly sequence: number
  readonly primaryKey: string | null
  /** Names by field id. */
  readonly fields: readonly string[]
  /** JSON text; `engine/settings` parses it. */
  readonly settings: string
  readonly segments: readonly SegmentRef[]
}

export function viewRef(state: IndexState, sequence: number): ViewRef {
  return {
    index: state.index,
    uid: state.uid,
    sequence,
    primaryKey: state.primaryKey,
    fields: state.fields,
    settings: state.settings,
    segments: [...state.segments.values()].map(segmentRef),
  }
}

/** By state of a segment. A state never changes; its successor is another object. */
const refs = new WeakMap<SegmentState, SegmentRef>()
/**
 * Shared copies of inline frames. A frame outlives states: a segment keeps it when documents die.
 */
const frames = new WeakMap<Uint8Array, Uint8Array>()

function segmentRef(state: SegmentState): SegmentRef {
  let ref = refs.get(state)
  if (ref === undefined) {
    const { dead, location, ...rest } = state
    ref = { ...rest, location: sharedLocation(location), dead: sharedIds(dead) }
    refs.set(state, ref)
  }
  return ref
}

function sharedLocation(location: SegmentState['location']): SegmentState['location'] {
  if (location.kind === 'file') return location
  let frame = frames.get(location.frame)
  if (frame === undefined) {
    frame = new Uint8Array(new SharedArrayBuffer(location.frame.length))
    frame.set(location.frame)
    frames.set(location.frame, frame)
  }
  return { kind: 'inline', frame }
}

function sharedIds(dead: SegmentState['dead']): IdSetData | null {
  if (dead.isEmpty) return null
  const { ids, words } = idSetData(dead)
  return { ids: ids && sharedU32(ids), words: words && sharedU32(words) }
}

function sharedU32(values: Uint32Array): Uint32Array {
  const shared = new Uint32Array(new SharedArrayBuffer(values.byteLength))
  shared.set(values)
  return shared
}

/** Documents of the largest layer: about the number of live documents. */
export function documentsOf({ segments }: ViewRef): number {
  const byLayer = new Map<string, number>()
  for (const { layer, documents } of segments) {
    byLayer.set(layer, (byLayer.get(layer) ?? 0) + documents)
  }
  return Math.max(0, ...byLayer.values())
}
