// The members and parameters by which a read names the newest task that its answer must contain,
// and those by which a write waits for its task. Messages about unknown names do not list them:
// existing clients compare those texts.
import { assert } from '../../format/errors.ts'
import { asIndexUid, asTaskUid, type IndexUid, type TaskUid } from '../../format/ids.ts'
import {
  bodyError,
  checked,
  countUpTo,
  finishedQuery,
  type Json,
  type MembersOf,
  member,
  nullable,
  object,
  type ParametersOf,
  parameter,
  type QueryReader,
  query,
  rawCountUpTo,
  rawOneOf,
  rawText,
  rawTexts,
  readerOf,
  type Schema,
  ValidationError,
} from './schema/index.ts'

/** The largest uid of a task: a u32 that stands for none is one more. */
const TASK_UID_MAX = 2 ** 32 - 2
/** Milliseconds that a request waits unless it says otherwise: most tasks end within them. */
export const TASK_WAIT_MS = 5000
/** Milliseconds that a request may wait: proxies close connections without data after them. */
const TASK_WAIT_MS_MAX = 60_000

assert(TASK_WAIT_MS < TASK_WAIT_MS_MAX, 'a request may wait longer than by default')

/** Absent members were not sent. */
export type MinTask = {
  readonly minTaskUid: TaskUid | null
  readonly minTaskTimeout: number | null
}

export const MIN_TASK_MEMBERS: MembersOf<MinTask> = {
  minTaskUid: member(
    nullable(checked(countUpTo(TASK_UID_MAX), asTaskUid)),
    'invalid_min_task_uid',
    null,
  ),
  minTaskTimeout: member(nullable(countUpTo(TASK_WAIT_MS_MAX)), 'invalid_min_task_timeout', null),
}

const rawUid = rawCountUpTo(TASK_UID_MAX)
const rawTimeout = rawCountUpTo(TASK_WAIT_MS_MAX)

export const MIN_TASK_PARAMETERS: ParametersOf<MinTask> = {
  minTaskUid: parameter<TaskUid | null>(rawUid as never, 'invalid_min_task_uid', null),
  minTaskTimeout: parameter<number | null>(rawTimeout, 'invalid_min_task_timeout', null),
}

/** Separates these members from the others of a request, which is returned itself without them. */
export function apart<T extends object>(
  sent: T & Partial<MinTask>,
): { readonly minTask: Partial<MinTask>; readonly rest: T } {
  if (sent.minTaskUid === undefined && sent.minTaskTimeout === undefined) {
    return { minTask: {}, rest: sent }
  }
  const { minTaskUid, minTaskTimeout, ...rest } = sent
  return {
    minTask: {
      ...(minTaskUid === undefined ? {} : { minTaskUid }),
      ...(minTaskTimeout === undefined ? {} : { minTaskTimeout }),
    },
    rest: rest as unknown as T,
  }
}

/** Headers with the same meaning, for clients that do not write the request themselves. */
export const MIN_TASK_UID = 'Svc-Min-Task-Uid'
export const MIN_TASK_TIMEOUT = 'Svc-Min-Task-Timeout'

const headers = query<{ readonly [name: string]: number | null }>({
  [MIN_TASK_UID]: MIN_TASK_PARAMETERS.minTaskUid,
  [MIN_TASK_TIMEOUT]: MIN_TASK_PARAMETERS.minTaskTimeout,
})

/** Reads the values of these headers. @throws ApiError */
export function minTaskHeaders(uid: string | undefined, timeout: string | undefined): MinTask {
  const sent = new URLSearchParams()
  if (uid !== undefined) sent.set(MIN_TASK_UID, uid)
  if (timeout !== undefined) sent.set(MIN_TASK_TIMEOUT, timeout)
  const { [MIN_TASK_UID]: min, [MIN_TASK_TIMEOUT]: ms } = headers(sent.toString())
  return { minTaskUid: min as TaskUid | null, minTaskTimeout: ms as number | null }
}

const alone: Schema<MinTask> = object<MinTask>(MIN_TASK_MEMBERS, { ignoreUnknown: true })

/** Reads the members of a body whose other members have another reader. @throws ApiError */
export function minTaskIn(value: Json): MinTask {
  try {
    return readerOf(alone)(value)
  } catch (error) {
    throw error instanceof ValidationError ? bodyError(error, 'bad_request') : error
  }
}

/** How a write waits for its task. */
export type WriteWait = {
  readonly wait: 'searchable' | null
  readonly timeout: number
}

export const readWriteWait: QueryReader<WriteWait> = query<WriteWait>({
  wait: parameter<'searchable' | null>(
    rawOneOf<'searchable'>(['searchable']),
    'invalid_task_wait',
    null,
  ),
  timeout: parameter(rawTimeout, 'invalid_task_wait_timeout', TASK_WAIT_MS),
})

/** The question of another instance whether this one contains a task. */
export type ContainsQuery = {
  readonly uid: TaskUid
  /** Milliseconds that the answer may take. */
  readonly ms: number
  /** null: all indexes. */
  readonly indexUids: readonly IndexUid[] | null
}

export const readContainsQuery: QueryReader<ContainsQuery> = finishedQuery(
  query<MinTask & { readonly indexUids: readonly string[] | null }>({
    ...MIN_TASK_PARAMETERS,
    indexUids: parameter<readonly string[] | null>(rawTexts, 'invalid_index_uid', null),
  }),
  ({ minTaskUid, minTaskTimeout, indexUids }) => ({
    uid: minTaskUid ?? asTaskUid(0),
    ms: minTaskTimeout ?? TASK_WAIT_MS,
    indexUids: indexUids?.map(asIndexUid) ?? null,
  }),
)

/** The question of another instance which of its tasks have arrived there. */
export const readArrivedQuery: QueryReader<{ readonly remote: string }> = query({
  remote: parameter(rawText, 'bad_request', ''),
})
