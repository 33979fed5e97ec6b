// Files of a snapshot and their download, and the refusals of a follower.
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { objectsOf } from '../../backup/objstore/keys.ts'
import { MemoryObjects } from '../../backup/objstore/test-memory-store.ts'
import type { SnapshotFile } from '../../backup/snapshot/index.ts'
import { EngineFault } from '../../model/index.ts'
import { FakeDisk, type FileSystem, readFile } from '../../store/storage/index.ts'
import { fetchBytes, fetchFile, fetchFiles, fetchLog } from './download.ts'
import { noIndexing } from './no-indexing.ts'
import { readOnlyBodies } from './read-only-bodies.ts'
import { writeRefusal } from './refusal.ts'
import { checkRelease, ForeignSnapshot, filesOf } from './snapshot-files.ts'
import { folderOf } from './task-folder.ts'

const place = { prefix: '', name: 'db' }
const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text)
const shaOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

/** A store with a file of these pieces; one piece is the whole file. */
function stored(path: string, ...texts: readonly string[]) {
  const store = new MemoryObjects()
  const requested: string[] = []
  const bucket = store.bucket()
  const get = bucket.get.bind(bucket)
  const source = {
    place,
    bucket: Object.assign(bucket, {
      until: () => source.bucket,
      get: (...given: Parameters<typeof get>) => {
        requested.push(given[0])
        return get(...given)
      },
    }),
  }
  const whole = bytesOf(texts.join(''))
  const pieces = texts.map((text) => ({
    bytes: bytesOf(text).length,
    sha256: shaOf(bytesOf(text)),
  }))
  const one: SnapshotFile = { path, bytes: whole.length, sha256: shaOf(whole) }
  const file = texts.length > 1 ? { ...one, pieces } : one
  for (const { key, from, bytes } of objectsOf(place, file)) {
    store.objects.set(key, whole.slice(from, from + bytes))
  }
  return { source, store, file, whole, pieces, requested }
}

const write = (fs: FileSystem, path: string, bytes: Uint8Array): void => {
  const file = fs.open(path, 'create')
  file.write(0, bytes)
  file.close()
}
const newFolder = (): FileSystem => {
  const fs = new FakeDisk().mount()
  fs.makeDirectory('segments')
  return fs
}
const textOf = (fs: FileSystem, path: string): string =>
  Buffer.from(readFile(fs, path, 1e6)).toString()

describe('a fetched file', () => {
  const path = 'segments/1.text'

  it('is complete when it has its name; it is not fetched again', async () => {
    const { source, file, whole, requested } = stored(path, 'some bytes')
    const fs = newFolder()
    write(fs, `${path}.new`, bytesOf('a longer part of an earlier attempt'))
    write(fs, path, bytesOf('other byte'))
    await fetchFile(source, fs, { file, path })
    expect(textOf(fs, path)).toBe('some bytes')
    expect(fs.exists(`${path}.new`)).toBe(false)
    await fetchFile(source, fs, { file, path })
    expect(requested.length).toBe(1)
    expect(await fetchBytes(source, file)).toEqual(Buffer.from(whole))
  })

  it('is linked to an equal one, if one has the same content', async () => {
    const { source, file, requested } = stored(path, 'some bytes')
    const fs = newFolder()
    write(fs, 'segments/7.text', bytesOf('some bytes'))
    write(fs, 'segments/8.text', bytesOf('same bytes'))
    await fetchFile(source, fs, { file, path, like: 'segments/7.text' })
    expect([textOf(fs, path), requested.length]).toEqual(['some bytes', 0])
    await fetchFile(source, fs, { file, path: 'segments/2.text', like: 'segments/8.text' })
    await fetchFile(source, fs, { file, path: 'segments/3.text', like: 'segments/9.text' })
    expect([textOf(fs, 'segments/2.text'), textOf(fs, 'segments/3.text')]).toEqual([
      'some bytes',
      'some bytes',
    ])
    expect(requested.length).toBe(2)
  })

  it('with other bytes does not get its name', async () => {
    const { source, store, file } = stored(path, 'some bytes')
    store.set(objectsOf(place, file)[0]!.key, 'some bites')
    const fs = newFolder()
    const fetching = fetchFiles(source, fs, [{ file, path }])
    await expect(fetching).rejects.toMatchObject({ name: 'ArchiveError' })
    expect(fs.exists(path)).toBe(false)
  })

  it('is one of several, whose bytes are reported', async () => {
    const { source, file } = stored(path, 'some bytes')
    const done: number[] = []
    const fs = newFolder()
    const wanted = [1, 2, 3].map((i) => ({ file, path: `segments/${i}.text` }))
    await fetchFiles(source, fs, wanted, (bytes) => done.push(bytes))
    expect(done).toEqual([10, 20, 30])
    expect(fs.list('segments').length).toBe(3)
  })
})

describe('a fetched log', () => {
  const texts = ['first piece,', 'second piece,', 'third']
  it.each([
    ['no log', null, 3],
    ['a log without pieces', [], 3],
    ['the same log', texts, 0],
    ['its first pieces', texts.slice(0, 2), 1],
    ['another second piece', [texts[0]!, 'other', texts[2]!], 2],
  ])('after %s', async (_, before, objects) => {
    const { source, file, whole, requested } = stored('tasks/tasks-000001.log', ...texts)
    const fs = newFolder()
    const old = before ?? []
    write(fs, 'segments/before', bytesOf(old.join('') || '-'))
    const pieces = old.map((text) => ({ bytes: text.length, sha256: shaOf(bytesOf(text)) }))
    const known = before === null ? null : { path: 'segments/before', pieces }
    const fetched = await fetchLog(source, fs, { file, path: 'segments/log' }, known)
    expect(textOf(fs, 'segments/log')).toBe(Buffer.from(whole).toString())
    const left = texts.slice(texts.length - objects).join('').length
    expect([fetched, requested.length]).toEqual([left, objects])
  })
})

describe('a snapshot', () => {
  const file = (path: string): SnapshotFile => ({ path, bytes: 1, sha256: 'a' })
  const head = (...paths: readonly string[]) => ({
    version: '1.2.3',
    createdAt: '',
    sequence: 1,
    files: paths.map(file),
  })

  it('has a manifest, a task log, bodies and segments', () => {
    const [manifest, log] = ['manifest-000001.log', 'tasks/tasks-000001.log']
    const [body, segment] = ['tasks/bodies/1', 'segments/1.text']
    const files = filesOf(head(segment, body, log, manifest, 'VERSION'))
    expect([files.manifest.path, files.tasks.path]).toEqual([manifest, log])
    expect(files.bodies.map(({ path }) => path)).toEqual([body])
    expect([...files.segments.keys()]).toEqual([segment])
    for (const lacking of [head(log), head(manifest), head(manifest, 'tasks/bodies/1')]) {
      expect(() => filesOf(lacking)).toThrow(ForeignSnapshot)
    }
  })

  it('of another release is refused', () => {
    checkRelease(head(), '1.2.3')
    expect(() => checkRelease(head(), '1.2.2')).toThrow(/install that release here/)
    expect(() => checkRelease(head(), '1.3.0')).toThrow(/update the instance that publishes it/)
  })
})

describe('a follower', () => {
  const following = { source: 's', follower: 'f', snapshot: 'n', publishedAt: '' }
  const record = { ...following, generation: 1, shift: { index: 0, segment: 0 } }

  it('names the instance that accepts writes, if it knows that', () => {
    const message = (writer?: string) =>
      writeRefusal('the database', writer === undefined ? record : { ...record, writer }).message
    expect(message()).toContain('send them to the instance that publishes it')
    expect(message('http://a')).toContain('send them to `http://a`')
    expect(writeRefusal('the database', null)).toMatchObject({ code: 'read_only_follower' })
  })

  it('builds nothing and receives no bodies', async () => {
    const refusal = (): EngineFault => new EngineFault('read_only_follower', 'no')
    const indexing = noIndexing(refusal)
    expect(indexing.mergesMax).toBe(0)
    const call = { ...indexing } as unknown as { [name: string]: () => unknown }
    for (const name of ['takeSegment', 'body']) expect(call[name]).toThrow(EngineFault)
    await expect(call['run']!()).rejects.toThrow(EngineFault)
    await indexing.close()
    const fs = newFolder()
    for (const folder of ['tasks', 'tasks/bodies']) fs.makeDirectory(folder)
    write(fs, 'tasks/bodies/000001.json', bytesOf('a'))
    const bodies = readOnlyBodies(fs, indexing, refusal)
    expect(() => bodies.receive({} as never)).toThrow(EngineFault)
    await bodies.remove(1 as never)
    expect(fs.list('tasks/bodies').length).toBe(1)
    expect([1, 12, 1234567].map(folderOf).map((path) => path.split('/')[1])).toEqual([
      '000001',
      '000012',
      '1234567',
    ])
  })
})
