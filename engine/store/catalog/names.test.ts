// Names of files, releases of a database, and the note of an upgrade.
import { describe, expect, it } from 'vitest'
import { InvariantError } from '../../../format/errors.ts'
import { asSegmentNo } from '../../../format/ids.ts'
import { StorageError } from '../../model/index.ts'
import { FakeDisk } from '../storage/index.ts'
import {
  isDatabaseEntry,
  isSegmentPath,
  manifestName,
  manifestNumber,
  segmentPath,
} from './names.ts'
import { openManifest } from './open-manifest.ts'
import { upgradeBegun, upgradeDue, upgradeNote, upgradeOver } from './upgrade-note.ts'
import { checkVersion, compareVersions, readVersion, writeVersion } from './version.ts'

describe('names', () => {
  it.each([
    [1, 'manifest-000001.log'],
    [999_999, 'manifest-999999.log'],
    [1_000_000, 'manifest-1000000.log'],
  ])('manifest %i is %s', (number, name) => {
    expect([manifestName(number), manifestNumber(name)]).toEqual([name, number])
  })

  it.each([
    'manifest-00001.log',
    'manifest-0000001.log',
    'manifest-000001.log.new',
    'xmanifest-000001.log',
    'manifest-00000a.log',
    'manifest-00000000000000001.log',
  ])('%s is that of no manifest', (name) => {
    expect(manifestNumber(name)).toBeNull()
  })

  it.each([
    ['LOCK', true],
    ['CURRENT.new', true],
    ['CLOSED', true],
    ['IDENTITY', true],
    ['segments', true],
    ['tasks', true],
    ['staging', true],
    ['publishing', true],
    ['following', true],
    ['unpublished', true],
    ['import', true],
    ['dump', true],
    ['manifest-000001.log', true],
    ['manifest-000001.log.new', true],
    ['CURRENT.new.new', false],
    ['LOCK2', false],
    ['requests.ndjson', false],
    ['manifest-1.log', false],
    ['lost+found', false],
  ])('%s is of the database: %s', (name, isOurs) => {
    expect(isDatabaseEntry(name)).toBe(isOurs)
  })

  it('of segments have the number and the extension of the layer', () => {
    expect(segmentPath(asSegmentNo(7), 'documents')).toBe('segments/000007.docs')
    expect(segmentPath(asSegmentNo(1_234_567), 'vectors')).toBe('segments/1234567.vecs')
    expect(() => segmentPath(asSegmentNo(7), 'maps')).toThrow(InvariantError)
    const paths = ['segments/000007.docs', 'segments/1234567.vecs', 'segments/000007.maps']
    const others = ['segments/00007.docs', 'segments/000007.docs.new', 'x/segments/000007.docs']
    expect([...paths, ...others].map(isSegmentPath)).toEqual([
      true,
      true,
      false,
      false,
      false,
      false,
    ])
  })
})

describe('releases', () => {
  it.each([
    ['1.2.3', '1.2.3', 0],
    ['1.2.3', '1.2.4', -1],
    ['1.10.0', '1.9.9', 1],
    ['2.0.0', '1.99.99', 1],
    ['1.2.9', '1.3.0', -1],
  ])('%s compared with %s is %i', (a, b, order) => {
    expect(Math.sign(compareVersions(a, b))).toBe(order)
    expect(Math.sign(compareVersions(b, a))).toBe(-order + 0)
  })

  const [UPGRADE, DOWNGRADE] = [/is incompatible with your current/, /Downgrade is not supported/]
  it.each([
    ['1.50.0', '1.50.0', false, null],
    ['1.50.0', '1.50.1', true, null],
    ['1.50.0', '1.50.1', false, UPGRADE],
    ['1.12.0', '1.50.0', true, null],
    ['1.11.9', '1.50.0', true, /version 1.11.9 is too old to be upgraded/],
    ['1.11.9', '1.50.0', false, UPGRADE],
    ['1.50.1', '1.50.0', true, DOWNGRADE],
    ['1.50.1', '1.50.0', false, DOWNGRADE],
  ])('a database of %s is opened by %s, upgrade %s', (found, own, upgrade, problem) => {
    const check = (): void => checkVersion(found, own, upgrade)
    if (problem === null) check()
    else {
      expect(check).toThrow(StorageError)
      expect(check).toThrow(problem)
    }
  })

  it('are written and read, of up to nine digits a part; a damaged file is explained', async () => {
    const fs = new FakeDisk().mount()
    expect(() => readVersion(fs)).toThrow('failed to infer the version')
    for (const version of ['1.0.0', '0.123456789.1']) {
      await writeVersion(fs, ` ${version}\n`)
      expect(readVersion(fs)).toBe(version)
    }
    for (const [text, words] of [
      [' ', 'missing or empty'],
      ['1.2', 'The version contains 2 parts'],
      ['1.2.3.4', 'The version contains 4 parts'],
      ['1.x.3', 'Could not parse the minor: "x"'],
      ['1.2.-3', 'Could not parse the patch'],
      ['1.1234567890.0', 'Could not parse the minor'],
    ] as const) {
      await writeVersion(fs, text)
      expect(() => readVersion(fs), text).toThrow(
        expect.objectContaining({ code: 'corrupt', message: expect.stringContaining(words) }),
      )
    }
    await writeVersion(fs, '1'.repeat(257))
    expect(() => readVersion(fs)).toThrow('`VERSION` is too large: 257 bytes')
  })

  it('of a note are kept over further upgrades until it is removed', async () => {
    const disk = new FakeDisk()
    const opened = (version: string) =>
      openManifest(disk.mount(), { version, upgrade: true, drawLogSalt: () => 7 })
    const first = await opened('1.50.0')
    expect(upgradeNote(first.state)).toBeNull()
    await first.close()
    const second = await opened('1.51.0')
    expect(upgradeNote(second.state)).toEqual({ from: '1.50.0', hasBegun: false })
    await second.commit([upgradeBegun()])
    await second.close()
    const third = await opened('1.52.0')
    expect(upgradeNote(third.state)).toEqual({ from: '1.50.0', hasBegun: true })
    expect(readVersion(disk.mount())).toBe('1.52.0')
    await third.commit(upgradeOver())
    expect([upgradeNote(third.state), third.state.values.size]).toEqual([null, 0])
    await third.commit(upgradeDue('1.49.0'))
    await third.close()
    const again = await opened('1.52.0')
    expect(upgradeNote(again.state)).toEqual({ from: '1.49.0', hasBegun: false })
    // Without the release it is not one.
    await again.commit([...upgradeOver(), upgradeBegun()])
    expect(upgradeNote(again.state)).toBeNull()
    await again.close()
  })
})
