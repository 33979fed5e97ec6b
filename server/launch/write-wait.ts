// Writes with `?wait=searchable`: they are answered when their change is visible to searches of
// this instance. The write has been acknowledged before, so no failure of waiting replaces its
// answer. docs/read-your-writes.md explains it to clients.
import { Canceled, type Engine, type Task } from '../../engine/index.ts'
import { asIndexUid, asTaskUid, type IndexUid, type TaskUid } from '../../format/ids.ts'
import { isObject } from '../../format/schema/index.ts'
import type { RawRequest, Reply, Route } from '../http/messages/index.ts'
import type { NetworkService } from '../network/index.ts'
import { readWriteWait } from '../parse/index.ts'
import { decodePercent } from '../parse/schema/index.ts'
import { taskOf } from '../routes/context/index.ts'
import { changes } from './acknowledge.ts'

type Parts = {
  readonly engine: Pick<Engine, 'tasks' | 'visibility'>
  readonly instances: Pick<NetworkService, 'contained'>
}

export const withWriteWait = (routes: readonly Route[], parts: Parts): readonly Route[] =>
  routes.map((route) => (changes(route) ? { ...route, handle: waiting(route, parts) } : route))

const waiting =
  (route: Route, parts: Parts): Route['handle'] =>
  (request) => {
    if (!request.query.includes(WAIT)) return route.handle(request)
    const { own, others } = parted(request.query)
    const { wait, timeout } = readWriteWait(own)
    if (wait === null) return route.handle(request)
    return answered(parts, route.handle(withQuery(request, others)), timeout, request.signal)
  }

const WAIT = 'wait'
const OWN: ReadonlySet<string> = new Set([WAIT, 'timeout'])

/** Separates the parameters of waiting from the others. Without `wait` all are others. */
function parted(query: string): { readonly own: string; readonly others: string } {
  const all = query.split('&').map((pair) => [decodePercent(pair.split('=')[0]!), pair] as const)
  if (!all.some(([name]) => name === WAIT)) return { own: '', others: query }
  const joined = (isOwn: boolean): string =>
    all.flatMap(([name, pair]) => (OWN.has(name) === isOwn ? [pair] : [])).join('&')
  return { own: joined(true), others: joined(false) }
}

/** Returns the request with another query string. */
const withQuery = (request: RawRequest, query: string): RawRequest => ({
  query,
  uid: request.uid,
  address: request.address,
  signal: request.signal,
  params: request.params,
  caller: request.caller,
  header: (name) => request.header(name),
  read: (body) => request.read(body),
  pour: (sink) => request.pour(sink),
})

/** Returns the answer with the task that has ended, or the answer itself when the time is over. */
async function answered(
  parts: Parts,
  answer: ReturnType<Route['handle']>,
  ms: number,
  signal: AbortSignal,
): Promise<Reply> {
  const reply = await answer
  const uid = taskUidIn(reply)
  if (uid === null) return reply
  const task = await endedTask(parts, uid, ms, signal)
  return task === null ? reply : { ...reply, status: 200, body: taskOf(task) }
}

function taskUidIn({ body }: Reply): TaskUid | null {
  const uid = isObject(body) ? body['taskUid'] : undefined
  return typeof uid === 'number' ? asTaskUid(uid) : null
}

/** Returns the task when its change is visible, or null when the time is over. @throws Canceled */
async function endedTask(
  { engine, instances }: Parts,
  uid: TaskUid,
  ms: number,
  signal: AbortSignal,
): Promise<Task | null> {
  const end = performance.now() + ms
  const left = (): number => Math.max(0, end - performance.now())
  const { tasks, visibility } = engine
  try {
    // A request that only simulates a write has no task.
    if ((await tasks.get(uid, null)) === null) return null
    const hasEnded = (): boolean => visibility.hasEnded(uid)
    if (!(await visibility.until(uid, hasEnded, { ms: left(), signal }))) return null
    const task = await tasks.get(uid, null)
    if (task === null || task.status !== 'succeeded') return task
    const wanted = { uid, indexes: () => indexesOf(task) }
    const isEverywhere = await instances.contained.others(wanted, { ms: left(), signal })
    return isEverywhere ? task : null
  } catch (error) {
    // The write is accepted, also if its task cannot be read now.
    if (error instanceof Canceled) throw error
    return null
  }
}

/** Returns the indexes whose documents the task changed. */
function indexesOf({ indexUid, details }: Task): readonly IndexUid[] {
  if (indexUid !== null) return [indexUid]
  const swaps = details?.['swaps']
  if (!Array.isArray(swaps)) return []
  return swaps.flatMap(({ indexes }: { readonly indexes: readonly string[] }) =>
    indexes.map(asIndexUid),
  )
}
