// The choice of a small batch that runs beside a long one, so that small writes do not wait for
// large ones of other indexes. The long batch changes one index and reads no other; the small one
// only adds, replaces or deletes documents by their ids in another index. The order of the tasks of
// an index is never changed: a batch begins with the oldest task that names the index. Tasks that
// concern all indexes, or the network, wait for both and let no further small batch begin.
import { asTaskUid, type TaskUid } from '../../../format/ids.ts'
import {
  LONG_BATCH_BYTES_MIN,
  LONG_BATCH_DOCUMENTS_MIN,
  MAY_HAVE_BESIDE,
  rowIn,
  SMALL_BATCH_BYTES_MAX,
  SMALL_BATCH_DOCUMENTS_MAX,
  type TaskState,
} from '../task-data/index.ts'
import { Autobatcher, type BatchLimits } from './autobatch.ts'
import {
  type Choice,
  candidateOf,
  type IndexLookup,
  indexUidOf,
  ownChoice,
  roleOf,
  waitingIn,
  wholeQueue,
  workOf,
} from './choose.ts'

const SMALL = 'batched up to the limit of small batches that run beside a longer one'

/** Returns whether a batch takes long from its start, by what its requests hold. */
export function isLong(state: TaskState, { uids, work }: Choice): boolean {
  if (!MAY_HAVE_BESIDE.has(work.kind)) return false
  let bytes = 0
  let documents = 0
  for (const uid of uids) {
    const row = state.tasks.find(uid)
    const chunk = state.tasks.chunkOf(row)
    bytes += chunk.bodyBytes[rowIn(row)]!
    documents += chunk.count[rowIn(row)]!
    if (bytes >= LONG_BATCH_BYTES_MIN || documents >= LONG_BATCH_DOCUMENTS_MIN) return true
  }
  return false
}

/** Returns whether small batches may run beside a batch once it has become long. */
export const mayHaveBeside = ({ work }: Choice): boolean => MAY_HAVE_BESIDE.has(work.kind)

/**
 * Returns the next batch beside a running long one, or null. `free`: cancelations and deletions of
 * tasks that are not in the long batch.
 */
export function chooseBeside(
  state: TaskState,
  index: IndexLookup,
  limits: BatchLimits,
  long: Choice,
  free: ReadonlySet<TaskUid>,
): Choice | null {
  const { network, kinds, pending, names } = state
  // Imports of a topology change that has ended are canceled before any other task runs.
  if (network.held.size > 0 || network.orphans(NONE).length > 0) return null
  for (const own of kinds.ownQueues) {
    const waiting = pending.allOfKind(own.number).filter((uid) => uid !== long.uids[0])
    if (waiting.length === 0) continue
    const chosen = waitingIn(state, own)
    return chosen.every((uid) => free.has(uid)) ? ownChoice(state, own, chosen) : null
  }
  const busy = names.find(long.work.indexUid!)
  // New indexes are numbered when their batches begin, and numbers rise from edit to edit.
  const mayCreate = index(long.work.indexUid!) !== null
  let oldest = NONE
  for (const number of pending.indexes) {
    if (number === busy) continue
    const uid = pending.oldestOfIndex(number)
    const isOlder = uid >= 0 && (oldest < 0 || uid < oldest)
    if (!isOlder || roomAfter(state, uid, NOTHING) === null) continue
    if (mayCreate || index(indexUidOf(state, state.tasks.find(uid))!) !== null) oldest = uid
  }
  return oldest < 0 ? null : chooseSmall(state, oldest, index, limits)
}

const NONE = asTaskUid(-1)
type Load = { readonly bytes: number; readonly documents: number }
const NOTHING: Load = { bytes: 0, documents: 0 }

/** Returns what a small batch holds with a further task; null if it does not fit. */
function roomAfter(state: TaskState, uid: TaskUid, load: Load): Load | null {
  const row = state.tasks.find(uid)
  const role = roleOf(state, row)
  if (role !== 'import' && role !== 'ids') return null
  const chunk = state.tasks.chunkOf(row)
  const bytes = load.bytes + chunk.bodyBytes[rowIn(row)]!
  const documents = load.documents + chunk.count[rowIn(row)]!
  const fits = bytes <= SMALL_BATCH_BYTES_MAX && documents <= SMALL_BATCH_DOCUMENTS_MAX
  return fits ? { bytes, documents } : null
}

function chooseSmall(
  state: TaskState,
  oldest: TaskUid,
  index: IndexLookup,
  limits: BatchLimits,
): Choice {
  const row = state.tasks.find(oldest)
  const indexUid = indexUidOf(state, row)!
  const batcher = new Autobatcher(index(indexUid), limits)
  let load: Load | null = NOTHING
  for (const uid of state.pending.ofIndex(state.indexesOf(row)[0]!)) {
    load = roomAfter(state, uid, load)
    if (load === null || !batcher.offer(candidateOf(state, uid))) break
  }
  const batch = batcher.finish()
  const usual = load === null ? SMALL : wholeQueue(state, batch, indexUid)
  return {
    uids: batch.uids,
    work: workOf('documents', indexUid, batch.mayCreate),
    strategy: batch.strategy ?? usual,
  }
}
