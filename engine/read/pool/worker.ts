// A search thread: built as a separate file and started by `search-threads.ts` with its options as
// data, or ahead of time by the server.
import { getHeapStatistics } from 'node:v8'
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { MiB } from '../../../format/bytes/index.ts'
import { KernelMemory, shareKernelMemory } from '../../../format/kernel/index.ts'
import { growYoungHeap, setThreadNiceness } from '../../runtime/index.ts'
import { collectGarbage, DroppedFiles, RealFileSystem } from '../../store/storage/index.ts'
import { later } from '../../time/index.ts'
import {
  isCanceled,
  isPreempted,
  type SearchMessage,
  type SearchReply,
  type SearchThreadData,
} from '../jobs/index.ts'
import { giveMemory } from '../segment-text/index.ts'
import { noteHeld } from './cache-memory.ts'
import { WorkerCore } from './worker-core.ts'

/**
 * A larger heap was filled by a request that has ended; V8 does not shrink it while the thread has
 * little to do. Usual searches stay far below. Checked only after jobs of some length.
 */
const HEAP_BYTES_USUAL_MAX = 96 * MiB
const CHECKED_JOB_MS = 50
const HEAP_PAUSE_MS = 500

/** Set if this thread's code was compiled from source: see `onWarm`. */
let keepCompiled = (): void => undefined

/** For `launch.cjs`: `keep` is called once all code of the thread has run. */
export const onWarm = (keep: () => void): void => {
  keepCompiled = keep
}

function begin(port: MessagePort, data: SearchThreadData): void {
  setThreadNiceness(0)
  const { root, thread, shared, kernelMemory, caches, held } = data
  giveMemory(caches.setBytesMax)
  shareKernelMemory(new KernelMemory(kernelMemory, thread))
  const canceled = new Int32Array(shared)
  const droppedFiles = new DroppedFiles()
  const collectSoon = later(HEAP_PAUSE_MS, collectGarbage)
  const core = new WorkerCore({
    fs: new RealFileSystem(root),
    blockBytesMax: caches.blockBytesMax,
    foldedBytesMax: caches.foldedBytesMax,
    sharesMemory: true,
    isCanceled: (job) => isCanceled(canceled, thread, job),
    isPreempted: (job) => isPreempted(canceled, thread, job),
    send: (reply: SearchReply) => {
      const buffer = reply.kind === 'answer' ? reply.bytes.buffer : null
      const transfer = buffer instanceof ArrayBuffer ? [buffer] : []
      port.postMessage(reply, transfer)
    },
    dropped: (files) => droppedFiles.add(files),
  })
  port.on('message', (message: SearchMessage) => {
    const since = performance.now()
    if (message.kind === 'warm-up' && message.from === 0) growYoungHeap()
    core.handle(message)
    noteHeld(held, thread, core.cacheBytes)
    if (message.kind === 'warm-up' && message.keepsCode) keepCompiled()
    if (performance.now() - since < CHECKED_JOB_MS) return
    if (getHeapStatistics().used_heap_size > HEAP_BYTES_USUAL_MAX) collectSoon()
  })
}

const port = parentPort
const data = workerData as SearchThreadData | null
if (port !== null) {
  // A thread that was started ahead of time receives its data in the first message.
  if (data === null) port.once('message', (first: SearchThreadData) => begin(port, first))
  else begin(port, data)
}
