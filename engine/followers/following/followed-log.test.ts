// The log that a follower reads, and the snapshots that it downloads.

import { describe, expect, it } from 'vitest'
import { asSegmentNo } from '../../../format/ids.ts'
import { LOG_HEADER_BYTES } from '../../../format/log/index.ts'
import { decodeHead, encodeHead } from '../../backup/snapshot/index.ts'
import { StorageError } from '../../model/index.ts'
import { RotatingLog } from '../../store/logs/index.ts'
import { FakeDisk, readFile } from '../../store/storage/index.ts'
import { FollowedLog } from './followed-log.ts'
import { noIndexing } from './no-indexing.ts'
import { writeRefusal } from './refusal.ts'
import { checkRelease, filesOf } from './snapshot-files.ts'

const PUBLISHED_AT = '2026-01-02T03:04:05.006Z'

const refusal = (): Error => new Error('not here')

async function logWith(disk: FakeDisk, payloads: readonly Uint8Array[]) {
  const fs = disk.mount()
  fs.makeDirectory('tasks')
  const log = await RotatingLog.open(fs, {
    folder: 'tasks',
    name: 'tasks',
    kind: 'TASK',
    drawLogSalt: () => 5,
  })
  const offsets: number[] = []
  for (const payload of payloads) offsets.push(await log.append(1, payload))
  return { fs, log, offsets }
}

describe('a followed log', () => {
  it('is read record by record and as a whole, without seals', async () => {
    const payloads = [1, 70_000, 3, 0, 200_000].map((length) => new Uint8Array(length).fill(7))
    const { fs, log, offsets } = await logWith(new FakeDisk(), payloads)
    await log.close()
    const followed = await FollowedLog.open(fs, log.path, refusal)
    for (const [i, offset] of offsets.entries()) {
      const { type, payload } = await followed.read(offset)
      expect([type, Buffer.compare(payload, payloads[i]!)]).toEqual([1, 0])
    }
    const added = await followed.append(2, Uint8Array.of(9))
    expect((await followed.read(added)).payload).toEqual(Uint8Array.of(9))
    const all: number[] = []
    for await (const portion of followed.scan(0, followed.bytes)) {
      for (const { payload } of portion) all.push(payload.length)
    }
    expect(all).toEqual([1, 70_000, 3, 0, 200_000, 1])
    await expect(followed.rotate()).rejects.toThrow('not here')
    await followed.close()
  })

  it('that is damaged fails with an error', async () => {
    const { fs, log, offsets } = await logWith(new FakeDisk(), [new Uint8Array(100)])
    await log.close()
    const bytes = Uint8Array.from(readFile(fs, log.path, 1e6))
    for (const at of [3, offsets[0]! + 9, offsets[0]! + 60]) {
      const changed = bytes.slice()
      changed[at]! ^= 0x40
      const path = `tasks/tasks-${String(at).padStart(6, '0')}.log`
      const file = fs.open(path, 'create')
      file.write(0, changed)
      file.close()
      const read = async (): Promise<void> => {
        const followed = await FollowedLog.open(fs, path, refusal)
        for await (const _ of followed.scan(0, followed.bytes));
      }
      await expect(read(), String(at)).rejects.toThrow(StorageError)
    }
  })
})

it('a followed log that ends early, or is not a log, fails with its name', async () => {
  const fs = new FakeDisk().mount()
  const write = (path: string, bytes: Uint8Array): void => {
    const file = fs.open(path, 'create')
    file.write(0, bytes)
    file.close()
  }
  write('short', new Uint8Array(10))
  await expect(FollowedLog.open(fs, 'short', refusal)).rejects.toMatchObject({
    code: 'short_file',
    path: 'short',
    message: `\`short\` ends before ${LOG_HEADER_BYTES}`,
  })
  const { fs: disk, log, offsets } = await logWith(new FakeDisk(), [new Uint8Array(100)])
  await log.close()
  // The published length is longer than the file that was fetched.
  const length = disk.size(log.path)
  const followed = await FollowedLog.open(disk, log.path, refusal, length + 10)
  await expect(followed.read(offsets[0]!)).rejects.toMatchObject({
    code: 'short_file',
    message: `\`${log.path}\` ends before ${length + 10}`,
  })
  await expect(followed.read(length + 5)).rejects.toMatchObject({ code: 'short_file' })
})

it('a followed log is scanned between two offsets, and closed after the last read', async () => {
  const payloads = [1, 2, 3].map((length) => new Uint8Array(length))
  const { fs, log, offsets } = await logWith(new FakeDisk(), payloads)
  await log.close()
  const followed = await FollowedLog.open(fs, log.path, refusal)
  const added = [
    await followed.append(2, new Uint8Array(8)),
    await followed.append(2, payloads[0]!),
  ]
  const lengths = async (from: number, to: number): Promise<readonly number[]> => {
    const found: number[] = []
    for await (const portion of followed.scan(from, to)) {
      found.push(...portion.map(({ payload }) => payload.length))
    }
    return found
  }
  expect(await lengths(offsets[1]!, added[1]!)).toEqual([2, 3, 8])
  expect(await lengths(added[1]!, followed.bytes)).toEqual([1])
  expect(await lengths(0, offsets[1]!)).toEqual([1])
  const reading = followed.read(offsets[2]!)
  await followed.close()
  expect((await reading).payload.length).toBe(3)
  // The records in memory outlive the file.
  expect((await followed.read(added[0]!)).payload.length).toBe(8)
  await expect(followed.read(offsets[2]!)).rejects.toThrow()
})

describe('a snapshot', () => {
  const head = (paths: readonly string[], version = '1.2.3') => ({
    version,
    createdAt: PUBLISHED_AT,
    sequence: 1,
    files: paths.map((path) => ({ path, bytes: 1, sha256: 'ab'.repeat(32) })),
  })
  const MANIFEST = 'manifest-000001.log'
  const TASKS = 'tasks/tasks-000001.log'

  it('is searched for the files that a follower needs', () => {
    const files = filesOf(
      head([MANIFEST, TASKS, 'tasks/bodies/000001.body', 'segments/000001.docs']),
    )
    expect(files.manifest.path).toBe(MANIFEST)
    expect(files.tasks.path).toBe(TASKS)
    expect(files.bodies.length).toBe(1)
    expect([...files.segments.keys()]).toEqual(['segments/000001.docs'])
    expect(() => filesOf(head([MANIFEST]))).toThrow('no task log')
  })

  it('must be of the same release', () => {
    expect(() => checkRelease(head([]), '1.2.3')).not.toThrow()
    expect(() => checkRelease(head([], '1.3.0'), '1.2.3')).toThrow('install that release here')
    expect(() => checkRelease(head([], '1.1.0'), '1.2.3')).toThrow('update the instance')
  })
})

it('a follower refuses to build segments, with the reason', async () => {
  const indexing = noIndexing(() => writeRefusal('the database `db`', null))
  const refused = { code: 'read_only_follower', message: /send them to the instance/ }
  const rebuild = { kind: 'merge' } as unknown as Parameters<typeof indexing.run>[0]
  const hooks = { signal: null, progress: () => undefined }
  await expect(indexing.run(rebuild, hooks)).rejects.toMatchObject(refused)
  expect(() => indexing.body(1, { kind: 'json' } as never)).toThrow(/takes no writes/)
  expect(() => indexing.takeSegment()).toThrow(/takes no writes/)
  indexing.forget([asSegmentNo(1)])
  await indexing.close()
})

it('the writer in a head is printable text or absent', () => {
  const head = { version: '1.50.0', createdAt: PUBLISHED_AT, sequence: 1, files: [] }
  const writer = 'https://writer.example:7700'
  expect(decodeHead(encodeHead({ ...head, writer })).writer).toBe(writer)
  expect(decodeHead(encodeHead(head)).writer).toBeUndefined()
  for (const bad of ['two words', 'line\nline', '', 'x'.repeat(301)]) {
    expect(() => decodeHead(encodeHead({ ...head, writer: bad })), bad).toThrow(/head/)
  }
})
