// The program of an index thread: built as a separate file, started by `indexer/pool.ts` with its
// options as data, or by an index thread as a building thread.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { asSegmentNo } from '../../../format/ids.ts'
import { ThreadEmbedder } from '../../ai/embedding/index.ts'
import { type Loaded, loadLibrary } from '../../ai/template/index.ts'
import { growYoungHeap, setThreadNiceness } from '../../runtime/index.ts'
import { DroppedFiles, RealFileSystem } from '../../store/storage/index.ts'
import {
  AfterWork,
  type BuilderThreadData,
  type BuildingThreads,
  cancelSlot,
  heldSlot,
  IndexCore,
  type IndexMessage,
  type IndexReply,
  type IndexThreadData,
  rendersDocuments,
  SHARED_NEXT_SEGMENT,
  serveBuilds,
  startBuilders,
} from './index.ts'

/** Pause before the young heap is enlarged for batches: the first replies have precedence. */
const GROWTH_PAUSE_MS = 1000

function begin(port: MessagePort, data: IndexThreadData): void {
  const { root, thread, shared, niceness, file, builders: count, memoryBytesMax } = data
  const slots = new Int32Array(shared)
  setThreadNiceness(niceness)
  setTimeout(growYoungHeap, GROWTH_PAUSE_MS).unref()
  const droppedFiles = new DroppedFiles()
  let builders: BuildingThreads | null = null
  const afterWork = new AfterWork({
    held: (mebibytes) => Atomics.store(slots, heldSlot(thread), mebibytes),
    endBuilders: () => {
      builders?.end()
      builders = null
    },
    now: () => performance.now(),
  })
  let templates: Loaded | null = null
  /** Messages that wait for the library of templates; null if they need not wait. */
  let waiting: IndexMessage[] | null = null
  const core = new IndexCore({
    fs: new RealFileSystem(root),
    takeSegments: (count) => asSegmentNo(Atomics.add(slots, SHARED_NEXT_SEGMENT, count)),
    canceledJob: () => Atomics.load(slots, cancelSlot(thread)),
    memoryBytesMax,
    send: (reply: IndexReply) => port.postMessage(reply),
    dropped: (files) => droppedFiles.add(files),
    builders: () => {
      if (count === 0) return null
      builders ??= startBuilders(count, new URL(file), { root, niceness, shared, thread })
      return builders
    },
    templates: () => templates,
    embedderFor: (job) =>
      ThreadEmbedder.open(
        (end) => port.postMessage({ kind: 'embedding', job, end } satisfies IndexReply, [end.port]),
        () => Atomics.load(slots, cancelSlot(thread)) === job,
      ),
  })
  const handle = (message: IndexMessage): void => {
    if (waiting !== null) waiting.push(message)
    else if (templates !== null || !rendersDocuments(message)) {
      afterWork.run(() => core.handle(message))
    } else {
      waiting = [message]
      // If the library does not load, the thread ends and its owner is notified.
      loadLibrary().then((loaded) => {
        templates = loaded
        const held = waiting ?? []
        waiting = null
        for (const one of held) handle(one)
      })
    }
  }
  port.on('message', handle)
}

function beginBuilding({ root, niceness, shared, thread, builder }: BuilderThreadData): void {
  const slots = new Int32Array(shared)
  setThreadNiceness(niceness)
  serveBuilds(builder, {
    fs: new RealFileSystem(root),
    canceledJob: () => Atomics.load(slots, cancelSlot(thread)),
  })
}

const data = workerData as IndexThreadData | BuilderThreadData
if (parentPort !== null) {
  if ('builder' in data) beginBuilding(data)
  else begin(parentPort, data)
}
