// Databases that are opened for reading, copied as catalog files, or only reserved; and the length at
// which a manifest is rotated.
import { describe, expect, it } from 'vitest'
import { InvariantError } from '../../../format/errors.ts'
import { asIndexNo, asIndexUid } from '../../../format/ids.ts'
import type { Change } from '../../../format/manifest/index.ts'
import { codeOf } from '../../testing/test-code.ts'
import { FakeDisk, type FileSystem, readFile } from '../storage/index.ts'
import { checkIdentity, InstanceIdentity, markRestored } from './identity.ts'
import { beginImport, removeImport } from './importing.ts'
import { catalogFiles, type Manifest, openManifestForReading } from './index.ts'
import { openManifest } from './open-manifest.ts'
import { readDatabase, stateOfManifest } from './read-database.ts'
import { plainState } from './test-states.ts'

const VERSION = '1.50.0'
const open = (fs: FileSystem, manifestBytesMin?: number): Promise<Manifest> =>
  openManifest(fs, {
    version: VERSION,
    upgrade: false,
    drawLogSalt: () => 0x5eed,
    ...(manifestBytesMin === undefined ? {} : { manifestBytesMin }),
  })
const CREATED: Change = {
  kind: 'index-created',
  index: asIndexNo(1),
  uid: asIndexUid('films'),
  primaryKey: 'id',
  at: 1,
  settings: '{}',
}
const valueSet = (key: string, bytes: number): Change => ({
  kind: 'value-set',
  space: 's',
  key,
  value: new Uint8Array(bytes),
})

/** A database of one index, closed. */
async function made(disk: FakeDisk): Promise<FileSystem> {
  const fs = disk.mount()
  const manifest = await open(fs)
  await manifest.commit([CREATED])
  await manifest.close()
  return fs
}

describe('a database opened for reading', () => {
  const reading = (fs: FileSystem, version = VERSION): Manifest =>
    openManifestForReading(fs, version, () => new RangeError('read-only'))

  it('has its state, refuses commits, and is not changed', async () => {
    const disk = new FakeDisk()
    const fs = await made(disk)
    const steps = disk.steps
    const readers = [reading(fs), reading(fs)]
    const [first, second] = readers as [Manifest, Manifest]
    expect(first.state.byUid.get(asIndexUid('films'))).toBe(1)
    expect(first.file).toEqual({
      path: 'manifest-000001.log',
      bytes: readDatabase(fs).contents.validBytes,
    })
    expect([first.log.usable, first.log.isInPlace(), first.isAsClosed]).toEqual([true, true, true])
    await first.log.recover()
    await expect(first.commit([])).rejects.toThrow(new RangeError('read-only'))
    await expect(open(fs)).rejects.toMatchObject({ code: 'locked' })
    await first.close(true)
    await expect(open(fs)).rejects.toMatchObject({ code: 'locked' })
    await second.close(true)
    expect([disk.steps, fs.exists('CLOSED')]).toEqual([steps, false])
    await (await open(fs)).close()
  })

  it('must exist, be of this release, be sound, and not be open for writing', async () => {
    const empty = new FakeDisk().mount()
    expect(codeOf(() => reading(empty))).toBe('missing')
    expect(empty.list('')).toEqual([])
    const fs = await made(new FakeDisk())
    expect(codeOf(() => reading(fs, '1.50.1'))).toBe('version')
    const writer = await open(fs)
    expect(codeOf(() => reading(fs))).toBe('locked')
    await writer.close()
    const file = fs.open('manifest-000001.log', 'write')
    const [before] = [readFile(fs, 'manifest-000001.log', 1e6)[40]!]
    file.write(40, Uint8Array.of(before ^ 1))
    expect(codeOf(() => reading(fs))).toBe('corrupt')
    file.write(40, Uint8Array.of(before))
    file.close()
    // No attempt that failed holds the lock.
    await (await open(fs)).close()
  })
})

it('catalog files of a state are a database with that state', async () => {
  const { state } = readDatabase(await made(new FakeDisk()))
  const copy = new FakeDisk().mount()
  for (const { path, bytes } of catalogFiles(state, VERSION, 7)) {
    const file = copy.open(path, 'create')
    file.write(0, bytes)
    file.close()
    if (path.startsWith('manifest')) {
      expect(plainState(stateOfManifest(path, bytes))).toEqual(plainState(state))
      expect(codeOf(() => stateOfManifest('manifest-000002.log', bytes))).toBe('corrupt')
    }
  }
  const manifest = await open(copy)
  expect(plainState(manifest.state)).toEqual(plainState(state))
  await manifest.close()
})

describe('a manifest', () => {
  it('that is reserved is changed by its owner alone', async () => {
    const manifest = await open(new FakeDisk().mount())
    const commit = manifest.reserve(() => new RangeError('reserved'))
    await expect(manifest.commit([CREATED])).rejects.toThrow(new RangeError('reserved'))
    expect((await commit([CREATED])).sequence).toBe(1)
  })

  it('that is released is as it was, and another may be opened', async () => {
    const fs = await made(new FakeDisk())
    const before = readFile(fs, 'manifest-000001.log', 1e6)
    const manifest = await open(fs)
    manifest.release()
    expect(readFile(fs, 'manifest-000001.log', 1e6)).toEqual(before)
    expect(() => manifest.commit([])).toThrow(InvariantError)
    await (await open(fs)).close()
  })

  it('hands out segments in runs', async () => {
    const manifest = await open(new FakeDisk().mount())
    expect([manifest.takeSegment(5), manifest.takeSegment(), manifest.takeSegment()]).toEqual([
      1, 6, 7,
    ])
  })

  it('is rotated when it is twice as long as its checkpoint, not earlier', async () => {
    const disk = new FakeDisk()
    const fs = disk.mount()
    const manifest = await open(fs, 1000)
    await manifest.commit([valueSet('a', 20_000)])
    await manifest.commit([])
    const { path, bytes } = manifest.file
    expect(path).toBe('manifest-000002.log')
    const checkpoint = bytes
    let last = bytes
    while (manifest.file.path === path) {
      expect(last).toBeLessThan(2 * checkpoint)
      await manifest.commit([valueSet('b', 400)])
      // A rotation follows the commit that makes it due.
      await manifest.commit([])
      if (manifest.file.path === path) last = manifest.file.bytes
    }
    expect(last + 3 * 450).toBeGreaterThan(2 * checkpoint)
  })

  it.each([
    [60_000, 'manifest-000001.log'],
    [70_000, 'manifest-000002.log'],
  ])('with %i bytes after its checkpoint is %s after closing', async (bytes, path) => {
    const fs = new FakeDisk().mount()
    const manifest = await open(fs)
    for (const part of [1, 2]) await manifest.commit([valueSet(`${part}`, bytes / 2)])
    await manifest.close()
    expect(readDatabase(fs).path).toBe(path)
  })
})

describe('an identity', () => {
  it('is checked, and kept when the folder is filled again', async () => {
    const fs = new FakeDisk().mount()
    checkIdentity(fs)
    const { id } = await InstanceIdentity.open(fs)
    checkIdentity(fs)
    await markRestored(fs, id)
    const restored = InstanceIdentity.read(fs)
    expect([restored.id, restored.origin]).toEqual([id, 'restored'])
    expect(restored.process).toBe(restored.process.slice())
    const file = fs.open('IDENTITY', 'write')
    file.write(3, Uint8Array.of(0))
    expect(codeOf(() => checkIdentity(fs))).toBe('corrupt')
    file.close()
  })

  it('that is only read is not stored', () => {
    const fs = new FakeDisk().mount()
    const { origin, id } = InstanceIdentity.read(fs)
    expect([origin, id.length, fs.list('')]).toEqual(['own', 36, []])
  })
})

it('an import that is removed leaves the lock alone', async () => {
  const fs = new FakeDisk().mount()
  await beginImport(fs)
  fs.makeDirectory('segments')
  for (const path of ['LOCK', 'CURRENT', 'segments/000001.docs']) fs.open(path, 'create').close()
  await removeImport(fs)
  expect(fs.list('')).toEqual(['LOCK'])
})
