// Statistics of indexes, computed on the main thread from the catalog without reading files.
import { compareText } from '../../../format/bytes/index.ts'
import type { IndexUid } from '../../../format/ids.ts'
import type {
  DatabaseSizes,
  DatabaseStats,
  IndexInfo,
  IndexStats,
  Visibility,
} from '../../model/index.ts'
import { documentsProfile } from '../layers/index.ts'
import { bytesOf, documentCount, sizesOf } from './sizes.ts'
import type { IndexState, State } from './state.ts'

export const infoOf = ({ uid, createdAt, updatedAt, primaryKey }: IndexState): IndexInfo => ({
  uid,
  createdAt,
  updatedAt,
  primaryKey,
})

/** Returns the visible indexes by uid in byte order. */
export const visibleIndexes = (state: State, visible: Visibility): IndexState[] =>
  [...state.indexes.values()]
    .filter(({ uid }) => visible === null || visible(uid))
    .sort((a, b) => compareText(a.uid, b.uid))

export function indexStatsOf(index: IndexState, isIndexing: boolean): IndexStats {
  const numberOfDocuments = documentCount(index)
  const sizes = sizesOf(index)
  const rawDocumentDbSize = sizes[documentsProfile.name] ?? 0
  return {
    numberOfDocuments,
    ...segmentBytes(index),
    rawDocumentDbSize,
    avgDocumentSize:
      numberOfDocuments === 0 ? 0 : Math.floor(rawDocumentDbSize / numberOfDocuments),
    isIndexing,
    numberOfEmbeddings: index.vectorCounts.vectors,
    numberOfEmbeddedDocuments: index.vectorCounts.documents,
    fieldDistribution: fieldDistribution(index),
    internalDatabaseSizes: sizes,
  }
}

/** Returns the counts by name. Vectors do not count as a field; they have their own numbers. */
function fieldDistribution({ fields, fieldCounts }: IndexState): { [field: string]: number } {
  const counts: [string, number][] = []
  fieldCounts.forEach((count, field) => {
    if (count > 0 && fields[field] !== '_vectors') counts.push([fields[field]!, count])
  })
  return Object.fromEntries(counts.sort(([a], [b]) => compareText(a, b)))
}

/** `otherBytes`: size of the files that belong to no index. */
export function databaseStatsOf(
  state: State,
  visible: Visibility,
  isIndexing: (uid: IndexUid) => boolean,
  otherBytes: number,
): DatabaseStats {
  const indexes = new Map<string, IndexStats>()
  let lastUpdate: number | null = null
  for (const index of visibleIndexes(state, visible)) {
    indexes.set(index.uid, indexStatsOf(index, isIndexing(index.uid)))
    lastUpdate = Math.max(lastUpdate ?? 0, index.updatedAt)
  }
  let databaseSize = otherBytes
  let usedDatabaseSize = otherBytes
  for (const index of state.indexes.values()) {
    const { indexSize, usedIndexSize } = segmentBytes(index)
    databaseSize += indexSize
    usedDatabaseSize += usedIndexSize
  }
  return { databaseSize, usedDatabaseSize, lastUpdate, indexes }
}

/**
 * Returns the sizes in `databaseStatsOf` alone, which cost a fraction: 5,000 indexes take a few
 * milliseconds. `otherBytes`: as there.
 */
export function databaseSizesOf(state: State, otherBytes: number): DatabaseSizes {
  const indexes = new Map<IndexUid, number>()
  let databaseSize = otherBytes
  for (const index of state.indexes.values()) {
    const bytes = bytesOf(index)
    indexes.set(index.uid, bytes)
    databaseSize += bytes
  }
  return { databaseSize, indexes }
}

/** Returns the bytes of all segments, and an estimate of those that present documents need. */
function segmentBytes({ segments }: IndexState): Pick<IndexStats, 'indexSize' | 'usedIndexSize'> {
  let indexSize = 0
  let usedIndexSize = 0
  for (const { bytes, documents, dead } of segments.values()) {
    indexSize += bytes
    usedIndexSize += Math.ceil(bytes * (1 - dead.size / documents))
  }
  return { indexSize, usedIndexSize }
}
