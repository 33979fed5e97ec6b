// A template thread: built as a separate script, started by `template/thread.ts`. It runs one job
// after another; the main thread sends the next job when the last has ended.
import { parentPort } from 'node:worker_threads'
import { REQUEST_NICENESS, setThreadNiceness } from '../../runtime/index.ts'
import {
  loadLibrary,
  runTemplateJob,
  type TemplateJob,
  type TemplateOutcome,
  type TemplateReply,
} from './index.ts'

/** The memory that is transferred with the message instead of copied. */
const memoryOf = (outcome: TemplateOutcome): readonly ArrayBuffer[] =>
  outcome.kind === 'rendered' ? [outcome.json.buffer as ArrayBuffer] : []

const port = parentPort
if (port !== null) {
  setThreadNiceness(REQUEST_NICENESS)
  const send = (reply: TemplateReply, transfer: readonly ArrayBuffer[] = []): void =>
    port.postMessage(reply, transfer)
  port.on('message', (job: TemplateJob) => {
    runTemplateJob(job).then(
      (outcome) => send({ kind: 'outcome', outcome }, memoryOf(outcome)),
      (error: unknown) => send({ kind: 'failed', message: String(error) }),
    )
  })
  // If the library does not load, the thread ends and its owner is notified.
  loadLibrary().then(() => send({ kind: 'ready' }))
}
