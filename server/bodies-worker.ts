// Entry point of the thread that reads large request bodies. It is built as a separate file;
// `bodies/body-reader.ts` starts it.
import { parentPort } from 'node:worker_threads'
import { REQUEST_NICENESS, setThreadNiceness } from '../engine/index.ts'
import { type ReadMessage, ThreadCore } from './bodies/index.ts'

const port = parentPort
if (port !== null) {
  setThreadNiceness(REQUEST_NICENESS)
  const core = new ThreadCore((reply, transfer) => port.postMessage(reply, transfer))
  port.on('message', (message: ReadMessage) => core.handle(message))
}
