// Tasks and batches: reading, canceling, deleting.
import { type Engine, StorageError } from '../../engine/index.ts'
import { ApiError } from '../errors/index.ts'
import { route } from '../http/index.ts'
import type { Reply, Route } from '../http/messages/index.ts'
import {
  readBatchUid,
  readTaskList,
  readTasksToCancel,
  readTasksToDelete,
  readTaskUid,
} from '../parse/index.ts'
import {
  accepted,
  batchView,
  checkFeature,
  listText,
  okReply,
  type RouteOptions,
  taskOf,
} from './context/index.ts'

const LIST = { permits: 'tasks.get', body: 'none', query: readTaskList } as const
const ONE = { permits: 'tasks.get', body: 'none', query: null } as const
const CANCEL = { permits: 'tasks.cancel', body: 'none', query: readTasksToCancel } as const
const DELETE = { permits: 'tasks.delete', body: 'none', query: readTasksToDelete } as const
const COMPACT = { permits: 'tasks.compact', body: 'none', query: null } as const

export const taskRoutes = ({ engine, registrationOf, streams }: RouteOptions): readonly Route[] => [
  route('GET', '/tasks/stream', ONE, ({ caller }) => {
    checkStreams(engine, '/tasks/stream')
    return streams.open('task', caller)
  }),
  route('GET', '/batches/stream', ONE, ({ caller }) => {
    checkStreams(engine, '/batches/stream')
    return streams.open('batch', caller)
  }),
  route('GET', '/tasks', LIST, async ({ query: { filter, page }, caller }) => {
    const { results, total, from, next } = await engine.tasks.list(filter, page, caller.visible)
    return okReply(await listText(results, taskOf, { total, limit: page.limit, from, next }))
  }),
  route('GET', '/tasks/:taskUid', ONE, async ({ params, caller }) => {
    const uid = readTaskUid(params.taskUid)
    const task = await engine.tasks.get(uid, caller.visible)
    if (task === null) throw new ApiError('task_not_found', `Task \`${uid}\` not found.`)
    return okReply(taskOf(task))
  }),
  route('POST', '/tasks/cancel', CANCEL, async ({ query, caller: { visible }, context }) => {
    const { filter, text } = query
    const registration = registrationOf(context)
    return accepted(await engine.tasks.enqueueCancelation(filter, text, visible, registration), 200)
  }),
  route('DELETE', '/tasks', DELETE, async ({ query, caller: { visible }, context }) => {
    const { filter, text } = query
    const registration = registrationOf(context)
    return accepted(await engine.tasks.enqueueDeletion(filter, text, visible, registration), 200)
  }),
  route('GET', '/tasks/:taskUid/documents', ONE, async ({ params, caller }) => {
    const action = 'Getting the documents of an enqueued task'
    checkFeature(engine.administration.features, 'getTaskDocumentsRoute', action)
    const body = await engine.tasks.documents(readTaskUid(params.taskUid), caller.visible)
    return { status: 200, body, contentType: 'application/x-ndjson' }
  }),
  route('POST', '/tasks/compact', COMPACT, () => {
    const action = 'Using the /tasks/compact route'
    checkFeature(engine.administration.features, 'taskQueueCompactionRoute', action)
    return compaction(engine)
  }),
  route('GET', '/batches', LIST, async ({ query: { filter, page }, caller }) => {
    const { results, total, from, next } = await engine.tasks.batches(filter, page, caller.visible)
    return okReply(await listText(results, batchView, { total, limit: page.limit, from, next }))
  }),
  route('GET', '/batches/:batchUid', ONE, async ({ params, caller }) => {
    const uid = readBatchUid(params.batchUid)
    const batch = await engine.tasks.batch(uid, caller.visible)
    if (batch === null) throw new ApiError('batch_not_found', `Batch \`${uid}\` not found.`)
    return okReply(batchView(batch))
  }),
]

/** @throws ApiError */
function checkStreams({ administration, follows }: Engine, path: string): void {
  checkFeature(administration.features, 'tasksStreamingRoute', `Using the ${path} route`)
  if (follows === null) return
  throw new ApiError(
    'read_only_follower',
    'This instance follows another one and runs no tasks: open the stream there, or read ' +
      '`GET /tasks` and `GET /batches` here now and then.',
  )
}

async function compaction(engine: Engine): Promise<Reply> {
  try {
    const { before, after } = await engine.tasks.compact()
    const actionRequired = 'you must restart your instance'
    return okReply({ preSize: before, postSize: after, status: 'succeeded', actionRequired })
  } catch (error) {
    // The disk failed; the queue continues with its current log.
    if (!(error instanceof StorageError)) throw error
    return { status: 500, body: { status: 'failed', errorMessage: error.message } }
  }
}
