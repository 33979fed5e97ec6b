// What is told about indexes: descriptions and statistics.
import type { Micros } from './time.ts'

export type IndexInfo = {
  readonly uid: string
  readonly createdAt: Micros
  readonly updatedAt: Micros
  readonly primaryKey: string | null
}

export type IndexStats = {
  readonly numberOfDocuments: number
  /** Bytes of the documents layer on disk. */
  readonly rawDocumentDbSize: number
  readonly avgDocumentSize: number
  readonly isIndexing: boolean
  readonly numberOfEmbeddings: number
  readonly numberOfEmbeddedDocuments: number
  /** Top-level field → documents that have it; by name in byte order. */
  readonly fieldDistribution: { readonly [field: string]: number }
  /** Part → bytes. */
  readonly internalDatabaseSizes: { readonly [part: string]: number }
}

export type DatabaseStats = {
  readonly databaseSize: number
  readonly usedDatabaseSize: number
  readonly lastUpdate: Micros | null
  /** By uid in byte order. */
  readonly indexes: ReadonlyMap<string, IndexStats>
}

/** Whether the caller may see an index; the server makes it from the key, null means all. */
export type Visibility = ((indexUid: string) => boolean) | null
