// A search thread: built as a file of its own, started by `search/pool.ts` with its options as
// data, or ahead of it by the server.
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { collectGarbage, RealFileSystem } from '../../store/storage/index.ts'
import { later } from '../../threads/index.ts'
import {
  isCanceled,
  isHurried,
  SEARCH_PROTOCOL,
  type SearchMessage,
  type SearchReply,
  type SearchThreadData,
  WorkerCore,
} from './index.ts'

/**
 * Collecting takes some milliseconds: segments that go one after another are collected together.
 */
const COLLECT_PAUSE_MS = 500

function begin(port: MessagePort, data: SearchThreadData): void {
  const { root, thread, shared, blockBytesMax } = data
  const canceled = new Int32Array(shared)
  const core = new WorkerCore({
    fs: new RealFileSystem(root),
    blockBytesMax,
    isCanceled: (job) => isCanceled(canceled, thread, job),
    isHurried: (job) => isHurried(canceled, thread, job),
    send: (reply: SearchReply) => {
      const transfer = reply.kind === 'answer' ? [reply.bytes.buffer as ArrayBuffer] : []
      port.postMessage(reply, transfer)
    },
    collect: later(COLLECT_PAUSE_MS, collectGarbage),
  })
  port.on('message', (message: SearchMessage) => core.handle(message))
  port.postMessage({ kind: 'ready', protocol: SEARCH_PROTOCOL } satisfies SearchReply)
}

const port = parentPort
const data = workerData as SearchThreadData | null
if (port !== null) {
  // A thread that was started ahead is told later what it is for.
  if (data === null) port.once('message', (first: SearchThreadData) => begin(port, first))
  else begin(port, data)
}
