// A line of `tasks/queue.jsonl`: a task, its request and its outcome. The module of each kind
// defines its part. Layout: ./DUMPS.md
import {
  formatMicros,
  type Nanos,
  type QueuedContent,
  TASK_STATUSES,
  type Task,
  type TaskKinds,
  type TaskStatus,
} from '../../write/task-data/index.ts'
import type { ImportedTask } from '../../write/tasks/index.ts'
import {
  batchUidOrNull,
  corrupted,
  countOf,
  indexUidOrNull,
  type Members,
  membersOf,
  taskUidOf,
  taskUidOrNull,
  textOf,
  textOrNull,
} from './dump-error.ts'
import type { DumpedKind } from './dump-form.ts'
import { microsOf, microsOrNull, nanosOf } from './moments.ts'
import { shownDetails } from './task-details.ts'
import { networkMembers, readNetworkMembers } from './task-network.ts'

/** Type and link of an error, by its code. */
export type DescribeError = (code: string) => { readonly type: string; readonly link: string }

/** `content` null: the request is no longer in the log. */
export function taskLine(
  { dump }: DumpedKind,
  task: Task,
  content: QueuedContent | null,
  describe: DescribeError,
): Members {
  const { error, canceledBy, customMetadata, startedAt, finishedAt, nanos } = task
  const known = task.details ?? {}
  const details = dump.details(known, content)
  return {
    uid: task.uid,
    batchUid: task.batchUid,
    indexUid: task.indexUid,
    status: task.status,
    type: content === null ? dump.typeOfDetails(known, task) : dump.type(content, task),
    ...(canceledBy === null ? {} : { canceledBy }),
    ...(details === null ? {} : { details }),
    ...(error === null
      ? {}
      : { error: { message: error.message, code: error.code, ...describe(error.code) } }),
    enqueuedAt: formatMicros(task.enqueuedAt, nanos?.enqueuedAt),
    ...(startedAt === null ? {} : { startedAt: formatMicros(startedAt, nanos?.startedAt) }),
    ...(finishedAt === null ? {} : { finishedAt: formatMicros(finishedAt, nanos?.finishedAt) }),
    ...(customMetadata === null ? {} : { customMetadata }),
    ...networkMembers(task),
  }
}

export type TaskLine = ImportedTask & {
  /** Number of documents that the body of a waiting import must hold, or null without a body. */
  readonly documents: number | null
}

/** @throws DumpError */
export function readTaskLine(
  kinds: TaskKinds<DumpedKind>,
  value: unknown,
  place: string,
): TaskLine {
  const line = membersOf(value, place)
  const [tag, members] = tagOf(line['type'], place)
  const kind = kinds.all.find(({ dump }) => Object.hasOwn(dump.tags, tag))
  if (kind === undefined) return corrupted(place, 'its type is unknown')
  const { dump } = kind
  const indexUid = indexUidOrNull(line['indexUid'], place)
  if (indexUid === null && dump.needsIndex) corrupted(place, 'it names no index')
  const status = statusOf(line['status'], place)
  const isWaiting = status === 'enqueued'
  const names = dump.names?.(members, place) ?? []
  const details = shownDetails(kinds, kind, line['details'], place)
  const documents = isWaiting ? (dump.documents?.(members) ?? null) : null
  return {
    uid: taskUidOf(line['uid'], place),
    batchUid: isWaiting ? null : batchUidOrNull(line['batchUid'], place),
    indexUid,
    status,
    kind: kind.name,
    canceledBy: taskUidOrNull(line['canceledBy'], place),
    details: details ?? (dump.hasNoDetails === true ? null : {}),
    error: errorOf(line['error'], place),
    enqueuedAt: microsOf(line['enqueuedAt'], place),
    startedAt: isWaiting ? null : microsOrNull(line['startedAt'], place),
    finishedAt: isWaiting ? null : microsOrNull(line['finishedAt'], place),
    nanos: isWaiting ? undefined : nanosIn(line),
    customMetadata: textOrNull(line['customMetadata'], place),
    ...(isWaiting ? {} : readNetworkMembers(line['network'], place)),
    names,
    count: countOf(details?.['receivedDocuments'] ?? details?.['matchedTasks'] ?? 0),
    content: isWaiting ? dump.tags[tag]!(members, place) : null,
    documents,
  }
}

function nanosIn({ enqueuedAt, startedAt, finishedAt }: Members): Nanos | undefined {
  const nanos = {
    enqueuedAt: nanosOf(enqueuedAt),
    startedAt: nanosOf(startedAt),
    finishedAt: nanosOf(finishedAt),
  }
  return Object.values(nanos).some((rest) => rest > 0) ? nanos : undefined
}

/** Splits `type`: a text, or an object whose first member is the tag. */
function tagOf(type: unknown, place: string): readonly [tag: string, members: Members] {
  if (typeof type === 'string') return [type, {}]
  const [tag, members] = Object.entries(membersOf(type, place))[0] ?? ['', {}]
  return [tag, membersOf(members, place)]
}

/** A task that was running during the dump waits again. */
function statusOf(value: unknown, place: string): TaskStatus {
  const status = textOf(value, place) as TaskStatus
  if (!TASK_STATUSES.includes(status)) corrupted(place, 'its status is unknown')
  return status === 'processing' ? 'enqueued' : status
}

function errorOf(value: unknown, place: string): ImportedTask['error'] {
  if (value === undefined || value === null) return null
  const { code, message } = membersOf(value, place)
  return { code: textOf(code, place), message: textOf(message, place) }
}
