// A line of `batches/queue.jsonl`: a batch that has ended. Layout: ./DUMPS.md
import { type Batch, formatMicros, TASK_STATUSES } from '../../write/task-data/index.ts'
import { batchView } from '../../write/task-lists/index.ts'
import type { ImportedBatch } from '../../write/tasks/index.ts'
import { batchUidOf, countOf, type Members, membersOf, textOrNull } from './dump-error.ts'
import { microsOf, nanosOf } from './moments.ts'

/** The times at which the first and the last task of a batch were enqueued. */
export type Enqueued = { readonly first: number; readonly last: number }

export function batchLine(batch: Batch, { first, last }: Enqueued): Members {
  const view = batchView(batch)
  const { embedderRequests, ...stats } = view['stats'] as Members
  return {
    uid: batch.uid,
    details: batch.details,
    stats,
    ...(embedderRequests === undefined ? {} : { embedderStats: embedderRequests }),
    startedAt: view['startedAt'],
    finishedAt: view['finishedAt'],
    enqueuedAt: { earliest: formatMicros(last), oldest: formatMicros(first) },
    stopReason: batch.batchStrategy,
  }
}

function nanosIn(startedAt: unknown, finishedAt: unknown): Batch['nanos'] {
  const nanos = { startedAt: nanosOf(startedAt), finishedAt: nanosOf(finishedAt) }
  return nanos.startedAt + nanos.finishedAt > 0 ? nanos : undefined
}

/** `kinds`: the names of kinds to read; others are left out. @throws DumpError */
export function readBatchLine(
  kinds: readonly string[],
  value: unknown,
  place: string,
): ImportedBatch {
  const line = membersOf(value, place)
  const stats = membersOf(line['stats'] ?? {}, place)
  const startedAt = microsOf(line['startedAt'], place)
  const finishedAt = line['finishedAt'] ?? null
  const counts = (name: string): { readonly [key: string]: number } =>
    Object.fromEntries(
      Object.entries(membersOf(stats[name] ?? {}, place)).map(([key, n]) => [key, countOf(n)]),
    )
  const { total, failed, lastError } = membersOf(line['embedderStats'] ?? {}, place)
  return {
    uid: batchUidOf(line['uid'], place),
    startedAt,
    finishedAt: finishedAt === null ? startedAt : microsOf(finishedAt, place),
    nanos: nanosIn(line['startedAt'], finishedAt ?? line['startedAt']),
    strategy: textOrNull(line['stopReason'], place) ?? 'unspecified',
    details: membersOf(line['details'] ?? {}, place),
    stats: {
      totalNbTasks: countOf(stats['totalNbTasks']),
      status: known(counts('status'), TASK_STATUSES),
      types: known(counts('types'), kinds),
      indexUids: counts('indexUids'),
      progressTrace: mapped(stats['progressTrace'], millisOf, place),
      writeChannelCongestion: congestionOf(stats['writeChannelCongestion']),
      internalDatabaseSizes:
        stats['internalDatabaseSizes'] === undefined
          ? null
          : mapped(stats['internalDatabaseSizes'], sizeOf, place),
      embedderRequests:
        total === undefined
          ? null
          : {
              total: countOf(total),
              failed: countOf(failed),
              lastError: textOrNull(lastError, place),
            },
    },
  }
}

const known = (
  counts: { readonly [name: string]: number },
  names: readonly string[],
): { readonly [name: string]: number } =>
  Object.fromEntries(Object.entries(counts).filter(([name]) => names.includes(name)))

const mapped = <T>(
  value: unknown,
  read: (text: string) => T,
  place: string,
): { readonly [name: string]: T } =>
  Object.fromEntries(
    Object.entries(membersOf(value ?? {}, place)).map(([name, text]) => [name, read(String(text))]),
  )

const MILLIS: { readonly [unit: string]: number } = { s: 1000, ms: 1, µs: 1e-3, μs: 1e-3, ns: 1e-6 }

/** `8.38ms` → 8.38 */
function millisOf(text: string): number {
  const [, number = '0', unit = 'ms'] = /^([\d.]+)\s*(\D+)$/.exec(text) ?? []
  const millis = Number(number) * (MILLIS[unit] ?? 0)
  return Number.isFinite(millis) ? millis : 0
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB']

function bytesOf(text: string): number {
  const [, number = '0', unit = 'B'] = /^([-+]?[\d.]+)\s*([A-Za-z]+)$/.exec(text.trim()) ?? []
  const bytes = Number(number) * 1024 ** Math.max(0, UNITS.indexOf(unit))
  return Number.isFinite(bytes) ? bytes : 0
}

/** `16 KiB (+4 KiB)` → [16384, 4096] */
function sizeOf(text: string): readonly [number, number] {
  const [, size = '', change = ''] = /^([^(]+)\(([^)]+)\)$/.exec(text) ?? []
  return [bytesOf(size), bytesOf(change)]
}

function congestionOf(value: unknown): ImportedBatch['stats']['writeChannelCongestion'] {
  if (typeof value !== 'object' || value === null) return null
  const { attempts, blocking_attempts: blocking, blocking_ratio: ratio } = value as Members
  return {
    attempts: countOf(attempts),
    blocking_attempts: countOf(blocking),
    blocking_ratio: typeof ratio === 'number' ? ratio : 0,
  }
}
