// A database opened as an engine, then as a reader: the same documents, and no changes.
import { expect, it } from 'vitest'
import { FakeDisk } from '../store/storage/index.ts'
import { addDocuments, documentsOf, enqueue, openTestEngine } from '../testing/test-engine.ts'
import { openReader } from './index.ts'

const OPTIONS = {
  path: '',
  version: '1.50.0',
  upgrade: false,
  workers: null,
  searchThreads: 1,
  searchQueueMax: 10,
  searchesAtOnce: 4,
  searchDropAfterMs: 60_000,
  indexingMemoryMax: 2 ** 24,
  batchTasksMax: Number.POSITIVE_INFINITY,
  batchBytesMax: Number.POSITIVE_INFINITY,
  report: () => undefined,
}

it('a reader serves what the engine has written, and refuses tasks', async () => {
  const disk = new FakeDisk()
  const engine = await openTestEngine(disk.mount())
  await addDocuments(engine, 'films', [{ id: 1, title: 'Alien' }])
  await engine.idle()
  await engine.close()
  const reader = await openReader({ ...OPTIONS, fileSystem: disk.mount() })
  expect(await documentsOf(reader, 'films')).toEqual([{ id: 1, title: 'Alien' }])
  const creation = enqueue(reader, 'more', { kind: 'indexCreation', primaryKey: null })
  await expect(creation).rejects.toMatchObject({ code: 'read_only_database' })
  await reader.close()
})

it('a reader needs a database', async () => {
  const fileSystem = new FakeDisk().mount()
  await expect(openReader({ ...OPTIONS, fileSystem })).rejects.toMatchObject({ code: 'missing' })
})
