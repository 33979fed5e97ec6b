// Bodies of waiting tasks, read back: inside their records and in files.
import { expect, test, vi } from 'vitest'
import { BODY_FOOTER_BYTES, documentsOfBody } from '../../../format/bodies/index.ts'
import { KiB } from '../../../format/bytes/index.ts'
import { InvariantError } from '../../../format/errors.ts'
import { asSegmentNo } from '../../../format/ids.ts'
import { StorageError } from '../../model/index.ts'
import { BODIES } from '../../store/catalog/index.ts'
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

/** Returns bodies that are all written to files, in an empty folder. */
function newBodies() {
  const fs = newFileSystem()
  const bodies = new Bodies(fs, new IndexInPlace(fs, asSegmentNo(1)), () => 0)
  const receive = async (text = '{"id":1}') => {
    const receiver = bodies.receive({ kind: 'json' })
    await receiver.write(Buffer.from(text))
    return receiver.finish()
  }
  return { fs, bodies, receive }
}

test('each body has a file of its own, until it is removed or discarded', async () => {
  const { bodies, receive } = newBodies()
  const [first, second] = [(await receive()).take(), await receive()]
  bodies.startFrom(7)
  const third = await receive()
  bodies.startFrom(2)
  expect(await bodies.list()).toEqual([1, 2, 7])
  expect((await receive()).take().file).toBe(8)
  await bodies.remove(first.file!)
  await bodies.discard(second)
  expect(await bodies.list()).toEqual([7, 8])
  expect(() => second.take()).toThrow(InvariantError)
  expect(third.take().file).toBe(7)
})

test('other files are no bodies', async () => {
  const { fs, bodies, receive } = newBodies()
  await receive()
  for (const name of ['7.body', '000008.body.new', 'x000009.body', '0000000000000010.body']) {
    fs.open(`${BODIES}/${name}`, 'create').close()
  }
  expect(await bodies.list()).toEqual([1])
})

test('the memory of a chunk may be used again when it was written', async () => {
  for (const size of [10, 100 * KiB]) {
    const { fs } = newBodies()
    const bodies = new Bodies(fs, new IndexInPlace(fs, asSegmentNo(1)), () => 1000)
    const text = Buffer.from(`{"id":1,"text":"${'x'.repeat(size)}"}`)
    const receiver = bodies.receive({ kind: 'json' })
    const memory = new Uint8Array(7)
    for (let at = 0; at < text.length; at += 7) {
      const chunk = text.subarray(at, at + 7)
      memory.set(chunk)
      await receiver.write(memory.subarray(0, chunk.length))
    }
    const read = await bodies.read((await receiver.finish()).take())
    expect(Buffer.compare(read!, text)).toBe(0)
  }
})

test('a body in a record is discarded without a file', async () => {
  const { fs } = newBodies()
  const bodies = new Bodies(fs, new IndexInPlace(fs, asSegmentNo(1)), () => 100)
  const receiver = bodies.receive({ kind: 'json' })
  await receiver.write(Buffer.from('{"id":1}'))
  await bodies.discard(await receiver.finish())
  expect(await bodies.list()).toEqual([])
})

test('a removed body is not read, and an unreadable one is an error', async () => {
  const { fs, bodies, receive } = newBodies()
  const body = (await receive()).take()
  const unreadable = vi.spyOn(fs, 'openAsync')
  unreadable.mockRejectedValueOnce(new StorageError('io', 'a', 'The disk fails.'))
  await expect(bodies.read(body)).rejects.toMatchObject({ code: 'io' })
  unreadable.mockRejectedValueOnce(Object.assign(new Error('a defect'), { code: 'missing' }))
  await expect(bodies.read(body)).rejects.toThrow('a defect')
  await bodies.remove(body.file!)
  expect(await bodies.read(body)).toBeNull()
})

test('a file that became shorter is reported, and closed', async () => {
  const { fs, bodies, receive } = newBodies()
  const body = (await receive()).take()
  const file = await fs.openAsync(bodyPath(body.file!), 'read')
  const close = vi.fn(() => file.close())
  vi.spyOn(fs, 'openAsync').mockResolvedValueOnce({
    ...file,
    size: () => BODY_FOOTER_BYTES + 8,
    readAsync: async () => 7,
    close,
  })
  await expect(bodies.read(body)).rejects.toMatchObject({ code: 'short_file' })
  expect(close).toHaveBeenCalledOnce()
})

test('a body that is written separately is durable: its bytes, then its name', async () => {
  const { fs, receive } = newBodies()
  const done: string[] = []
  const { openAsync, syncDirectoryAsync } = fs
  vi.spyOn(fs, 'openAsync').mockImplementation(async (...args) => {
    const file = await openAsync.apply(fs, args)
    return {
      ...file,
      size: () => file.size(),
      writeAsync: async (at, bytes) => {
        done.push('write')
        return file.writeAsync(at, bytes)
      },
      syncAsync: async () => {
        done.push('sync')
        return file.syncAsync()
      },
      close: () => {
        done.push('close')
        file.close()
      },
    }
  })
  vi.spyOn(fs, 'syncDirectoryAsync').mockImplementation(async (folder) => {
    done.push(folder)
    return syncDirectoryAsync.call(fs, folder)
  })
  await receive()
  expect(done).toEqual(['write', 'sync', 'close', 'tasks/bodies'])
})

test.each([
  [[64 * KiB], false],
  [[64 * KiB + 1], true],
  [[40 * KiB, 24 * KiB], false],
  [[40 * KiB, 24 * KiB + 1, 10], true],
])('a body in chunks of %j bytes is written by a thread: %s', async (sizes, isByThread) => {
  const fs = newFileSystem()
  const indexing = new IndexInPlace(fs, asSegmentNo(1))
  const body = vi.spyOn(indexing, 'body')
  const receiver = new Bodies(fs, indexing, () => 0).receive({ kind: 'json' })
  const bytes = sizes.reduce((sum, size) => sum + size, 0)
  const text = Buffer.from(`{"id":1,"text":"${'x'.repeat(bytes - 18)}"}`)
  let at = 0
  for (const size of sizes) await receiver.write(text.subarray(at, (at += size)))
  expect((await receiver.finish()).take().bytes).toBe(bytes)
  expect(body).toHaveBeenCalledTimes(isByThread ? 1 : 0)
})

test('an aborted body leaves no file', async () => {
  const { bodies } = newBodies()
  for (const size of [10, 100 * KiB]) {
    const receiver = bodies.receive({ kind: 'json' })
    await receiver.write(Buffer.from(`{"id":1,"text":"${'x'.repeat(size)}"`))
    await receiver.abort()
  }
  expect(await bodies.list()).toEqual([])
})
