// A database opened as an engine, then as a reader: the same documents, and no changes.
import { expect, it, vi } from 'vitest'
import { StorageError } from '../model/index.ts'
import { FakeDisk } from '../store/storage/index.ts'
import {
  addDocuments,
  documentsOf,
  enqueue,
  openTestEngine,
  TEST_OPTIONS,
} from '../testing/test-engine.ts'
import { openReader } from './index.ts'

it('a reader serves what the engine has written, and refuses tasks', async () => {
  const disk = new FakeDisk()
  const engine = await openTestEngine(disk.mount())
  await addDocuments(engine, 'films', [{ id: 1, title: 'Alien' }])
  await engine.idle()
  await engine.close()
  const reader = await openReader({ ...TEST_OPTIONS, fileSystem: disk.mount() })
  expect(await documentsOf(reader, 'films')).toEqual([{ id: 1, title: 'Alien' }])
  const creation = enqueue(reader, 'more', { kind: 'indexCreation', primaryKey: null })
  await expect(creation).rejects.toMatchObject({ code: 'read_only_database' })
  await reader.close()
})

it('a reader needs a database', async () => {
  const fileSystem = new FakeDisk().mount()
  await expect(openReader({ ...TEST_OPTIONS, fileSystem })).rejects.toMatchObject({
    code: 'missing',
  })
})

it('the end of a change of the network is noted again when the disk refuses that', async () => {
  const engine = await openTestEngine(new FakeDisk().mount())
  const topology = engine.topology as unknown as { ended(): Promise<void> }
  const ended = vi.spyOn(topology, 'ended')
  ended.mockRejectedValueOnce(new StorageError('io', 'x', 'no space left'))
  await addDocuments(engine, 'films', [{ id: 1 }])
  await engine.idle()
  const before = ended.mock.calls.length
  await vi.waitFor(() => expect(ended.mock.calls.length).toBeGreaterThan(before), 10_000)
  await engine.close()
})
