// The progress of a topology change, and the texts that describe it.
import type { ImportSource } from './task-network.ts'

/** What other instances have reported about the change; durable. */
export type ChangeMessages = {
  /** The version of the network that the change creates. */
  readonly version: string
  /** Exporters that have nothing more to send. */
  readonly ended: readonly string[]
  /** Whether the import succeeded, by remote that has finished importing. */
  readonly finished: { readonly [remote: string]: boolean }
  /** Remotes that search according to the new network. */
  readonly routed: readonly string[]
  /** Whether documents and indexes left behind on this instance are deleted. */
  readonly isClean: boolean
  /** Whether the leader has sent all definitions of indexes, if this instance is renewed. */
  readonly isDefined: boolean
}

/** A part of an import, from its task. */
export type ReceivedPart = {
  readonly source: ImportSource
  readonly hasEnded: boolean
  readonly hasFailed: boolean
}

/** The progress of the import from one exporter. */
export type ExporterProgress = {
  readonly remote: string
  readonly hasBegun: boolean
  /** Announced documents of the indexes of which a part has arrived. */
  readonly total: number
  readonly received: number
  readonly processed: number
  readonly indexes: number
  readonly isFinished: boolean
  /** Whether some of its documents could not be imported. */
  readonly hasFailed: boolean
}

export function exporterProgress(
  remote: string,
  parts: readonly ReceivedPart[],
  ended: readonly string[],
): ExporterProgress {
  const own = parts.filter(({ source }) => source.remoteName === remote)
  const totals = new Map<string, { total: number; processed: number }>()
  let indexes = 0
  let received = 0
  let processed = 0
  for (const { source, hasEnded } of own) {
    indexes = Math.max(indexes, source.indexCount)
    received += source.documentCount
    // Definitions of indexes are not an index.
    if (source.indexName === null) continue
    const known = totals.get(source.indexName) ?? { total: 0, processed: 0 }
    totals.set(source.indexName, known)
    known.total = source.totalDocuments
    if (!hasEnded) continue
    processed += source.documentCount
    known.processed += source.documentCount
  }
  const areAllEnded = own.every(({ hasEnded }) => hasEnded)
  const isWhole =
    own.length > 0 &&
    totals.size >= indexes &&
    [...totals.values()].every((index) => index.processed >= index.total)
  return {
    remote,
    hasBegun: own.length > 0 || ended.includes(remote),
    total: [...totals.values()].reduce((sum, { total }) => sum + total, 0),
    received,
    processed,
    indexes,
    isFinished: areAllEnded && (isWhole || ended.includes(remote)),
    hasFailed: own.some(({ source, hasFailed }) => hasFailed && source.indexName !== null),
  }
}

const ofOthers = (count: number): string => (count === 0 ? '' : ` and ${count} other remotes`)

/** Returns the progress text of the task while it imports. */
export function importingText(exporters: readonly ExporterProgress[]): string {
  const silent = exporters.filter(({ hasBegun }) => !hasBegun)
  const busy = exporters.filter(({ hasBegun, isFinished }) => hasBegun && !isFinished)
  const done = exporters.length - silent.length - busy.length
  const parts = [`Importing documents from ${exporters.length} remotes`]
  if (silent.length > 0) {
    const others = ofOthers(silent.length - 1)
    parts.push(`waiting on first task from \`${silent[0]!.remote}\`${others}`)
  }
  if (busy.length > 0) {
    const { remote, total, received, processed, indexes } = busy[0]!
    parts.push(
      `awaiting ${Math.max(0, total - received)} and processed ${processed} out of ${total} ` +
        `documents in ${indexes} indexes from \`${remote}\`${ofOthers(busy.length - 1)}`,
    )
  }
  return [...parts, `${done} remotes finished processing`].join(', ')
}

/** Returns the progress text of the task while other instances import. */
export function waitingText(waiting: readonly string[], finished: number): string {
  const others = waiting.length > 1 ? ` and ${waiting.length - 1} other remote(s)` : ''
  const done = finished > 0 ? `, ${finished} remote(s) finished` : ''
  return `Waiting for \`${waiting[0]}\`${others} to finish importing${done}`
}

export const STATE_TEXTS = {
  waitingForOlderTasks: 'Waiting for tasks enqueued before the network change to finish processing',
  exportingDocuments: 'Exporting documents',
  deletingDocuments: 'Deleting documents in shards that are no longer owned',
} as const
