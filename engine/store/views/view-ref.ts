// A view as plain data: what one index looked like after one edit. The main thread sends it; every
// thread that works on the view opens the segments it names.
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

const segmentRef = ({ dead, ...rest }: SegmentState): SegmentRef => ({
  ...rest,
  dead: dead.isEmpty ? null : idSetData(dead),
})
