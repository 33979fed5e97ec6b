// A view as plain data: what one index looked like after one edit. The main thread sends it; every
// thread that works on the view opens the segments it names.
//
// What is large in it lies in shared memory, made once for each segment and each of its sets of
// dead documents: frames that the manifest holds, and those sets. Sending a view copies neither,
// and all threads read the same bytes.
import type { IndexNo } from '../../../format/ids.ts'
import { type IdSetData, idSetData } from '../../../format/idset/index.ts'
import type { SegmentEntry } from '../../../format/manifest/index.ts'
import type { IndexState, SegmentState } from '../catalog/index.ts'

export type SegmentRef = SegmentEntry & {
  readonly generation: number
  /** Ids whose copy here is dead; null: none. */
  readonly dead: IdSetData | null
}

export type ViewRef = {
  readonly index: IndexNo
  readonly uid: string
  /** Of the edit; larger is newer. */
  readonly sequence: number
  readonly primaryKey: string | null
  /** Field id → name. */
  readonly fields: readonly string[]
  /** JSON text; `engine/settings` reads it. */
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

/** A state of a segment never changes: its successor is another object. */
const refs = new WeakMap<SegmentState, SegmentRef>()
/** Frames outlive states: a segment keeps its frame when documents of it die. */
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
