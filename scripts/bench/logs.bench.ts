// The two logs on a real disk: a manifest edit with its sync, and tasks that share one sync.
import { type Manifest, openManifest, TASKS } from '../../engine/store/catalog/index.ts'
import { RotatingLog } from '../../engine/store/logs/index.ts'
import { drawLogSalt, RealFileSystem } from '../../engine/store/storage/index.ts'
import { asIndexNo, asIndexUid } from '../../format/ids.ts'
import type { Bench, Benchmark, Work } from './benchmark.ts'

const VERSION = '0.0.0'
const GROUP = 64
const PAYLOAD_BYTES = 300

async function manifestIn(folder: string): Promise<Manifest> {
  const fs = RealFileSystem.create(folder)
  const manifest = await openManifest(fs, { version: VERSION, upgrade: false, drawLogSalt })
  await manifest.commit([
    {
      kind: 'index-created',
      index: asIndexNo(1),
      uid: asIndexUid('i'),
      primaryKey: null,
      at: 1,
      settings: '{}',
    },
  ])
  return manifest
}

async function commit(bench: Bench): Promise<Work> {
  const manifest = await manifestIn(bench.folder())
  let at = 1
  return {
    operations: 1,
    bytes: null,
    run: async () => {
      const { changes } = await manifest.commit([
        { kind: 'index-touched', index: asIndexNo(1), at: ++at },
      ])
      return changes.length
    },
    close: () => manifest.close(),
  }
}

/** Records that arrive together are written together, with one sync. */
async function append(bench: Bench, group: number): Promise<Work> {
  const fs = RealFileSystem.create(bench.folder())
  fs.makeDirectory(TASKS)
  const log = await RotatingLog.open(fs, {
    folder: TASKS,
    name: 'tasks',
    kind: 'TASK',
    drawLogSalt,
  })
  const payload = new Uint8Array(PAYLOAD_BYTES).fill(120)
  return {
    operations: group,
    bytes: null,
    run: async () => {
      const appended: Promise<number>[] = []
      for (let i = 0; i < group; i++) appended.push(log.append(1, payload))
      return (await Promise.all(appended)).length
    },
    close: () => log.close(),
  }
}

export const LOGS_BENCHMARKS: readonly Benchmark[] = [
  { name: 'logs/commit', about: 'a manifest edit, synced', operation: 'edit', prepare: commit },
  {
    name: 'logs/task',
    about: 'one record, synced',
    operation: 'record',
    prepare: (bench) => append(bench, 1),
  },
  {
    name: 'logs/task-group',
    about: '64 records at once, synced',
    operation: 'record',
    prepare: (bench) => append(bench, GROUP),
  },
]
