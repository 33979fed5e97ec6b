// Tasks and batches: looking, canceling, deleting.
import { type Engine, StorageError } from '../../engine/index.ts'
import { ApiError } from '../errors/index.ts'
import { type Reply, type Route, type Rules, route } from '../http/index.ts'
import { readBatchUid, readTaskFilter, readTaskList, readTaskUid } from '../parse/index.ts'
import { checkFeature } from './gates.ts'
import { listText } from './list-text.ts'
import type { RouteOptions } from './options.ts'
import { accepted, batchView, found, taskOf } from './views.ts'

const LIST: Rules = { permits: 'tasks.get', body: 'none', query: true }
const ONE: Rules = { permits: 'tasks.get', body: 'none', query: false }

export const taskRoutes = ({ engine }: RouteOptions): readonly Route[] => [
  route('GET', '/tasks', LIST, async ({ query, caller }) => {
    const { filter, page } = readTaskList(query)
    const { results, total, from, next } = await engine.tasks(filter, page, caller.visible)
    return found(await listText(results, taskOf, { total, limit: page.limit, from, next }))
  }),
  route('GET', '/tasks/:taskUid', ONE, async ({ params, caller }) => {
    const uid = readTaskUid(params.taskUid)
    const task = await engine.task(uid, caller.visible)
    if (task === null) throw new ApiError('task_not_found', `Task \`${uid}\` not found.`)
    return found(taskOf(task))
  }),
  route(
    'POST',
    '/tasks/cancel',
    { permits: 'tasks.cancel', body: 'none', query: true },
    async ({ query, caller }) => {
      const filter = readTaskFilter(query, 'cancel')
      return accepted(await engine.enqueueCancelation(filter, `?${query}`, caller.visible), 200)
    },
  ),
  route(
    'DELETE',
    '/tasks',
    { permits: 'tasks.delete', body: 'none', query: true },
    async ({ query, caller }) => {
      const filter = readTaskFilter(query, 'delete')
      return accepted(await engine.enqueueDeletion(filter, `?${query}`, caller.visible), 200)
    },
  ),
  route('GET', '/tasks/:taskUid/documents', ONE, async ({ params, caller }) => {
    const action = 'Getting the documents of an enqueued task'
    checkFeature(engine.features, 'getTaskDocumentsRoute', action)
    const body = await engine.taskDocuments(readTaskUid(params.taskUid), caller.visible)
    return { status: 200, body, contentType: 'application/x-ndjson' }
  }),
  route(
    'POST',
    '/tasks/compact',
    { permits: 'tasks.compact', body: 'none', query: false },
    async () => {
      const action = 'Using the /tasks/compact route'
      checkFeature(engine.features, 'taskQueueCompactionRoute', action)
      return compaction(engine)
    },
  ),
  route('GET', '/batches', LIST, async ({ query, caller }) => {
    const { filter, page } = readTaskList(query)
    const { results, total, from, next } = await engine.batches(filter, page, caller.visible)
    return found(await listText(results, batchView, { total, limit: page.limit, from, next }))
  }),
  route('GET', '/batches/:batchUid', ONE, async ({ params, caller }) => {
    const uid = readBatchUid(params.batchUid)
    const batch = await engine.batch(uid, caller.visible)
    if (batch === null) throw new ApiError('batch_not_found', `Batch \`${uid}\` not found.`)
    return found(batchView(batch))
  }),
]

async function compaction(engine: Engine): Promise<Reply> {
  try {
    const { before, after } = await engine.compactTasks()
    const actionRequired = 'you must restart your instance'
    return found({ preSize: before, postSize: after, status: 'succeeded', actionRequired })
  } catch (error) {
    // The disk refused; the queue goes on in the log that it had.
    if (!(error instanceof StorageError)) throw error
    return { status: 500, body: { status: 'failed', errorMessage: error.message } }
  }
}
