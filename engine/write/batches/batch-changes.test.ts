// The statistics of a batch: present if documents were indexed; sizes if they changed by at least
// one page.

import { expect, test } from 'vitest'
import { KiB } from '../../../format/bytes/index.ts'
import { asIndexNo, asSegmentNo, type SegmentNo } from '../../../format/ids.ts'
import { IdSet, idSetData } from '../../../format/idset/index.ts'
import type { IndexState } from '../../store/catalog/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import type { TaskContent } from '../../task-kinds/index.ts'
import {
  addDocuments,
  documentsOf,
  EVERY_TASK,
  enqueue,
  openTestEngine,
  searchFor,
} from '../../testing/test-engine.ts'
import type { DocumentsResult } from '../indexer/index.ts'
import type { Batch } from '../task-data/index.ts'
import { documentChanges } from './batch-changes.ts'

const PAGE = 16 * KiB
const HANDED_OVER = { attempts: expect.any(Number), blocking_attempts: 0, blocking_ratio: 0 }

async function statsOf(work: readonly (TaskContent | object[])[]): Promise<Batch['stats'][]> {
  const engine = await openTestEngine(new FakeDisk().mount())
  for (const item of work) {
    if (Array.isArray(item)) await addDocuments(engine, 'a', item)
    else await enqueue(engine, 'a', item as TaskContent)
    await engine.idle()
  }
  const page = { from: null, limit: 100, reverse: true }
  const { results } = await engine.tasks.batches(EVERY_TASK, page, null)
  await engine.close()
  return results.map(({ stats }) => stats)
}

const settings = (patch: object): TaskContent => ({
  kind: 'settingsUpdate',
  patch: { ...patch },
  isDeletion: false,
  allowIndexCreation: true,
})

const deletion = (...ids: string[]): TaskContent => ({ kind: 'documentDeletion', by: 'ids', ids })

test('counts work on documents and settings, but not work on nothing', async () => {
  const stats = await statsOf([
    settings({ stopWords: ['the'] }),
    [{ id: 1, t: 'one' }],
    [{ id: 1, t: 'one' }],
    settings({}),
    deletion('7'),
    deletion('1'),
    [{ noKey: 1 }],
    { kind: 'documentDeletion', by: 'all' },
  ])
  const counted = stats.map(({ writeChannelCongestion }) => writeChannelCongestion)
  const [not, yes] = [null, HANDED_OVER]
  expect(counted).toEqual([not, yes, yes, yes, not, yes, not, not])
})

test('shows the sizes of changed layers in whole pages', async () => {
  const more = Array.from({ length: 2000 }, (_, i) => ({ id: i + 10, t: `word${i} and${i * 7}` }))
  const stats = await statsOf([
    [{ id: 1, t: 'one' }],
    [{ id: 2, t: 'two' }],
    more,
    { kind: 'documentDeletion', by: 'all' },
  ])
  const sizes = stats.map(({ internalDatabaseSizes }) => internalDatabaseSizes)
  expect(sizes[0]).toMatchObject({ documents: [PAGE, PAGE], text: [PAGE, PAGE] })
  expect(sizes[1]).toEqual({})
  const [bytes, grown] = sizes[2]!['documents']!
  expect(bytes % PAGE).toBe(0)
  expect(grown).toBe(bytes - PAGE)
  expect(sizes[3]).toMatchObject({ documents: [0, -bytes] })
})

test('documents that died in segments which were merged meanwhile are dead in the new one', () => {
  const [index, one, two, merged] = [asIndexNo(1), asSegmentNo(1), asSegmentNo(2), asSegmentNo(3)]
  const current = { segment: merged, documents: 9, generation: 4, dead: IdSet.of([8]) }
  const known = { index, primaryKey: 'id', segments: new Map([[merged, current]]) }
  const died = (segment: SegmentNo, id: number) => ({ segment, ids: idSetData(IdSet.of([id])) })
  const result = {
    primaryKey: null,
    fieldsAdded: [],
    fieldCounts: [],
    vectorCounts: { vectors: 0, documents: 0 },
    segments: [],
    replaced: [],
    tombstones: [died(one, 5), died(two, 6), died(merged, 7)],
  }
  const changes = documentChanges(
    known as unknown as IndexState,
    index,
    result as unknown as DocumentsResult,
    () => merged,
  )
  expect(changes).toEqual([
    expect.objectContaining({ kind: 'tombstones-added', segment: merged, generation: 5 }),
  ])
  expect([...(changes[0] as { readonly ids: IdSet }).ids.toArray()]).toEqual([5, 6, 7])
})

test('compacts an index completely and reports the sizes', async () => {
  const engine = await openTestEngine(new FakeDisk().mount(), { restMs: 1e9 })
  const large = Array.from({ length: 3000 }, (_, i) => ({ id: i, t: `word${i} and${i * 7}` }))
  await addDocuments(engine, 'a', large)
  await engine.idle()
  await addDocuments(engine, 'a', [{ id: 'late', t: 'one more' }])
  await enqueue(engine, 'a', deletion('7'))
  await engine.idle()
  const task = await enqueue(engine, 'a', { kind: 'indexCompaction' })
  const absent = await enqueue(engine, 'b', { kind: 'indexCompaction' })
  await engine.idle()
  const { details } = (await engine.tasks.get(task.uid, null))!
  const [before, after] = ['preCompactionSize', 'postCompactionSize'].map((member) =>
    Number.parseFloat(String(details?.[member])),
  )
  expect(before).toBeGreaterThan(after!)
  expect((await engine.tasks.get(absent.uid, null))?.error?.code).toBe('index_not_found')
  await enqueue(engine, 'empty', { kind: 'indexCreation', primaryKey: null })
  const empty = await enqueue(engine, 'empty', { kind: 'indexCompaction' })
  await engine.idle()
  const page = { preCompactionSize: '4 KiB', postCompactionSize: '4 KiB' }
  expect((await engine.tasks.get(empty.uid, null))?.details).toMatchObject(page)
  const found = await searchFor(engine, 'a', { q: 'word7', matchingStrategy: 'all' })
  expect(found.hits.map(({ id }: { id: number }) => id)).not.toContain(7)
  expect((await documentsOf(engine, 'a')).length).toBe(3000)
})
