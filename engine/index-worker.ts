// An index thread: built as a file of its own, started by `indexer/pool.ts` with its options as
// data.
import { parentPort, workerData } from 'node:worker_threads'
import {
  cancelSlot,
  INDEX_PROTOCOL,
  IndexCore,
  type IndexMessage,
  type IndexReply,
  type IndexThreadData,
  SHARED_NEXT_SEGMENT,
} from './indexer/index.ts'
import { collectGarbage, lowerThreadPriority, RealFileSystem } from './storage/index.ts'
import { later } from './threads/index.ts'

/**
 * Collecting takes some milliseconds: segments that go one after another are collected together.
 */
const COLLECT_PAUSE_MS = 500

const port = parentPort
if (port !== null) {
  const { root, thread, shared, niceness } = workerData as IndexThreadData
  const slots = new Int32Array(shared)
  lowerThreadPriority(niceness)
  const core = new IndexCore({
    fs: new RealFileSystem(root),
    takeSegment: () => Atomics.add(slots, SHARED_NEXT_SEGMENT, 1),
    canceledJob: () => Atomics.load(slots, cancelSlot(thread)),
    send: (reply: IndexReply) => port.postMessage(reply),
    collect: later(COLLECT_PAUSE_MS, collectGarbage),
  })
  port.on('message', (message: IndexMessage) => core.handle(message))
  port.postMessage({ kind: 'ready', protocol: INDEX_PROTOCOL } satisfies IndexReply)
}
