// Imports into a folder: completely or not at all. What is checked of a snapshot before its files
// become the database.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { asIndexUid } from '../../format/ids.ts'
import { ArchiveError, packArchive } from '../backup/archive/index.ts'
import { encodeHead, HEAD, type SnapshotHead } from '../backup/snapshot/index.ts'
import { StorageError } from '../model/index.ts'
import { InstanceIdentity, openManifest, segmentPath } from '../store/catalog/index.ts'
import { FakeDisk, type FileSystem, RealFileSystem, readFile } from '../store/storage/index.ts'
import { type Fill, fromFile, importSnapshot } from './import-snapshot.ts'
import { databaseExists, fileExists, importInto, removeUnfinishedImport } from './imports.ts'

const root = mkdtempSync(join(tmpdir(), 'svc-imports-'))
afterAll(() => rmSync(root, { recursive: true }))
let count = 0
const newPath = (): string => join(root, `folder-${count++}`)

const VERSION = '1.2.3'
const TASKS = 'tasks/tasks-000001.log'
type Files = Map<string, Uint8Array>

/** The files of a database with two segments, of which one is in the manifest. */
async function databaseFiles(): Promise<{ files: Files; segment: string }> {
  const fs = new FakeDisk().mount()
  const options = { version: VERSION, upgrade: false, drawLogSalt: () => 1 }
  const manifest = await openManifest(fs, options)
  const index = manifest.takeIndex()
  const created = { kind: 'index-created', primaryKey: null, at: 1, settings: '{}' } as const
  await manifest.commit([{ ...created, index, uid: asIndexUid('films') }])
  const [one, other] = [manifest.takeSegment(), manifest.takeSegment()]
  const entry = { layer: 'text', documents: 1, idMin: 0, idMax: 0, bytes: 3 } as const
  const file = { kind: 'file', checksum: 1 } as const
  const inline = { kind: 'inline', frame: Uint8Array.of(1, 2, 3) } as const
  await manifest.commit([
    { kind: 'segment-added', index, segment: one, ...entry, location: file },
    { kind: 'segment-added', index, segment: other, ...entry, location: inline },
  ])
  await manifest.close()
  const names = fs.list('').filter((name) => /^(?:VERSION|CURRENT|manifest-)/.test(name))
  const files = new Map(names.map((name) => [name, readFile(fs, name, 1e6)]))
  const segment = segmentPath(one, 'text')
  files.set(segment, Uint8Array.of(7, 8, 9))
  files.set(TASKS, Uint8Array.of(1))
  return { files, segment }
}

const HEAD_OF: SnapshotHead = {
  version: VERSION,
  createdAt: '2026-01-02T03:04:05Z',
  sequence: 2,
  files: [],
}

/** Writes these files. */
const filling =
  (files: Files): Fill =>
  async (fs) => {
    for (const folder of ['segments', 'tasks']) fs.makeDirectory(folder)
    for (const [path, bytes] of files) {
      const file = fs.open(path, 'create')
      file.write(0, bytes)
      file.close()
    }
    return HEAD_OF
  }

const imported = (path: string, fill: Fill, version = VERSION): Promise<SnapshotHead> =>
  importSnapshot({ path, version, progress: () => undefined }, fill)

describe('a snapshot', () => {
  it('becomes the database of another instance, also in a later release', async () => {
    for (const version of [VERSION, '1.3.0']) {
      const path = newPath()
      const { files } = await databaseFiles()
      expect(await imported(path, filling(files), version)).toBe(HEAD_OF)
      expect(readdirSync(path).includes('IMPORTING')).toBe(false)
      const identity = await InstanceIdentity.open(new RealFileSystem(path))
      expect(identity.origin).toBe('restored')
    }
  })

  it('is read from an archive in any folder', async () => {
    const { files } = await databaseFiles()
    const head = {
      ...HEAD_OF,
      files: [...files].map(([path, { length }]) => ({ path, bytes: length, sha256: null })),
    }
    const entries = [[HEAD, encodeHead(head)] as const, ...files].map(([path, content]) => ({
      ...({ kind: 'file', path, bytes: content.length, content } as const),
    }))
    const pieces: Uint8Array[] = []
    for await (const piece of packArchive(entries, { gzipLevel: 1, modifiedAt: new Date(0) })) {
      pieces.push(piece)
    }
    const file = join(root, 'one.snapshot')
    writeFileSync(file, Buffer.concat(pieces))
    const path = newPath()
    expect(await imported(path, fromFile(file))).toEqual(head)
    expect(databaseExists(path)).toBe(true)
    const other = newPath()
    await expect(imported(other, fromFile('no-such.snapshot'))).rejects.toMatchObject({
      code: 'missing',
      path: 'no-such.snapshot',
    })
    expect(existsSync(other)).toBe(false)
  })

  it('of a later release is refused, and leaves nothing', async () => {
    const path = newPath()
    const { files } = await databaseFiles()
    await expect(imported(path, filling(files), '1.2.2')).rejects.toThrow(
      new ArchiveError('damaged', 'it is of version 1.2.3, newer than this one (1.2.2)'),
    )
    expect(existsSync(path)).toBe(false)
  })

  it.each<[string, (files: Files, segment: string) => void, (segment: string) => string]>([
    ['its tasks', (files) => files.delete(TASKS), () => 'tasks'],
    ['a segment', (files, segment) => files.delete(segment), (segment) => segment],
    [
      'a part of a segment',
      (files, segment) => files.set(segment, new Uint8Array(2)),
      (segment) => segment,
    ],
  ])('that lacks %s is refused, and leaves nothing', async (_, damage, lacking) => {
    const path = newPath()
    const { files, segment } = await databaseFiles()
    damage(files, segment)
    const file = lacking(segment)
    await expect(imported(path, filling(files))).rejects.toThrow(
      new StorageError('corrupt', file, `the snapshot lacks \`${file}\`, or has another one`),
    )
    expect(existsSync(path)).toBe(false)
  })
})

describe('a folder', () => {
  it('is a database if it has entries', () => {
    const path = newPath()
    expect([databaseExists(path), fileExists(path)]).toEqual([false, false])
    mkdirSync(path)
    expect([databaseExists(path), fileExists(path)]).toEqual([false, true])
    writeFileSync(join(path, 'x'), '')
    expect([databaseExists(path), databaseExists(join(path, 'x'))]).toEqual([true, false])
    expect(fileExists(join(path, 'x'))).toBe(true)
  })

  const half = async (fs: FileSystem): Promise<void> => {
    fs.makeDirectory('segments')
    fs.open('LOCK', 'create').close()
  }

  it('that existed stays when its import fails, without content', async () => {
    const path = newPath()
    mkdirSync(path)
    const failing = importInto(path, async (fs) => {
      await half(fs)
      throw new TypeError('a mistake')
    })
    await expect(failing).rejects.toThrow(new TypeError('a mistake'))
    expect(readdirSync(path)).toEqual([])
  })

  it('of an import that was killed is emptied at the next start', async () => {
    const path = newPath()
    mkdirSync(path)
    writeFileSync(join(path, 'IMPORTING'), '')
    await half(new RealFileSystem(path))
    expect(await removeUnfinishedImport(path)).toBe(true)
    expect(readdirSync(path)).toEqual([])
    writeFileSync(join(path, 'CURRENT'), '')
    expect(await removeUnfinishedImport(path)).toBe(false)
    expect(readdirSync(path)).toEqual(['CURRENT'])
  })
})
