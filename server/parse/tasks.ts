// Filters of tasks and batches, and their numbers in paths.

import {
  TASK_KINDS,
  TASK_STATUSES,
  type TaskFilter,
  type TaskKindName,
  type TaskPage,
  type TaskStatus,
} from '../../engine/index.ts'
import { quotedNames } from '../../format/errors.ts'
import {
  asBatchUid,
  asTaskUid,
  type BatchUid,
  type IndexUid,
  type TaskUid,
} from '../../format/ids.ts'
import * as json from '../../format/schema/index.ts'
import { ApiError, type ErrorCode } from '../errors/index.ts'
import {
  finishedQuery,
  indexUidProblem,
  invalid,
  isIndexUid,
  momentOf,
  momentProblem,
  PAGE_LIMIT_DEFAULT,
  type ParameterReader,
  type ParametersOf,
  parameter,
  type QueryReader,
  query,
  rawFlag,
  rawList,
  rawU32,
  schemaOf,
  u32Of,
  withSchema,
} from './schema/index.ts'

/** The value of a parameter sent as `*`: it restricts nothing, but counts as sent. */
const EVERY = Symbol('every')
type FilterValue<T> = T | typeof EVERY | null

/**
 * Reads a comma list; a star among its elements removes the restriction, but the others are still
 * checked.
 */
const orEvery = <T>(read: ParameterReader<T>): ParameterReader<FilterValue<readonly T[]>> =>
  withSchema(
    (raw) => {
      let every = false
      const found = rawList((piece) => {
        if (piece !== '*') return read(piece)
        every = true
        return null
      })(raw)
      return every ? EVERY : (found as readonly T[])
    },
    () => ({ type: 'array', items: { anyOf: [schemaOf(read), { const: '*' }] } }),
  )

const KINDS_BY_LOWER_NAME: ReadonlyMap<string, TaskKindName> = new Map(
  TASK_KINDS.map((kind) => [kind.toLowerCase(), kind]),
)

const rawKind: ParameterReader<TaskKindName> = (raw) => {
  const found = KINDS_BY_LOWER_NAME.get(raw.toLowerCase())
  if (found !== undefined) return found
  throw invalid(
    `\`${raw}\` is not a valid task type. Available types are ${quotedNames(TASK_KINDS)}.`,
  )
}

withSchema(rawKind, () => json.oneOf(TASK_KINDS))

const rawStatus: ParameterReader<TaskStatus> = (raw) => {
  const found = TASK_STATUSES.find((status) => status === raw.toLowerCase())
  if (found !== undefined) return found
  throw invalid(
    `\`${raw}\` is not a valid task status. Available statuses are ${quotedNames(TASK_STATUSES)}.`,
  )
}

withSchema(rawStatus, () => json.oneOf(TASK_STATUSES))

const rawIndexUid: ParameterReader<IndexUid> = (raw) => {
  if (isIndexUid(raw)) return raw
  throw invalid(indexUidProblem(raw))
}

withSchema(rawIndexUid, () => json.text)

const rawMoment = (side: 'after' | 'before'): ParameterReader<FilterValue<number>> =>
  withSchema(
    (raw) => {
      if (raw === '*') return EVERY
      const moment = momentOf(raw, side)
      if (moment === null) throw invalid(momentProblem(raw))
      return moment
    },
    () => json.text,
  )

type FlatFilter = {
  readonly uids: FilterValue<readonly TaskUid[]>
  readonly batchUids: FilterValue<readonly BatchUid[]>
  readonly canceledBy: FilterValue<readonly TaskUid[]>
  readonly types: FilterValue<readonly TaskKindName[]>
  readonly statuses: FilterValue<readonly TaskStatus[]>
  readonly indexUids: FilterValue<readonly IndexUid[]>
  readonly afterEnqueuedAt: FilterValue<number>
  readonly beforeEnqueuedAt: FilterValue<number>
  readonly afterStartedAt: FilterValue<number>
  readonly beforeStartedAt: FilterValue<number>
  readonly afterFinishedAt: FilterValue<number>
  readonly beforeFinishedAt: FilterValue<number>
}

const rawTaskUid = rawU32 as ParameterReader<TaskUid>
const rawBatchUid = rawU32 as ParameterReader<BatchUid>

const uids = parameter(orEvery(rawTaskUid), 'invalid_task_uids', null)
const batchUids = parameter(orEvery(rawBatchUid), 'invalid_batch_uids', null)

const REST: Omit<ParametersOf<FlatFilter>, 'uids' | 'batchUids'> = {
  canceledBy: parameter(orEvery(rawTaskUid), 'invalid_task_canceled_by', null),
  types: parameter(orEvery(rawKind), 'invalid_task_types', null),
  statuses: parameter(orEvery(rawStatus), 'invalid_task_statuses', null),
  indexUids: parameter(orEvery(rawIndexUid), 'invalid_index_uid', null),
  afterEnqueuedAt: parameter(rawMoment('after'), 'invalid_task_after_enqueued_at', null),
  beforeEnqueuedAt: parameter(rawMoment('before'), 'invalid_task_before_enqueued_at', null),
  afterStartedAt: parameter(rawMoment('after'), 'invalid_task_after_started_at', null),
  beforeStartedAt: parameter(rawMoment('before'), 'invalid_task_before_started_at', null),
  afterFinishedAt: parameter(rawMoment('after'), 'invalid_task_after_finished_at', null),
  beforeFinishedAt: parameter(rawMoment('before'), 'invalid_task_before_finished_at', null),
}

/**
 * The engine reads one more to find the start of the next page, and that number is a u32 as well.
 */
const TASK_LIMIT_MAX = 0xfffffffe

const listQuery = query<TaskPage & FlatFilter>({
  limit: parameter(rawU32, 'invalid_task_limit', PAGE_LIMIT_DEFAULT),
  from: parameter(rawU32, 'invalid_task_from', null),
  reverse: parameter(rawFlag, 'invalid_task_reverse', false),
  batchUids,
  uids,
  ...REST,
})

const filterQuery = query<FlatFilter>({ uids, batchUids, ...REST })

/** Reads the query string of a list of tasks or batches. @throws ApiError */
export const readTaskList: QueryReader<{
  readonly filter: TaskFilter
  readonly page: TaskPage
}> = finishedQuery(listQuery, ({ limit, from, reverse, ...flat }) => {
  const page = { limit: Math.min(limit, TASK_LIMIT_MAX), from, reverse }
  return { filter: filterOf(flat), page }
})

/** The tasks to cancel or delete. */
export type TaskSelection = {
  readonly filter: TaskFilter
  /** The query string as it was sent, with a `?`. */
  readonly text: string
}

/** Reads the query string of a selection, which must have a filter. @throws ApiError */
const selectionQuery = (verb: 'cancel' | 'delete'): QueryReader<TaskSelection> =>
  finishedQuery(filterQuery, (flat, text) => {
    if (Object.values(flat).some((value) => value !== null)) {
      return { filter: filterOf(flat), text: `?${text}` }
    }
    throw new ApiError(
      'missing_task_filters',
      `Query parameters to filter the tasks to ${verb} are missing. ` +
        'Available query parameters are: `uids`, `indexUids`, `statuses`, `types`, `canceledBy`, ' +
        '`beforeEnqueuedAt`, `afterEnqueuedAt`, `beforeStartedAt`, `afterStartedAt`, ' +
        '`beforeFinishedAt`, `afterFinishedAt`.',
    )
  })

/** @throws ApiError */
export const readTasksToCancel: QueryReader<TaskSelection> = selectionQuery('cancel')

/** @throws ApiError */
export const readTasksToDelete: QueryReader<TaskSelection> = selectionQuery('delete')

const filterOf = (flat: FlatFilter): TaskFilter => ({
  uids: restriction(flat.uids),
  batchUids: restriction(flat.batchUids),
  canceledBy: restriction(flat.canceledBy),
  kinds: restriction(flat.types),
  statuses: restriction(flat.statuses),
  indexUids: restriction(flat.indexUids),
  afterEnqueuedAt: restriction(flat.afterEnqueuedAt),
  beforeEnqueuedAt: restriction(flat.beforeEnqueuedAt),
  afterStartedAt: restriction(flat.afterStartedAt),
  beforeStartedAt: restriction(flat.beforeStartedAt),
  afterFinishedAt: restriction(flat.afterFinishedAt),
  beforeFinishedAt: restriction(flat.beforeFinishedAt),
})

/** Returns the restriction of a parameter, each element of a list once. */
const restriction = <T>(value: FilterValue<T>): T | null => {
  if (value === EVERY) return null
  return (Array.isArray(value) ? [...new Set(value)] : value) as T | null
}

/** Reads the number of a task in a path. @throws ApiError */
export const readTaskUid = (raw: string): TaskUid =>
  asTaskUid(readUid(raw, 'Task', 'invalid_task_uids'))

/** Reads the number of a batch in a path. @throws ApiError */
export const readBatchUid = (raw: string): BatchUid =>
  asBatchUid(readUid(raw, 'Batch', 'invalid_batch_uids'))

const readUid = (raw: string, noun: string, code: ErrorCode): number => {
  const uid = u32Of(raw)
  if (uid !== null) return uid
  throw new ApiError(
    code,
    `${noun} uid \`${raw}\` is invalid. It should only contain numeric characters.`,
  )
}
