// Bodies whose task is checked but not stored.
import { expect, it } from 'vitest'
import { asIndexUid } from '../../format/ids.ts'
import { BODIES } from '../store/catalog/index.ts'
import { FakeDisk } from '../store/storage/index.ts'
import { openTestEngine } from '../testing/test-engine.ts'

it('removes the body file of a dry task', async () => {
  const disk = new FakeDisk().mount()
  const engine = await openTestEngine(disk)
  const receiver = engine.documents.receive({ kind: 'ndjson' })
  await receiver.write(Buffer.from(JSON.stringify({ id: 1, text: 'x'.repeat(100_000) })))
  const body = await receiver.finish()
  expect(disk.list(BODIES)).toHaveLength(1)
  const { uid } = await engine.documents.enqueueDocuments(asIndexUid('books'), body, {
    method: 'replace',
    primaryKey: null,
    skipCreation: false,
    allowIndexCreation: true,
    customMetadata: null,
    registration: { uid: null, isDry: true },
  })
  expect(disk.list(BODIES)).toEqual([])
  expect(await engine.tasks.get(uid, null)).toBe(null)
  await engine.close()
})
