// Bodies of waiting tasks, read back: inside their records and in files.
import { expect, test } from 'vitest'
import { FakeDisk } from '../../store/storage/index.ts'
import { addDocuments, openTestEngine } from '../../testing/test-engine.ts'

test('returns the documents of a waiting task as they were sent', async () => {
  const engine = await openTestEngine(new FakeDisk().mount(), { batchTasksMax: 0 })
  for (const size of [10, 100_000, 5_000_000]) {
    const documents = [{ id: 1, text: 'x'.repeat(size) }, { id: 2 }]
    const { uid } = await addDocuments(engine, 'books', documents)
    const body = Buffer.from(await engine.tasks.documents(uid, null)).toString()
    expect(body).toBe(documents.map((document) => JSON.stringify(document)).join(''))
    await expect(engine.tasks.documents(uid, () => false)).rejects.toThrow(
      `Task \`${uid}\` not found.`,
    )
  }
  const { before, after } = await engine.tasks.compact()
  expect(after).toBeLessThanOrEqual(before + 1024)
  expect(engine.tasks.needsRestart).toBe(true)
  await engine.close()
})
