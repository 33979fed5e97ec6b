// The source of a restore: a snapshot by name, the newest valid one, or the archive.
import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { asTaskUid } from '../../../format/ids.ts'
import { FakeDisk, readFile } from '../../store/storage/index.ts'
import { ArchiveError } from '../archive/index.ts'
import { encodeHead, HEAD, type SnapshotHead } from '../snapshot/index.ts'
import { packedBlocks } from '../snapshot/pack.ts'
import {
  archiveKey,
  type HeadKind,
  headKey,
  objectsOf,
  positionOf,
  snapshotName,
  writerKey,
} from './keys.ts'
import { findSnapshot, restoreSnapshot } from './remote-snapshots.ts'
import { MemoryObjects } from './test-memory-store.ts'
import { encodeWriter } from './writer-v1.ts'

const PLACE = { prefix: 'p', name: 'db' }
const nameOf = (term: number, number: number): string => snapshotName({ term, number }, 1)
const TEXTS = { VERSION: '1.0.0', 'segments/000001.docs': 'documents' }
const FILES = Object.entries(TEXTS).map(([path, text]) => ({
  path,
  bytes: text.length,
  sha256: createHash('sha256').update(text).digest('hex'),
}))
const headOf = (name: string): SnapshotHead => ({
  version: '1.0.0',
  createdAt: '2026-01-02T03:04:05Z',
  sequence: 1,
  placed: { ...positionOf(name), instance: 'me' },
  files: FILES,
})

function world(heads: readonly (readonly [name: string, kind: HeadKind])[]) {
  const store = new MemoryObjects()
  for (const [name, kind] of heads) {
    store.objects.set(headKey(PLACE, name, kind), encodeHead(headOf(name)))
  }
  const messages: string[] = []
  const found = (name: string | null = null) =>
    findSnapshot(store.bucket(), PLACE, name, (message) => void messages.push(message))
  return { store, found, messages }
}

const [OLD, NEW, LAST] = [nameOf(7, 1), nameOf(7, 2), nameOf(7, 3)]
const ALL = [
  [OLD, 'snapshots'],
  [NEW, 'published'],
  [LAST, 'published'],
] as const
const foundFiles = (name: string) => ({ kind: 'files', name, head: headOf(name) })

describe('the source of a restore', () => {
  it('is the snapshot of that name, of either kind', async () => {
    const { found } = world(ALL)
    expect(await found(OLD)).toEqual(foundFiles(OLD))
    expect(await found(NEW)).toEqual(foundFiles(NEW))
    expect(await found(nameOf(7, 4))).toBeNull()
  })

  it('is the newest one without a name; of those that cannot be read the next', async () => {
    const { store, found, messages } = world(ALL)
    store.set(archiveKey(PLACE), 'archive')
    expect(await found()).toEqual(foundFiles(LAST))
    store.set(headKey(PLACE, LAST, 'published'), '{')
    expect(await found()).toEqual(foundFiles(NEW))
    expect(messages).toEqual([
      `The object \`published/${LAST}.json\` of the store is skipped: ` +
        'the head of the snapshot is not JSON.',
    ])
    await expect(found(LAST)).rejects.toMatchObject({ code: 'damaged' })
  })

  it('is one that is valid beside the record of the writer', async () => {
    const { store, found } = world(ALL)
    const record = {
      term: 7,
      instance: 'me',
      head: NEW,
      nextTask: asTaskUid(1),
      process: 'p',
      leaseMs: 1000,
      beat: 1,
      isReleased: false,
      ends: [],
    }
    store.objects.set(writerKey(PLACE), encodeWriter(record))
    expect(await found()).toEqual(foundFiles(NEW))
    store.objects.set(writerKey(PLACE), encodeWriter({ ...record, head: null }))
    expect(await found()).toEqual(foundFiles(OLD))
  })

  it('is the archive if no snapshot can be read, or nothing', async () => {
    const { store, found } = world([])
    expect(await found()).toBeNull()
    store.set(headKey(PLACE, LAST, 'published'), '{')
    const none = new ArchiveError('damaged', 'none of its snapshots can be read')
    await expect(found()).rejects.toThrow(none)
    store.set(archiveKey(PLACE), 'archive')
    expect(await found()).toEqual({ kind: 'archive', bytes: 7 })
  })
})

describe('a restore', () => {
  const restored = async (
    store: MemoryObjects,
    snapshot: Parameters<typeof restoreSnapshot>[2],
  ) => {
    const fs = new FakeDisk().mount()
    const shown: (readonly number[])[] = []
    const progress = (...counts: readonly number[]): void => void shown.push(counts)
    const head = await restoreSnapshot(store.bucket(), PLACE, snapshot, fs, { progress })
    const texts = Object.keys(TEXTS).map((path) => Buffer.from(readFile(fs, path, 100)).toString())
    return { head, texts, shown }
  }
  const SHOWN = [
    [5, 14],
    [14, 14],
  ]

  it('of files reads each from its object', async () => {
    const { store } = world([])
    for (const [i, text] of Object.values(TEXTS).entries()) {
      store.set(objectsOf(PLACE, FILES[i]!)[0]!.key, text)
    }
    const head = headOf(OLD)
    const done = await restored(store, { kind: 'files', name: OLD, head })
    expect(done).toEqual({ head, texts: Object.values(TEXTS), shown: SHOWN })
    store.set(objectsOf(PLACE, FILES[1]!)[0]!.key, 'Documents')
    await expect(restored(store, { kind: 'files', name: OLD, head })).rejects.toThrow(
      '`segments/000001.docs` is not what was uploaded',
    )
  })

  it('of the archive unpacks it', async () => {
    const { store } = world([])
    const head = headOf(OLD)
    const source = encodeHead(head)
    const files = [
      { path: HEAD, bytes: source.length, level: 1, source },
      ...Object.entries(TEXTS).map(([path, text]) => {
        const bytes = new Uint8Array(Buffer.from(text))
        return { path, bytes: bytes.length, level: 1, source: bytes }
      }),
    ]
    const blocks: Uint8Array[] = []
    for await (const block of packedBlocks(new FakeDisk().mount(), files, new Date(0))) {
      blocks.push(block)
    }
    store.objects.set(archiveKey(PLACE), Buffer.concat(blocks))
    const done = await restored(store, { kind: 'archive', bytes: 1 })
    expect(done).toEqual({ head, texts: Object.values(TEXTS), shown: SHOWN })
  })
})
