// The public form of answers: members in their documented order, durations and sizes as text.
import {
  type AcceptedTask,
  batchView,
  type DatabaseStats,
  formatMicros,
  type IndexInfo,
  type IndexStats,
  summaryView,
  type Task,
  taskView,
  type View,
} from '../../../engine/index.ts'
import { errorBody } from '../../errors/index.ts'
import { type Reply, sizeForPeople } from '../../http/messages/index.ts'
import type { StatsQuery } from '../../parse/index.ts'

export { batchView }

/** The answer to an asynchronous write. */
export const accepted = (task: AcceptedTask, status: 200 | 202 = 202): Reply => ({
  status,
  body: summaryView(task),
})

/** An answer with finished JSON, or with a value to be written as JSON. */
export const okReply = (body: unknown): Reply => ({ status: 200, body })

/** Returns a task with its error in full. */
export const taskOf = (task: Task): View =>
  taskView(task, ({ code, message }) => errorBody(code, message))

export const indexView = (index: IndexInfo): View => ({
  uid: index.uid,
  createdAt: formatMicros(index.createdAt),
  updatedAt: formatMicros(index.updatedAt),
  primaryKey: index.primaryKey,
})

export function statsView(stats: DatabaseStats, asked: StatsQuery): View {
  const size = sizes(asked)
  const indexes: { [uid: string]: View } = {}
  for (const [uid, index] of stats.indexes) indexes[uid] = indexStatsView(index, asked)
  return {
    databaseSize: size(stats.databaseSize),
    usedDatabaseSize: size(stats.usedDatabaseSize),
    lastUpdate: stats.lastUpdate === null ? null : formatMicros(stats.lastUpdate),
    indexes,
  }
}

export function indexStatsView(stats: IndexStats, asked: StatsQuery): View {
  const size = sizes(asked)
  const parts = Object.entries(stats.internalDatabaseSizes)
  const shown = asked.showInternalDatabaseSizes && parts.length > 0
  return {
    numberOfDocuments: stats.numberOfDocuments,
    indexSize: size(stats.indexSize),
    usedIndexSize: size(stats.usedIndexSize),
    rawDocumentDbSize: size(stats.rawDocumentDbSize),
    avgDocumentSize: size(stats.avgDocumentSize),
    isIndexing: stats.isIndexing,
    ...(shown
      ? {
          internalDatabaseSizes: Object.fromEntries(
            parts.map(([part, bytes]) => [part, size(bytes)]),
          ),
        }
      : {}),
    numberOfEmbeddings: stats.numberOfEmbeddings,
    numberOfEmbeddedDocuments: stats.numberOfEmbeddedDocuments,
    fieldDistribution: stats.fieldDistribution,
  }
}

const sizes = ({ sizeFormat }: StatsQuery): ((bytes: number) => number | string) =>
  sizeFormat === 'human' ? sizeForPeople : (bytes) => bytes
