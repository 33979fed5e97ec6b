// The last hour: the sizes of indexes as the server has read them, and the documents that finished
// batches have indexed.
import type { Batch } from '../parts/index.ts'

const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const MINUTES = HOUR_MS / MINUTE_MS

export type HistoryAnswer = {
  readonly readings: readonly {
    readonly at: string
    readonly databaseSize: number
    readonly indexes: { readonly [uid: string]: number }
  }[]
}

/** A value at a moment; `at` is 0 an hour ago and 1 now. */
export type Point = { readonly at: number; readonly value: number }

const shareOf = (date: string, nowMs: number): number => 1 - (nowMs - Date.parse(date)) / HOUR_MS

/** Returns the sizes of an index, or of the database for null. An absent index had no size yet. */
export const sizePoints = (
  { readings }: HistoryAnswer,
  index: string | null,
  nowMs: number,
): readonly Point[] =>
  readings.map(({ at, databaseSize, indexes }) => ({
    at: shareOf(at, nowMs),
    value: index === null ? databaseSize : (indexes[index] ?? 0),
  }))

export type IndexingBatch = Pick<Batch, 'startedAt' | 'finishedAt'> & {
  readonly details: { readonly indexedDocuments?: number | null }
}

/**
 * Returns the documents per second of each minute. The documents of a batch are spread evenly over the
 * time that it took.
 */
export function ratePoints(batches: readonly IndexingBatch[], nowMs: number): readonly Point[] {
  const begin = nowMs - HOUR_MS
  const documents = new Array<number>(MINUTES).fill(0)
  for (const { startedAt, finishedAt, details } of batches) {
    if (finishedAt === null) continue
    const from = Date.parse(startedAt) - begin
    const tookMs = Math.max(1, Date.parse(finishedAt) - begin - from)
    const perMs = (details.indexedDocuments ?? 0) / tookMs
    const first = Math.max(0, Math.floor(from / MINUTE_MS))
    for (let minute = first; minute < MINUTES && minute * MINUTE_MS < from + tookMs; minute++) {
      const start = Math.max(from, minute * MINUTE_MS)
      const end = Math.min(from + tookMs, (minute + 1) * MINUTE_MS)
      documents[minute]! += Math.max(0, end - start) * perMs
    }
  }
  return documents.map((count, minute) => ({
    at: (minute + 1) / MINUTES,
    value: count / (MINUTE_MS / 1000),
  }))
}

/** Returns the largest value, or 0. */
export const peakOf = (points: readonly Point[]): number =>
  points.reduce((most, { value }) => Math.max(most, value), 0)
