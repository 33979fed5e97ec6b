// Folders that change their role: a follower becomes a database of its own, a writer a follower.
import { crc32 } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import { readPublisher } from '../../backup/objstore/index.ts'
import {
  FOLLOWING,
  IDENTITY,
  InstanceIdentity,
  openManifest,
  segmentPath,
} from '../../store/catalog/index.ts'
import { RotatingLog } from '../../store/logs/index.ts'
import { FakeDisk, type FileSystem, readFile } from '../../store/storage/index.ts'
import { demoteToFollower } from './demote.ts'
import { examineFolder } from './folder-kind.ts'
import { promoteFollower } from './promote.ts'
import { type Following, followingChange, followingOf } from './record.ts'
import { folderOf, taskFolderOf } from './task-folder.ts'

const VERSION = '1.0.0'
const drawLogSalt = (): number => 1
const open = (fs: FileSystem) => openManifest(fs, { version: VERSION, upgrade: false, drawLogSalt })

const FOLLOWED: Following = {
  source: 'the database `db`',
  follower: 'f',
  snapshot: '20260102-030405006000-1a2b3c4d',
  publishedAt: '2026-01-02T03:04:05.006Z',
  generation: 3,
  shift: { index: 0, segment: 0 },
  instance: 'i',
}

const ZEROS = '00000000-0000-4000-8000-000000000000'

/** Writes the identity of another folder: its file has another inode. */
function writeCopiedIdentity(fs: FileSystem): void {
  const body = `id ${ZEROS}\nfile 999999 1\norigin own\n`
  const checksum = crc32(body).toString(16).padStart(8, '0')
  if (fs.exists(IDENTITY)) fs.remove(IDENTITY)
  const file = fs.open(IDENTITY, 'create')
  file.write(0, Buffer.from(`${body}crc32 ${checksum}\n`))
  file.close()
}

/** Writes a task log of some records into a folder. */
async function writeLog(fs: FileSystem, folder: string, records: number): Promise<void> {
  if (!fs.exists(folder)) fs.makeDirectory(folder)
  const log = await RotatingLog.open(fs, { folder, name: 'tasks', kind: 'TASK', drawLogSalt })
  for (let i = 0; i < records; i++) await log.append(1, new Uint8Array(100))
  await log.close()
}

const logIn = (fs: FileSystem, folder: string): Uint8Array =>
  readFile(fs, `${folder}/tasks-000001.log`, 1e6)

/** A follower with an index of one segment of 5 bytes, and an empty one. */
async function follower(
  changes: Partial<Following> = {},
  disk = new FakeDisk(),
): Promise<FileSystem> {
  const fs = disk.mount()
  const manifest = await open(fs)
  const [index, segment] = [manifest.takeIndex(), manifest.takeSegment()]
  const entry = { segment, layer: 'text', documents: 1, idMin: 0, idMax: 0, bytes: 5 } as const
  await manifest.commit([
    followingChange({ ...FOLLOWED, ...changes }),
    {
      kind: 'index-created',
      index,
      uid: asIndexUid('films'),
      primaryKey: null,
      at: 1,
      settings: '{}',
    },
    { kind: 'segment-added', index, ...entry, location: { kind: 'file', checksum: 1 } },
    {
      kind: 'index-created',
      index: manifest.takeIndex(),
      uid: asIndexUid('songs'),
      primaryKey: null,
      at: 1,
      settings: '{}',
    },
  ])
  await manifest.close()
  fs.makeDirectory('segments')
  const file = fs.open(segmentPath(segment, 'text'), 'create')
  file.write(0, new Uint8Array(5))
  file.close()
  fs.makeDirectory(FOLLOWING)
  await writeLog(fs, folderOf(3), 3)
  await writeLog(fs, 'tasks', 1)
  return fs
}

describe('a follower', () => {
  it('becomes a database with the tasks of the one that it followed', async () => {
    const fs = await follower()
    expect((await examineFolder(fs)).kind).toBe('follower')
    const log = logIn(fs, folderOf(3))
    expect(await promoteFollower(fs, VERSION)).toEqual(FOLLOWED)
    expect(logIn(fs, 'tasks')).toEqual(log)
    expect(fs.exists(FOLLOWING)).toBe(false)
    expect(readPublisher(fs)).toMatchObject({ replaces: 'i' })
    expect((await InstanceIdentity.open(fs)).origin).toBe('restored')
    expect((await examineFolder(fs)).kind).toBe('own')
    // It is one already; what a killed promotion has left is removed.
    fs.makeDirectory(FOLLOWING)
    expect(await promoteFollower(fs, VERSION)).toBeNull()
    expect(fs.exists(FOLLOWING)).toBe(false)
  })

  it('replaces no other instance if it does not know which one it followed', async () => {
    const fs = await follower()
    const manifest = await open(fs)
    const { instance: _, ...unnamed } = FOLLOWED
    await manifest.commit([followingChange(unnamed)])
    await manifest.close()
    await promoteFollower(fs, VERSION)
    expect('replaces' in readPublisher(fs)).toBe(false)
  })

  it('has only its log as a database, and gets an identity of its own if it is a copy', async () => {
    const fs = await follower()
    const { id } = await InstanceIdentity.open(fs)
    fs.rename('tasks/tasks-000001.log', 'tasks/tasks-000002.log')
    await promoteFollower(fs, VERSION)
    expect(fs.list('tasks').filter((one) => one.endsWith('.log'))).toEqual(['tasks-000001.log'])
    const own = await open(fs)
    expect(taskFolderOf(own.state)).toBe('tasks')
    await own.close()
    // It is another instance than the followed one, and still the same as before.
    expect((await InstanceIdentity.open(fs)).id).toBe(id)

    const copy = await follower()
    writeCopiedIdentity(copy)
    await promoteFollower(copy, VERSION)
    const renewed = await InstanceIdentity.open(copy)
    expect(renewed.origin).toBe('restored')
    expect(renewed.id).not.toBe(ZEROS)
  })

  const first = (fs: FileSystem): string => `segments/${fs.list('segments')[0]}`
  it.each<[string, Partial<Following>, (fs: FileSystem) => void, RegExp]>([
    ['has no state yet', { snapshot: '' }, () => undefined, /not taken over a state/],
    [
      'lacks an index',
      { missing: [0, 1] as never },
      () => undefined,
      /^the index `films` was not downloaded yet: start it with `--follow` until `svc_follower_missing_indexes` is 0$/,
    ],
    [
      'lacks several indexes',
      { missing: [2, 3, 1] as never },
      () => undefined,
      /^the index `songs` was not downloaded yet, as 1 more: start/,
    ],
    ['lacks a file', {}, (fs) => fs.remove(first(fs)), /is missing, or not as long/],
    [
      'has a longer file',
      {},
      (fs) => {
        const file = fs.open(first(fs), 'write')
        file.write(5, new Uint8Array(1))
        file.close()
      },
      /is missing, or not as long/,
    ],
    [
      'lacks its tasks',
      {},
      (fs) => fs.remove(`${folderOf(3)}/tasks-000001.log`),
      /holds no task log/,
    ],
  ])('stays one if it %s', async (_, changes, damage, words) => {
    const fs = await follower(changes)
    damage(fs)
    await expect(promoteFollower(fs, VERSION)).rejects.toThrow(words)
    expect((await examineFolder(fs)).kind).toBe('follower')
    expect(fs.exists(folderOf(3))).toBe(true)
  })
})

describe('a writer', () => {
  const TARGET = { source: 'the database `db`', name: 'f', version: VERSION }

  it('becomes a follower with a copy of its tasks, and numbers that it never used', async () => {
    const fs = await follower()
    await promoteFollower(fs, VERSION)
    await demoteToFollower(fs, TARGET)
    const manifest = await open(fs)
    const { state } = manifest
    await manifest.close()
    expect(followingOf(state)).toMatchObject({ follower: 'f', snapshot: '', generation: 1 })
    const { shift } = followingOf(state)!
    expect([...state.indexes.keys()].every((index) => index < shift.index)).toBe(true)
    expect(taskFolderOf(state)).toBe(folderOf(1))
    expect(logIn(fs, folderOf(1))).toEqual(logIn(fs, 'tasks'))
    expect((await examineFolder(fs)).kind).toBe('follower')
    // Repeated after a kill, it changes nothing.
    await demoteToFollower(fs, { ...TARGET, name: 'other' })
    const again = await open(fs)
    expect(followingOf(again.state)).toMatchObject({ follower: 'f' })
    await again.close()
  })

  it('keeps its records only, if its log could not be closed', async () => {
    const disk = new FakeDisk()
    const fs = await follower({}, disk)
    await promoteFollower(fs, VERSION)
    const log = await RotatingLog.open(fs, {
      folder: 'tasks',
      name: 'tasks',
      kind: 'TASK',
      drawLogSalt,
    })
    await log.append(1, new Uint8Array(100))
    const { bytes, path } = log
    disk.fail({ on: 'write', errno: 'EIO' })
    await log.close()
    expect(fs.size(path)).toBeGreaterThan(bytes)
    await demoteToFollower(fs, TARGET)
    expect(logIn(fs, folderOf(1))).toEqual(logIn(fs, 'tasks').subarray(0, bytes))
  })

  it('without a task log stays one', async () => {
    const fs = new FakeDisk().mount()
    await (await open(fs)).close()
    fs.makeDirectory('tasks')
    await expect(demoteToFollower(fs, TARGET)).rejects.toThrow('holds no task log')
    // A database without a commit holds nothing.
    expect((await examineFolder(fs)).kind).toBe('new')
  })
})

it('an empty folder is a new one, and a copied one gets an identity of its own', async () => {
  const fs = new FakeDisk().mount()
  const { kind, identity } = await examineFolder(fs)
  expect([kind, identity.origin]).toEqual(['new', 'own'])
  expect((await examineFolder(fs)).identity.id).toBe(identity.id)
  writeCopiedIdentity(fs)
  expect((await InstanceIdentity.open(fs)).origin).toBe('copied')
  const found = (await examineFolder(fs)).identity
  expect(found.origin).toBe('own')
  expect(found.id).not.toBe(ZEROS)
  expect((await examineFolder(fs)).identity.id).toBe(found.id)
})
