// The thread of local models: built as a separate script, started by `models/thread.ts`.
import { parentPort, workerData } from 'node:worker_threads'
import { REQUEST_NICENESS, setThreadNiceness } from '../../runtime/index.ts'
import { RealFileSystem } from '../../store/storage/index.ts'
import { ModelCore, type ModelJob, type ModelReply, type ModelThreadData } from './index.ts'

/** The memory that is transferred with the message instead of copied. */
const memoryOf = (reply: ModelReply): readonly ArrayBuffer[] =>
  reply.kind === 'vector' ? [reply.vector.buffer as ArrayBuffer] : []

const port = parentPort
if (port !== null) {
  setThreadNiceness(REQUEST_NICENESS)
  const { home } = workerData as ModelThreadData
  const core = new ModelCore(new RealFileSystem(home))
  // Jobs are answered in their order, one at a time.
  let last: Promise<void> = Promise.resolve()
  port.on('message', (job: ModelJob) => {
    last = last.then(async () => {
      const reply = await core.answer(job)
      port.postMessage(reply, memoryOf(reply))
    })
  })
}
