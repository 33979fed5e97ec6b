// The changes that an edit of the manifest can contain. ./MANIFEST.md explains the members. `index`
// and `segment` are identifying numbers, not positions.
import type { BatchUid, DocId, FieldId, IndexNo, IndexUid, SegmentNo } from '../ids.ts'
import type { Tombstones } from '../tombstones/index.ts'
import type { Layer } from './layer-name.ts'

/** Microseconds since 1970, UTC. */
type Micros = number

/**
 * The location of a segment: a file, whose frame has this checksum in its footer, or the frame
 * itself within the edit.
 */
export type SegmentLocation =
  | { readonly kind: 'file'; readonly checksum: number }
  | { readonly kind: 'inline'; readonly frame: Uint8Array }

/** A segment at the time it was written. */
export type SegmentEntry = {
  /** Unique in the database; names the file. */
  readonly segment: SegmentNo
  readonly layer: Layer
  /** Number of ids when the segment was written, including ids whose copy here is dead now. */
  readonly documents: number
  readonly idMin: DocId
  readonly idMax: DocId
  /** Length of the frame in bytes. */
  readonly bytes: number
  readonly location: SegmentLocation
}

export type Change =
  | {
      readonly kind: 'index-created'
      readonly index: IndexNo
      readonly uid: IndexUid
      readonly primaryKey: string | null
      readonly at: Micros
      readonly settings: string
    }
  | { readonly kind: 'index-removed'; readonly index: IndexNo }
  | { readonly kind: 'index-renamed'; readonly index: IndexNo; readonly uid: IndexUid }
  | {
      readonly kind: 'primary-key-set'
      readonly index: IndexNo
      readonly primaryKey: string | null
    }
  | { readonly kind: 'index-touched'; readonly index: IndexNo; readonly at: Micros }
  | { readonly kind: 'settings-set'; readonly index: IndexNo; readonly settings: string }
  | { readonly kind: 'fields-added'; readonly index: IndexNo; readonly names: readonly string[] }
  | {
      readonly kind: 'field-counts'
      readonly index: IndexNo
      /** By ascending field id: the change of the number of documents that have the field. */
      readonly counts: readonly (readonly [field: FieldId, difference: number])[]
    }
  | {
      readonly kind: 'vector-counts'
      readonly index: IndexNo
      /** The change of the number of vectors, and of the number of documents with vectors. */
      readonly vectors: number
      readonly documents: number
    }
  | ({ readonly kind: 'segment-added'; readonly index: IndexNo } & SegmentEntry)
  | { readonly kind: 'segment-removed'; readonly index: IndexNo; readonly segment: SegmentNo }
  | ({
      readonly kind: 'tombstones-added'
      readonly index: IndexNo
      readonly segment: SegmentNo
    } & Tombstones)
  | {
      readonly kind: 'tasks-finished'
      /** The uid of the batch. */
      readonly batch: BatchUid
      /** The outcome of its tasks: the same record that goes into the task log. */
      readonly record: Uint8Array
    }
  | {
      readonly kind: 'value-set'
      readonly space: string
      readonly key: string
      readonly value: Uint8Array | null
    }
  | { readonly kind: 'numbers'; readonly nextIndex: IndexNo; readonly nextSegment: SegmentNo }

export type ChangeOf<K extends Change['kind']> = Extract<Change, { readonly kind: K }>

export type Edit = {
  readonly sequence: number
  /** True if the changes rebuild the whole state from nothing. */
  readonly checkpoint: boolean
  readonly changes: readonly Change[]
}
