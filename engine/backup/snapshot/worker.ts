// An archive thread: built as a separate script, started by `snapshot/archiver.ts` with its options
// as data.
import { parentPort, workerData } from 'node:worker_threads'
import { setThreadNiceness } from '../../runtime/index.ts'
import { RealFileSystem } from '../../store/storage/index.ts'
import {
  type ArchiveMessage,
  type ArchiveReply,
  type ArchiveThreadData,
  serveArchiveJobs,
} from './index.ts'

const port = parentPort
if (port !== null) {
  const { root, niceness } = workerData as ArchiveThreadData
  setThreadNiceness(niceness)
  const files = {
    fs: new RealFileSystem(root),
    outside: (folder: string) => RealFileSystem.create(folder),
  }
  const serve = serveArchiveJobs(files, (reply: ArchiveReply) => port.postMessage(reply))
  port.on('message', (message: ArchiveMessage) => serve(message))
}
