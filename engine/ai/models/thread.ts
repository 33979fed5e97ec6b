// Runs local models in a separate thread, so that no text blocks the main thread. The thread starts
// with the first text and ends when no model was used for a while; the next one reads models again.
import { type FileSystem, RealFileSystem } from '../../store/storage/index.ts'
import { type PoolJob, WorkerPool } from '../../threads/index.ts'
import { ModelClient, type SendModelJob } from './client.ts'
import { ModelCore } from './core.ts'
import { IDLE_MS } from './limits.ts'
import type { ModelJob, ModelReply, ModelThreadData } from './protocol.ts'

/** There is one thread. */
const SLOT = 0

/** `file`: the script of the thread. `home`: the folder that holds the hub's cache. */
export function modelThread(file: URL, home: string): ModelClient {
  const data: ModelThreadData = { home }
  const recycle = { idleMs: IDLE_MS, loadMin: 0, startsAgain: false }
  const pool = new WorkerPool<ModelJob, ModelReply>({
    file,
    slots: 1,
    settings: () => ({ name: 'models', data, heapMegabytes: null }),
    jobOf: ({ job }) => job,
    recycle: () => recycle,
  })
  const ask: SendModelJob = (name, text) =>
    new Promise((resolve) => {
      const job: PoolJob<ModelReply> = {
        crashes: 0,
        onReply: resolve,
        onLost: ({ message }) => resolve({ kind: 'fault', job: 0, message }),
      }
      pool.give(SLOT, job, (number) => ({ job: number, name, text }))
    })
  return new ModelClient(ask, () => pool.close(new Error('the engine is closing')))
}

/** Runs models inline, for tests and tools without threads. */
export function modelsInPlace(home: string): ModelClient {
  const fs: FileSystem = new RealFileSystem(home)
  const core = new ModelCore(fs)
  return new ModelClient(
    (name, text) => core.answer({ job: 0, name, text }),
    async () => undefined,
  )
}
