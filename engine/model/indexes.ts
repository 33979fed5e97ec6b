// Descriptions and statistics of indexes.
import type { IndexUid } from '../../format/ids.ts'
import type { Micros } from './micros.ts'

export type IndexInfo = {
  readonly uid: IndexUid
  readonly createdAt: Micros
  readonly updatedAt: Micros
  readonly primaryKey: string | null
}

export type IndexStats = {
  readonly numberOfDocuments: number
  /** Bytes of the segments of the index on disk. */
  readonly indexSize: number
  /** The part of these that belongs to present documents. */
  readonly usedIndexSize: number
  /** Bytes of the documents layer on disk. */
  readonly rawDocumentDbSize: number
  readonly avgDocumentSize: number
  readonly isIndexing: boolean
  readonly numberOfEmbeddings: number
  readonly numberOfEmbeddedDocuments: number
  /** Number of documents that have each top-level field; keys in byte order. */
  readonly fieldDistribution: { readonly [field: string]: number }
  /** Bytes of each part. */
  readonly internalDatabaseSizes: { readonly [part: string]: number }
}

export type DatabaseStats = {
  readonly databaseSize: number
  readonly usedDatabaseSize: number
  readonly lastUpdate: Micros | null
  /** Keyed by uid, in byte order. */
  readonly indexes: ReadonlyMap<string, IndexStats>
}

/** Bytes on disk of the database and of each index. */
export type DatabaseSizes = {
  readonly databaseSize: number
  readonly indexes: ReadonlyMap<IndexUid, number>
}

/**
 * Returns whether the caller may see an index; the server derives it from the key. Null means all.
 */
export type Visibility = ((indexUid: IndexUid) => boolean) | null
