// The requests of writes that no other instance can have, as they are saved to be sent again.
import { afterEach, expect, it } from 'vitest'
import { FakeDisk } from '../../engine/store/storage/index.ts'
import {
  addDocuments,
  changeSettings,
  enqueue,
  openTestEngine,
  type TestEngine,
} from '../../engine/testing/index.ts'
import { saveUnpublished } from './unpublished.ts'

let open: TestEngine | null = null
afterEach(async () => {
  await open?.close()
  open = null
})

function textOf(disk: FakeDisk, name: string): string {
  const fs = disk.mount()
  const path = `unpublished/${name}`
  const bytes = new Uint8Array(fs.size(path))
  const file = fs.open(path, 'read')
  file.read(0, bytes)
  file.close()
  return Buffer.from(bytes).toString()
}

it('saves the requests from a task on, with their bodies, durably', async () => {
  open = await openTestEngine(new FakeDisk().mount())
  await addDocuments(open, 'films', [{ id: 0 }])
  await addDocuments(open, 'films', [{ id: 1 }], { method: 'update', primaryKey: 'id' })
  await changeSettings(open, 'films', { stopWords: ['the'] })
  await enqueue(open, 'films', { kind: 'indexDeletion' })
  await enqueue(open, null, { kind: 'snapshotCreation' })
  await open.idle()
  const facts = { status: 'succeeded', enqueuedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/) }
  for (let seed = 0; seed < 8; seed++) {
    const disk = new FakeDisk()
    expect(await saveUnpublished(open, disk.mount(), '/db', 7, 1)).toEqual({
      file: '/db/unpublished/term-0000007/requests.ndjson',
      requests: 4,
    })
    disk.crash(seed)
    const lines = textOf(disk, 'term-0000007/requests.ndjson').split('\n')
    expect(lines.pop()).toBe('')
    expect(lines.map((line) => JSON.parse(line) as object)).toEqual([
      {
        ...facts,
        task: 1,
        type: 'documentAdditionOrUpdate',
        method: 'PUT',
        path: '/indexes/films/documents?primaryKey=id',
        contentType: 'application/x-ndjson',
        body: '000001.body',
      },
      {
        ...facts,
        task: 2,
        type: 'settingsUpdate',
        method: 'PATCH',
        path: '/indexes/films/settings',
        contentType: 'application/json',
        body: '000002.body',
      },
      { ...facts, task: 3, type: 'indexDeletion', method: 'DELETE', path: '/indexes/films' },
      // It concerns this instance alone.
      { ...facts, task: 4, type: 'snapshotCreation', status: 'failed' },
    ])
    expect(textOf(disk, 'term-0000007/000001.body')).toBe('{"id":1}')
    expect(JSON.parse(textOf(disk, 'term-0000007/000002.body'))).toEqual({ stopWords: ['the'] })
  }
})

it('saves again what an interrupted attempt has begun, and nothing without tasks', async () => {
  open = await openTestEngine(new FakeDisk().mount())
  const disk = new FakeDisk()
  const fs = disk.mount()
  expect(await saveUnpublished(open, fs, '/db', 12, 0)).toBeNull()
  expect(fs.list('')).toEqual([])
  await enqueue(open, 'films', { kind: 'indexCreation', primaryKey: 'id' })
  await enqueue(open, 'books', { kind: 'indexCreation', primaryKey: null })
  await saveUnpublished(open, fs, '/db', 12, 0)
  expect(await saveUnpublished(open, fs, '/db', 12, 1)).toMatchObject({ requests: 1 })
  const list = textOf(disk, 'term-0000012/requests.ndjson').trim().split('\n')
  expect(list.map((line) => (JSON.parse(line) as { task: number }).task)).toEqual([1])
  expect(fs.list('unpublished/term-0000012').toSorted()).toEqual(['000001.body', 'requests.ndjson'])
  expect(await saveUnpublished(open, fs, '/db', 12, 2)).toBeNull()
})
