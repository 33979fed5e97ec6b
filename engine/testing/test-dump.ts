// Dumps of a test engine, on a disk of their own, and the engine that an import of one opens.
import { MiB } from '../../format/bytes/index.ts'
import { fillFromDump } from '../imports/import-dump.ts'
import { FakeDisk, type FileSystem } from '../store/storage/index.ts'
import { openTestEngine, type TestEngine } from './test-engine.ts'

/** Options of an engine that writes its dumps to the disk. */
export const dumpsOn = (disk: FakeDisk) => ({
  folder: '/dumps',
  fileSystem: disk.mount(),
  describe: () => ({ type: 'x', link: '' }),
})

/** Dumps the engine; returns the uid of the dump. */
export async function dumpOf(engine: TestEngine): Promise<string> {
  const { uid } = await engine.tasks.enqueueDump()
  await engine.idle()
  const task = await engine.tasks.get(uid, null)
  return String(task!.details!['dumpUid'])
}

/** Opens an engine on a new database with the content of a dump in the folder `dumps`. */
export async function openFromDump(dumps: FileSystem, dumpUid: string): Promise<TestEngine> {
  const disk = new FakeDisk()
  await fillFromDump(disk.mount(), {
    path: '',
    version: '1.50.0',
    dump: { folder: '', name: `${dumpUid}.dump` },
    indexWorker: null,
    indexingMemoryMax: 16 * MiB,
    indexingThreads: 1,
    say: () => undefined,
    progress: () => undefined,
    report: () => undefined,
    dumpFileSystem: dumps,
  })
  disk.kill()
  return openTestEngine(disk.mount())
}
