// Reads that see earlier writes: they wait for the task that a client names, and their answers name
// the newest task that they contain. docs/read-your-writes.md explains both to clients.
import { setTimeout as sleep } from 'node:timers/promises'
import { type AnswerState, Canceled, type IndexScope } from '../../../engine/index.ts'
import { asTaskUid, type TaskUid } from '../../../format/ids.ts'
import { ApiError } from '../../errors/index.ts'
import type { Reply, RouteRequest } from '../../http/messages/index.ts'
import { notVisible, type Wanted } from '../../network/searches/index.ts'
import {
  MIN_TASK_TIMEOUT,
  MIN_TASK_UID,
  type MinTask,
  minTaskHeaders,
  TASK_WAIT_MS,
} from '../../parse/index.ts'
import type { RouteOptions } from './options.ts'

/** The parts of the answer to a read. */
export type ReadParts = {
  /** Indexes whose documents it may show. */
  readonly indexes: IndexScope
  readonly minTask: Partial<MinTask>
  /** Whether other instances have a part in it, if the network has a leader. */
  readonly isNetwork: boolean
  /** Parts that must contain further tasks. */
  readonly further?: readonly Omit<ReadParts, 'further'>[]
}

type Options = Pick<RouteOptions, 'engine' | 'instances'>
type Request = Pick<RouteRequest, 'caller' | 'context'>

/** The newest task that an answer contains. */
const TASK_UID = 'Svc-Task-Uid'
const UID_HEADER = MIN_TASK_UID.toLowerCase()
const TIMEOUT_HEADER = MIN_TASK_TIMEOUT.toLowerCase()
const WITHOUT_HEADERS = { context: { header: () => undefined } }
/** Milliseconds before a search over the network is repeated because an instance was behind. */
const REPEAT_MS = 20

/**
 * Calls `answer` when the named tasks are visible, immediately without any; adds the newest
 * task to its reply. @throws ApiError task_not_visible_yet, too_many_search_requests, and of `answer`
 */
export function seeingWrites(
  options: Options,
  request: Request,
  parts: ReadParts,
  answer: (state: AnswerState | undefined) => Promise<Reply>,
): Promise<Reply> {
  const min = minTaskOf(request, parts.minTask)
  const all = min === null ? [] : [{ ...parts, ...min }]
  for (const part of parts.further ?? []) {
    const further = minTaskOf(WITHOUT_HEADERS, part.minTask)
    if (further !== null) all.push({ ...part, ...further })
  }
  const uid = min?.uid ?? null
  const read = (): Promise<Reply> => noted(options, request, parts, uid, answer)
  return all.length === 0 ? read() : afterWaiting(options, request, all, read)
}

/** Calls `read` when all tasks are visible. @throws as `seeingWrites` */
async function afterWaiting(
  options: Options,
  request: Request,
  all: readonly Awaited[],
  read: () => Promise<Reply>,
): Promise<Reply> {
  const begun = performance.now()
  const end = begun + Math.max(...all.map(({ ms }) => ms))
  for (;;) {
    await Promise.all(all.map((part) => visible(options, request, part, begun)))
    try {
      return await read()
    } catch (error) {
      // An owner that contains the task is not reachable any more.
      const isBehind = error instanceof ApiError && error.code === 'task_not_visible_yet'
      if (!isBehind || performance.now() + REPEAT_MS > end) throw error
    }
    await sleep(REPEAT_MS)
  }
}

/** Returns the task that the answer must contain, and how long it may wait; or null. */
function minTaskOf(
  { context }: { readonly context: Pick<Request['context'], 'header'> },
  { minTaskUid = null, minTaskTimeout = null }: Partial<MinTask>,
): { readonly uid: TaskUid; readonly ms: number } | null {
  const uid = context.header(UID_HEADER)
  const timeout = context.header(TIMEOUT_HEADER)
  if (uid === undefined && timeout === undefined && minTaskUid === null) return null
  const named = minTaskHeaders(uid, timeout)
  const newest = Math.max(named.minTaskUid ?? -1, minTaskUid ?? -1)
  const ms = minTaskTimeout ?? named.minTaskTimeout ?? TASK_WAIT_MS
  return newest < 0 ? null : { uid: asTaskUid(newest), ms }
}

/** Calls `answer`; the newest task is looked up before it reads any view. */
async function noted(
  options: Options,
  request: Request,
  parts: ReadParts,
  minTaskUid: TaskUid | null,
  answer: (state: AnswerState | undefined) => Promise<Reply>,
): Promise<Reply> {
  const { contained } = options.instances
  let newest = contained.newest(reached(options, request, parts.indexes))
  const note = (part: TaskUid | null): void => {
    newest = part === null || newest === null ? null : part < newest ? part : newest
  }
  const reply = await answer(isShared(options, parts) ? { minTaskUid, note } : undefined)
  if (newest === null) return reply
  return { ...reply, headers: [...(reply.headers ?? []), TASK_UID, String(newest)] }
}

/** Without a leader, instances have different documents, and different uids for their tasks. */
const isShared = ({ engine }: Options, { isNetwork }: ReadParts): boolean =>
  isNetwork && engine.network.get().leader !== null

type Awaited = ReadParts & { readonly uid: TaskUid; readonly ms: number }

/** Resolves when the task is visible here and, for the network, elsewhere. @throws ApiError */
async function visible(
  options: Options,
  request: Request,
  part: Awaited,
  begun: number,
): Promise<void> {
  const { engine, instances } = options
  const { signal } = request.context
  const { uid, ms } = part
  const wanted: Wanted = { uid, indexes: () => reached(options, request, part.indexes) }
  const wait = { ms: Math.max(0, begun + ms - performance.now()), signal }
  const [own, others] = await Promise.all([
    instances.contained.own(wanted, wait),
    isShared(options, part) ? instances.contained.others(wanted, wait) : true,
  ])
  if (own && others) return
  if (signal.aborted) throw new Canceled()
  if (engine.visibility.isFull) {
    throw new ApiError('too_many_search_requests', 'Too many requests wait for tasks.')
  }
  throw notVisible(uid, whyNot(options, wanted, own))
}

/** Returns why a task is not visible, as a sentence without its full stop. */
function whyNot({ engine }: Options, { indexes }: Wanted, isOwn: boolean): string {
  if (isOwn) return 'Another instance does not contain it, or does not answer'
  const newest = engine.visibility.newest(indexes())
  const state = engine.follows?.snapshot ?? null
  const where =
    state === null ? 'this instance' : `the state \`${state}\` that this instance follows`
  const found = newest < 0 ? 'no task' : `the tasks up to \`${newest}\``
  return `Of these indexes, ${where} contains ${found}`
}

/** Returns the indexes and those that their foreign keys lead to. */
function reached({ engine }: Options, { caller }: Request, indexes: IndexScope): IndexScope {
  const isList = indexes !== null && typeof indexes !== 'function'
  if (!isList || !engine.administration.features.foreignKeys) return indexes
  const foreign = engine.queries.foreignUids(indexes)
  const { visible: sees } = caller
  if (foreign.length === 0) return indexes
  return [...indexes, ...(sees === null ? foreign : foreign.filter(sees))]
}
