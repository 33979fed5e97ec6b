// The manifest: opening, committing and rotating; under damage, failures and crashes.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { FIRST_SEED } from '../../../fixtures/first-seed.ts'
import { InvariantError } from '../../../format/errors.ts'
import { asBatchUid, asIndexNo, asIndexUid, asSegmentNo } from '../../../format/ids.ts'
import type { Change } from '../../../format/manifest/index.ts'
import { StorageError } from '../../model/index.ts'
import { PowerOff } from '../storage/fake-failures.ts'
import {
  FakeDisk,
  type FileSystem,
  type Random,
  RealFileSystem,
  randomOf,
  readFile,
} from '../storage/index.ts'
import { type Manifest, openManifest, type State } from './index.ts'
import { UNUSED_BYTES_MAX } from './limits.ts'
import type { OpenOptions } from './open-manifest.ts'
import { plainState, randomChanges } from './test-states.ts'

/** Sessions in the test run; drills have more. */
const SESSIONS = Number(process.env['SVC_MANIFEST_SESSIONS'] ?? 150)
const VERSION = '1.50.0'
const options = (more: Partial<OpenOptions> = {}): OpenOptions => ({
  version: VERSION,
  upgrade: false,
  drawLogSalt: () => 0x5eed,
  ...more,
})
const open = (fs: FileSystem, more: Partial<OpenOptions> = {}): Promise<Manifest> =>
  openManifest(fs, options(more))
const created = (index: number, uid = `i${index}`): Change => ({
  kind: 'index-created',
  index: asIndexNo(index),
  uid: asIndexUid(uid),
  primaryKey: null,
  at: 1,
  settings: '{}',
})
const touched = (at: number): Change => ({ kind: 'index-touched', index: asIndexNo(1), at })
const textOfState = (state: State): string => JSON.stringify(plainState(state))
const textOf = (fs: FileSystem, path: string): string =>
  new TextDecoder().decode(readFile(fs, path, 1e6))
const put = (fs: FileSystem, path: string, content: string | Uint8Array): void => {
  if (fs.exists(path)) fs.remove(path)
  const file = fs.open(path, 'create')
  file.write(0, typeof content === 'string' ? new TextEncoder().encode(content) : content)
  file.close()
}
const failure = (
  work: Promise<unknown>,
): Promise<{ code: string; message: string; path: string }> =>
  work.then(
    () => expect.unreachable('it was not refused'),
    (error) => {
      if (!(error instanceof StorageError)) throw error
      return { code: error.code, message: error.message, path: error.path }
    },
  )

const systems: readonly [string, () => { fs: FileSystem; done: () => void }][] = [
  ['on the fake disk', () => ({ fs: new FakeDisk().mount(), done: () => undefined })],
  [
    'on the real one',
    () => {
      const root = mkdtempSync(join(tmpdir(), 'svc-catalog-'))
      const fs = RealFileSystem.create(join(root, 'data.ms'))
      return { fs, done: () => rmSync(root, { recursive: true }) }
    },
  ],
]

describe.each(systems)('a database %s', (_name, make) => {
  it('is created in an empty folder, and opened again', async () => {
    const { fs, done } = make()
    const manifest = await open(fs)
    expect(plainState(manifest.state)).toMatchObject({ sequence: 0, nextIndex: 1, indexes: [] })
    expect(textOf(fs, 'VERSION')).toBe(VERSION)
    expect(textOf(fs, 'CURRENT')).toBe('manifest-000001.log\n')
    expect(fs.list('').filter((name) => name !== 'LOCK')).toEqual([
      'CURRENT',
      'VERSION',
      'manifest-000001.log',
      'segments',
      'tasks',
    ])
    expect(fs.list('tasks')).toEqual(['bodies'])
    const edit = await manifest.commit([created(1)])
    expect(edit.sequence).toBe(1)
    expect(manifest.state.byUid.get(asIndexUid('i1'))).toBe(1)
    await expect(open(fs)).rejects.toMatchObject({ code: 'locked' })
    await manifest.close()
    const again = await open(fs)
    expect(plainState(again.state)).toEqual(plainState(manifest.state))
    await again.close()
    done()
  })

  it('rotates its manifest when it has grown, and loses nothing', async () => {
    const { fs, done } = make()
    const manifest = await open(fs, { manifestBytesMin: 4000 })
    await manifest.commit([created(1)])
    for (let at = 2; at < 200; at++) await manifest.commit([touched(at)])
    const { path, bytes } = manifest.file
    expect(Number(/\d+/.exec(path)![0])).toBeGreaterThan(2)
    expect(bytes).toBeLessThan(5000)
    expect(fs.list('').filter((name) => name.startsWith('manifest'))).toEqual([path])
    await manifest.close()
    const again = await open(fs)
    expect(again.state.sequence).toBe(199)
    expect(plainState(again.state)).toEqual(plainState(manifest.state))
    await again.close()
    done()
  })
})

describe('commits', () => {
  it('happen one after another, each on the state of the one before', async () => {
    const manifest = await open(new FakeDisk().mount())
    await manifest.commit([created(1)])
    const edits = await Promise.all(
      Array.from({ length: 20 }, () =>
        manifest.commit((state) => [touched(state.indexes.get(asIndexNo(1))!.updatedAt + 1)]),
      ),
    )
    expect(edits.map((edit) => edit.sequence)).toEqual(edits.map((_, i) => i + 2))
    expect(manifest.state.indexes.get(asIndexNo(1))!.updatedAt).toBe(21)
  })

  it('that contradict the state are invariant errors and change nothing', async () => {
    const disk = new FakeDisk()
    const manifest = await open(disk.mount())
    const { bytes } = manifest.file
    await expect(manifest.commit([touched(1)])).rejects.toThrow(InvariantError)
    await expect(manifest.commit(() => [created(-1)])).rejects.toThrow(InvariantError)
    expect(manifest.file.bytes).toBe(bytes)
    await manifest.commit([created(1)])
    expect(manifest.state.sequence).toBe(1)
  })

  it('return each number once', async () => {
    const disk = new FakeDisk()
    const fs = disk.mount()
    const manifest = await open(fs)
    expect([manifest.takeSegment(), manifest.takeSegment(), manifest.takeIndex()]).toEqual([
      1, 2, 1,
    ])
    put(fs, 'segments/000041.docs', 'left over')
    await manifest.close()
    const again = await open(fs)
    expect([again.takeSegment(), again.takeIndex()]).toEqual([42, 1])
    await again.commit([
      created(again.takeIndex()),
      { kind: 'numbers', nextIndex: asIndexNo(9), nextSegment: asSegmentNo(77) },
    ])
    await again.close()
    const last = await open(fs)
    expect([last.takeSegment(), last.takeIndex()]).toEqual([77, 9])
  })

  it('leave a short manifest after a clean close', async () => {
    const disk = new FakeDisk()
    const manifest = await open(disk.mount())
    const value = (n: number): Change => ({
      kind: 'value-set',
      space: 's',
      key: 'k',
      value: new Uint8Array(9000).fill(n),
    })
    for (let n = 0; n < 10; n++) await manifest.commit([value(n)])
    expect(manifest.file.bytes).toBeGreaterThan(90_000)
    await manifest.close()
    const again = await open(disk.mount())
    expect(again.file.bytes).toBeLessThan(10_000)
    const kept = again.state.values.get('s')!.get('k')!
    expect([kept[0], kept.byteOffset, kept.buffer.byteLength]).toEqual([9, 0, 9000])
    disk.fail({ on: 'open', errno: 'ENOSPC', path: 'manifest-000003' })
    for (let n = 0; n < 10; n++) await again.commit([value(n + 10)])
    await again.close()
    expect((await open(disk.mount())).state.values.get('s')!.get('k')![0]).toBe(19)
  })

  it('keep outcomes until they are forgotten', async () => {
    const disk = new FakeDisk()
    const outcome = (batch: number): Change => ({
      kind: 'tasks-finished',
      batch: asBatchUid(batch),
      record: Uint8Array.of(batch, 9),
    })
    const manifest = await open(disk.mount())
    await manifest.commit([outcome(1)])
    await manifest.commit([outcome(2)])
    manifest.forget(asBatchUid(1))
    manifest.forget(asBatchUid(7))
    await manifest.rotate()
    expect([...manifest.state.outcomes.keys()]).toEqual([2])
    await manifest.close()
    const again = await open(disk.mount())
    const kept = again.state.outcomes.get(asBatchUid(2))!
    expect([...again.state.outcomes]).toEqual([[2, Uint8Array.of(2, 9)]])
    expect([kept.byteOffset, kept.buffer.byteLength]).toEqual([0, 2])
    again.forget(asBatchUid(2))
    const committing = again.commit([outcome(3)])
    await committing
    expect([...again.state.outcomes.keys()]).toEqual([3])
  })
})

describe('a folder', () => {
  const made = async () => {
    const disk = new FakeDisk()
    const manifest = await open(disk.mount())
    await manifest.commit([created(1)])
    await manifest.close()
    return { disk, fs: disk.mount() }
  }

  it('of another release is refused, or upgraded when asked', async () => {
    const { fs } = await made()
    const newer = { version: '1.51.2' }
    const older = { version: '1.49.9' }
    expect(await failure(open(fs, newer))).toMatchObject({
      code: 'version',
      message: expect.stringContaining(
        'Your database version (1.50.0) is incompatible with your current engine version (1.51.2).',
      ),
    })
    expect(await failure(open(fs, older))).toMatchObject({ code: 'version' })
    expect(await failure(open(fs, { ...older, upgrade: true }))).toMatchObject({
      code: 'version',
      message:
        'Database version 1.50.0 is higher than the Svc version 1.49.9. Downgrade is not ' +
        'supported. Start it with Svc 1.50.0 or newer; an older release never changes it',
    })
    const manifest = await open(fs, { ...newer, upgrade: true })
    expect(manifest.state.byUid.has(asIndexUid('i1'))).toBe(true)
    await manifest.close()
    expect(textOf(fs, 'VERSION')).toBe('1.51.2')
  })

  it('whose VERSION is empty or malformed is refused', async () => {
    const cases: readonly [string | null, string][] = [
      [null, 'failed to infer the version'],
      ['', 'failed to infer the version'],
      [' \n', 'failed to infer the version'],
      ['1.2', 'The version contains 2 parts instead of 3 (major, minor and patch)'],
      ['1.x.3', 'Could not parse the minor'],
      ['1.2.-3', 'Could not parse the patch'],
    ]
    for (const [text, words] of cases) {
      const { fs } = await made()
      if (text === null) fs.remove('VERSION')
      else put(fs, 'VERSION', text)
      const { code, message } = await failure(open(fs))
      expect(code).toBe('corrupt')
      expect(message).toContain(words)
    }
    const { fs } = await made()
    put(fs, 'VERSION', ` ${VERSION}\n`)
    await (await open(fs)).close()
  })

  it('whose CURRENT is damaged or names nothing is refused', async () => {
    for (const text of ['', 'manifest-000001.log', 'manifest-1.log\n', '../x\n', 'x\ny\n']) {
      const { fs } = await made()
      put(fs, 'CURRENT', text)
      expect(await failure(open(fs))).toMatchObject({ code: 'corrupt', path: 'CURRENT' })
    }
    const { fs } = await made()
    put(fs, 'CURRENT', 'manifest-000009.log\n')
    expect(await failure(open(fs))).toMatchObject({ code: 'missing', path: 'manifest-000009.log' })
    fs.rename('manifest-000001.log', 'manifest-000009.log')
    expect(await failure(open(fs))).toMatchObject({ code: 'corrupt', path: 'manifest-000009.log' })
  })

  it('without CURRENT is refused if it holds other files', async () => {
    const { fs } = await made()
    fs.remove('CURRENT')
    expect(await failure(open(fs))).toMatchObject({ code: 'missing', path: 'CURRENT' })
    fs.remove('manifest-000001.log')
    await (await open(fs)).close()
    for (const name of [
      'segments/000001.docs',
      'tasks/tasks-000001.log',
      'tasks/bodies/1',
      'x.txt',
    ]) {
      const { fs: used } = await made()
      used.remove('CURRENT')
      used.remove('manifest-000001.log')
      put(used, name, 'x')
      const { code, message } = await failure(open(used))
      expect([code, message.includes(name)]).toEqual(['missing', true])
      expect(textOf(used, name)).toBe('x')
    }
  })

  it('without CURRENT is refused if its only manifest may hold data, and is not changed', async () => {
    // A killed creation leaves a checkpoint of the empty state: nothing is lost with it.
    const empty = new FakeDisk().mount()
    await (await open(empty)).close()
    const unused = readFile(empty, 'manifest-000001.log', 1e6)
    const { fs: full } = await made()
    const used = readFile(full, 'manifest-000001.log', 1e6)
    const changed = unused.slice()
    changed[40]! ^= 1
    const long = new Uint8Array(UNUSED_BYTES_MAX + 1)
    long.set(unused)
    for (const [bytes, code] of [
      [unused, null],
      [used, 'missing'],
      [changed, 'missing'],
      [unused.subarray(0, 20), 'missing'],
      [new Uint8Array(0), 'missing'],
      [long, 'missing'],
    ] as const) {
      const fs = new FakeDisk().mount()
      put(fs, 'manifest-000001.log', bytes)
      if (code === null) await (await open(fs)).close()
      else {
        expect(await failure(open(fs))).toMatchObject({ code, path: 'CURRENT' })
        expect(readFile(fs, 'manifest-000001.log', 1e6)).toEqual(Uint8Array.from(bytes))
      }
    }
  })

  it('of Meilisearch is refused with advice how to migrate, and is not changed', async () => {
    const fs = new FakeDisk().mount()
    for (const folder of ['auth', 'indexes', 'tasks']) fs.makeDirectory(folder)
    put(fs, 'VERSION', '1.12.0')
    const { code, message } = await failure(open(fs))
    expect(code).toBe('version')
    expect(message).toContain('one of Meilisearch')
    expect(message).toContain('`--import-dump FILE`, the same master key')
    expect([textOf(fs, 'VERSION'), fs.exists('segments')]).toEqual(['1.12.0', false])
  })

  it('that holds only a VERSION is refused', async () => {
    for (const text of ['', '0.5.0', '1.12.0']) {
      const fs = new FakeDisk().mount()
      put(fs, 'VERSION', text)
      const { code, message } = await failure(open(fs))
      expect([code, message.includes('`VERSION`')]).toEqual(['missing', true])
      expect(textOf(fs, 'VERSION')).toBe(text)
    }
  })

  it('is opened if it holds only unrelated system files', async () => {
    const fs = new FakeDisk().mount()
    fs.makeDirectory('lost+found')
    put(fs, '.hidden', '')
    put(fs, 'VERSION.new', '1')
    await (await open(fs)).close()
    put(fs, 'manifest-000077.log', 'old')
    put(fs, 'manifest-000078.log.new', 'old')
    put(fs, 'CURRENT.new', 'old')
    put(fs, 'instance-uid', 'x')
    const manifest = await open(fs)
    await manifest.rotate()
    expect(manifest.file.path).toBe('manifest-000079.log')
    await manifest.close()
    const rest = ['.hidden', 'CURRENT', 'VERSION', 'instance-uid', 'lost+found']
    expect(fs.list('')).toEqual([...rest, 'manifest-000079.log', 'segments', 'tasks'])
  })

  it('whose manifest is damaged gives its state, an earlier state, or a refusal', async () => {
    const disk = new FakeDisk()
    const manifest = await open(disk.mount())
    const states: State[] = [manifest.state]
    const ends: number[] = []
    for (const changes of [[created(1)], [touched(7)], [touched(8)]]) {
      ends.push(manifest.file.bytes)
      await manifest.commit(changes)
      states.push(manifest.state)
    }
    disk.kill()
    const path = 'manifest-000001.log'
    const sound = readFile(disk.mount(), path, 1e6).slice(0, manifest.file.bytes + 40)
    const told = states.map(textOfState)
    const damagedBy = async (bytes: Uint8Array): Promise<number | string> => {
      disk.kill()
      const fs = disk.mount()
      put(fs, path, bytes)
      try {
        const { state } = await open(fs)
        return told.indexOf(textOfState(state))
      } catch (error) {
        if (!(error instanceof StorageError)) throw error
        expect([error.path, error.message.includes(path)]).toEqual([path, true])
        return error.code
      }
    }
    expect(await damagedBy(sound)).toBe(3)
    for (let bit = 0; bit < sound.length * 8; bit++) {
      const bytes = sound.slice()
      bytes[bit >> 3]! ^= 1 << (bit & 7)
      const got = await damagedBy(bytes)
      const byte = bit >> 3
      if (byte >= manifest.file.bytes) expect(got).toBe(3)
      else if (byte >= ends[2]!) expect(got).toBe(2)
      else expect(['corrupt', 'version']).toContain(got)
    }
    for (let length = 0; length < manifest.file.bytes; length++) {
      const got = await damagedBy(sound.slice(0, length))
      // The first file ends with a seal, which can be lost without consequence.
      const edits = ends.filter((end, i) => length >= (i === 0 ? end - 24 : end)).length - 1
      expect(got, `length ${length}`).toBe(edits < 0 ? 'corrupt' : edits)
    }
  }, 60_000)
})

describe('failures', () => {
  it('of the disk reject a commit and do not change the state', async () => {
    const disk = new FakeDisk(2)
    const manifest = await open(disk.mount())
    await manifest.commit([created(1)])
    disk.fail({ on: 'sync', errno: 'EIO' })
    expect(await failure(manifest.commit([touched(5)]))).toMatchObject({ code: 'io' })
    expect(manifest.state.indexes.get(asIndexNo(1))!.updatedAt).toBe(1)
    await manifest.commit([touched(6)])
    disk.capacity = disk.usedBytes
    await manifest.commit([touched(7)])
    const much = new Uint8Array(100_000)
    const value: Change = { kind: 'value-set', space: 's', key: 'k', value: much }
    expect(await failure(manifest.commit([value]))).toMatchObject({ code: 'no_space' })
    disk.capacity = Number.POSITIVE_INFINITY
    await manifest.commit([value])
    disk.crash(1)
    const again = await open(disk.mount())
    expect(plainState(again.state)).toEqual(plainState(manifest.state))
    expect(again.state.indexes.get(asIndexNo(1))!.updatedAt).toBe(7)
  })

  it('of a rotation leave the old manifest active', async () => {
    for (const on of ['open', 'write', 'sync'] as const) {
      for (const path of ['manifest-000002', 'CURRENT.new']) {
        const disk = new FakeDisk(4)
        const manifest = await open(disk.mount())
        await manifest.commit([created(1)])
        disk.fail({ on, errno: 'EIO', path })
        expect(await failure(manifest.rotate())).toMatchObject({ code: 'io' })
        await manifest.commit([touched(4)])
        expect(manifest.file.path).toBe('manifest-000001.log')
        await manifest.rotate()
        expect(manifest.file.path).toBe('manifest-000003.log')
        disk.crash(3)
        const again = await open(disk.mount())
        expect(plainState(again.state)).toEqual(plainState(manifest.state))
      }
    }
  })

  it('of the switch delay commits until it is done', async () => {
    for (let seed = 0; seed < 50; seed++) {
      const disk = new FakeDisk(seed)
      const manifest = await open(disk.mount())
      await manifest.commit([created(1)])
      if (seed % 2 === 0) disk.fail({ on: 'rename', errno: 'EIO', path: 'CURRENT', times: 2 })
      else disk.fail({ on: 'sync-folder', errno: 'EIO', after: 1, times: 2 })
      expect(await failure(manifest.rotate())).toMatchObject({ code: 'io' })
      expect(await failure(manifest.commit([touched(4)]))).toMatchObject({ code: 'io' })
      if (seed % 3 !== 0) {
        await manifest.commit([touched(5)])
        expect(manifest.file.path).toBe('manifest-000002.log')
      } else if (seed % 4 === 0) await manifest.close()
      disk.crash(seed)
      const again = await open(disk.mount())
      expect(plainState(again.state)).toEqual(plainState(manifest.state))
    }
  })

  it('do not prevent later rotations', async () => {
    const disk = new FakeDisk()
    const manifest = await open(disk.mount(), { manifestBytesMin: 1000 })
    await manifest.commit([created(1)])
    disk.fail({ on: 'open', errno: 'EMFILE', path: '.new', times: 3 })
    for (let at = 2; at < 100; at++) await manifest.commit([touched(at)])
    expect(manifest.file.path).not.toBe('manifest-000001.log')
    expect(manifest.file.bytes).toBeLessThan(2000)
  })
})

describe('crashes', () => {
  it('at every step keep every acknowledged edit', async () => {
    for (let i = 0; i < SESSIONS; i++) await life(FIRST_SEED + i)
  }, 120_000)

  it('while a database is created leave one that opens', async () => {
    for (let seed = 0; seed < 60; seed++) {
      const disk = new FakeDisk(seed)
      for (let attempt = 0; attempt < 3; attempt++) {
        disk.powerOffAfter((seed + attempt * 7) % 30)
        await open(disk.mount()).catch(onlyPowerOff)
        disk.crash(seed + attempt)
      }
      const manifest = await open(disk.mount())
      expect(manifest.state.sequence).toBe(0)
    }
  })
})

/**
 * Several processes on one disk; each ends by a power failure or a kill, some after disk failures.
 */
async function life(seed: number): Promise<void> {
  const random = randomOf(seed)
  const disk = new FakeDisk(seed)
  /** By sequence, the state after that edit. States up to `acknowledged` must be found. */
  const states = new Map<number, State>()
  let acknowledged = 0
  for (let process = 0; process < 6; process++) {
    if (random.below(3) === 0) disk.powerOffAfter(random.below(25))
    const manifest = await open(disk.mount(), { manifestBytesMin: 1500 }).catch(onlyPowerOff)
    if (manifest === null) {
      disk.crash(random.below(1 << 30))
      continue
    }
    const { sequence } = manifest.state
    expect(sequence, `seed ${seed}: acknowledged`).toBeGreaterThanOrEqual(acknowledged)
    const told = states.get(sequence)
    if (told !== undefined) {
      const [found, expected] = [manifest.state, told].map((state) => textOfState(state))
      expect(found, `seed ${seed}: edit ${sequence} whole`).toBe(expected)
    }
    injectFaults(random, disk)
    disk.powerOffAfter(random.below(60))
    acknowledged = await commitSome(manifest, random, states, Math.max(acknowledged, sequence))
    if (random.below(3) === 0) disk.kill()
    else disk.crash(random.below(1 << 30))
  }
}

function injectFaults(random: Random, disk: FakeDisk): void {
  const pick = random.below(8)
  const after = random.below(12)
  if (pick === 0) disk.fail({ on: 'sync', errno: 'EIO', after })
  if (pick === 1) disk.fail({ on: 'write', errno: 'ENOSPC', after, part: random.below(200) })
  if (pick === 2) disk.fail({ on: 'rename', errno: 'EIO', after: random.below(3) })
  if (pick === 3) disk.fail({ on: 'sync-folder', errno: 'EIO', after: random.below(3) })
}

async function commitSome(
  manifest: Manifest,
  random: Random,
  states: Map<number, State>,
  acknowledged: number,
): Promise<number> {
  for (let i = 0; i < 15; i++) {
    try {
      const edit = await manifest.commit((state) => randomChanges(random, state, manifest))
      acknowledged = edit.sequence
    } catch (error) {
      if (!(error instanceof StorageError || error instanceof PowerOff)) throw error
      states.delete(manifest.state.sequence + 1)
      continue
    }
    states.set(acknowledged, manifest.state)
  }
  return acknowledged
}

function onlyPowerOff(error: unknown): null {
  if (!(error instanceof PowerOff)) throw error
  return null
}
