// What an edit of the manifest can say. The members are explained in ./MANIFEST.md; numbers named
// `index` and `segment` identify, they are no positions.
import type { BatchUid, DocId, FieldId, IndexNo, SegmentNo } from '../ids.ts'
import type { Tombstones } from '../tombstones/index.ts'
import type { Layer } from './layer-name.ts'

/** Microseconds since 1970, UTC. */
type Micros = number

/** A file whose frame has this checksum in its footer; or the frame itself, within the edit. */
export type SegmentLocation =
  | { readonly kind: 'file'; readonly checksum: number }
  | { readonly kind: 'inline'; readonly frame: Uint8Array }

/** A segment as it was written. */
export type SegmentEntry = {
  /** Unique in the database; names the file. */
  readonly segment: SegmentNo
  readonly layer: Layer
  /** Ids it was written with, those included whose copy here is dead by now. */
  readonly documents: number
  readonly idMin: DocId
  readonly idMax: DocId
  /** Of the frame. */
  readonly bytes: number
  readonly location: SegmentLocation
}

export type Change =
  | {
      readonly kind: 'index-created'
      readonly index: IndexNo
      readonly uid: string
      readonly primaryKey: string | null
      readonly at: Micros
      readonly settings: string
    }
  | { readonly kind: 'index-removed'; readonly index: IndexNo }
  | { readonly kind: 'index-renamed'; readonly index: IndexNo; readonly uid: string }
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
      /** By ascending field id: by how much the number of documents that have the field changes. */
      readonly counts: readonly (readonly [field: FieldId, difference: number])[]
    }
  | {
      readonly kind: 'vector-counts'
      readonly index: IndexNo
      /** By how much the number of vectors changes, and that of documents with any. */
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
      /** How its tasks ended: the record that goes into the task log as well. */
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
  /** Its changes rebuild everything from nothing. */
  readonly checkpoint: boolean
  readonly changes: readonly Change[]
}
