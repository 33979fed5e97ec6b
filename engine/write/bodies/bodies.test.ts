// Bodies of waiting tasks, read back: inside their records and in files.
import { expect, test } from 'vitest'
import { BODY_FOOTER_BYTES, documentsOfBody } from '../../../format/bodies/index.ts'
import { KiB } from '../../../format/bytes/index.ts'
import { asSegmentNo } from '../../../format/ids.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import { STREAM_CHUNK_BYTES } from '../../store/storage/limits.ts'
import { addDocuments, openTestEngine } from '../../testing/test-engine.ts'
import { bodyPath, IndexInPlace } from '../indexer/index.ts'
import { newFileSystem } from '../indexer/test-support.ts'
import { Bodies } from './bodies.ts'

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

test.each([
  [50, 0],
  [50, 50],
  [100 * KiB, 0],
  // The footer is in the last piece, between two pieces, and a piece of its own.
  [STREAM_CHUNK_BYTES - BODY_FOOTER_BYTES, 0],
  [STREAM_CHUNK_BYTES - 1, 0],
  [STREAM_CHUNK_BYTES, 0],
  [3 * STREAM_CHUNK_BYTES + 7, 0],
])('a body of %i bytes is read without its footer (%i bytes fit a record)', async (size, most) => {
  const fs = newFileSystem()
  const bodies = new Bodies(fs, new IndexInPlace(fs, asSegmentNo(1)), () => most)
  const text = `{"id":1,"text":"${'x'.repeat(size - 18)}"}`
  expect(text).toHaveLength(size)
  const receiver = bodies.receive({ kind: 'json' })
  await receiver.write(Buffer.from(text))
  const body = (await receiver.finish()).take()
  expect(body).toMatchObject({ bytes: size, documents: 1 })
  const isInFile = size > most
  expect(body.file !== null).toBe(isInFile)
  const expected = Buffer.from(text)
  if (isInFile) {
    const stored = fs.map(bodyPath(body.file!), size + BODY_FOOTER_BYTES)
    expect(Buffer.compare(documentsOfBody(stored), expected)).toBe(0)
  }
  const chunks: Uint8Array[] = []
  for await (const chunk of bodies.chunks(body)) {
    expect(chunk.length).toBeGreaterThan(0)
    chunks.push(chunk)
  }
  expect(Buffer.compare(Buffer.concat(chunks), expected)).toBe(0)
  expect(Buffer.compare((await bodies.read(body))!, expected)).toBe(0)
})

test('a file of an earlier run is not written again', async () => {
  const fs = newFileSystem()
  const files: (number | null)[] = []
  for (let run = 0; run < 2; run++) {
    const receiver = new Bodies(fs, new IndexInPlace(fs, asSegmentNo(1)), () => 0).receive({
      kind: 'json',
    })
    await receiver.write(Buffer.from('{"id":1}'))
    files.push((await receiver.finish()).take().file)
  }
  expect(files).toEqual([1, 2])
})
