// Tasks and batches: looking, canceling, deleting.
import { ApiError } from '../errors/index.ts'
import { type Route, type Rules, route } from '../http/index.ts'
import { readBatchUid, readTaskFilter, readTaskList, readTaskUid } from '../parse/index.ts'
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
