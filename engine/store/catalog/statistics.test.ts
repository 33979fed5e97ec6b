// Numbers of a state, names of the files of a database, and releases that may open it.
import { describe, expect, it, test } from 'vitest'
import {
  asBatchUid,
  asIndexNo,
  asIndexUid,
  asSegmentNo,
  type IndexUid,
} from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import type { Change } from '../../../format/manifest/index.ts'
import { FakeDisk } from '../storage/index.ts'
import { apply } from './apply.ts'
import { checkpointEdit } from './checkpoint.ts'
import {
  isDatabaseEntry,
  isSegmentPath,
  manifestName,
  manifestNumber,
  segmentPath,
} from './names.ts'
import { documentCount, sizesOf } from './sizes.ts'
import { EMPTY_STATE, type State } from './state.ts'
import {
  databaseSizesOf,
  databaseStatsOf,
  indexStatsOf,
  infoOf,
  visibleIndexes,
} from './statistics.ts'
import { upgradeBegun, upgradeDue, upgradeNote, upgradeOver } from './upgrade-note.ts'
import { checkVersion, compareVersions, readVersion, writeVersion } from './version.ts'

const fail = (claim: string): never => {
  throw new Error(claim)
}
const edited = (state: State, changes: readonly Change[]): State =>
  apply(state, { sequence: state.sequence + 1, checkpoint: false, changes }, fail)

const segment = (number: number, index: number, layer: string, documents: number, bytes: number) =>
  ({
    kind: 'segment-added',
    index: asIndexNo(index),
    segment: asSegmentNo(number),
    layer,
    documents,
    idMin: 0,
    idMax: 99,
    bytes,
    location: { kind: 'file', checksum: 1 },
  }) as const
const created = (index: number, uid: string, at: number) =>
  ({
    kind: 'index-created',
    index: asIndexNo(index),
    uid: asIndexUid(uid),
    primaryKey: 'id',
    at,
    settings: '{}',
  }) as const

const FIRST = asIndexNo(1)
const STATE = edited(EMPTY_STATE, [
  created(1, 'b', 10),
  created(2, 'a', 20),
  { kind: 'index-touched', index: FIRST, at: 50 },
  { kind: 'fields-added', index: FIRST, names: ['z', 'id', '_vectors', 'gone'] },
  {
    kind: 'field-counts',
    index: FIRST,
    counts: [
      [0, 2],
      [1, 4],
      [2, 1],
    ],
  },
  { kind: 'vector-counts', index: FIRST, vectors: 5, documents: 3 },
  segment(1, 1, 'documents', 4, 1000),
  segment(2, 1, 'documents', 2, 100),
  segment(3, 1, 'text', 4, 700),
  {
    kind: 'tombstones-added',
    index: FIRST,
    segment: asSegmentNo(1),
    form: 'delta',
    generation: 1,
    ids: IdSet.of([7]),
  },
])

describe('statistics', () => {
  it('of an index count live documents, vectors, fields and bytes', () => {
    const index = STATE.indexes.get(FIRST)!
    expect(documentCount(index)).toBe(5)
    expect(sizesOf(index)).toEqual({ documents: 1100, text: 700, columns: 0, vectors: 0 })
    expect(sizesOf(undefined)['text']).toBe(0)
    expect(indexStatsOf(index, true)).toEqual({
      numberOfDocuments: 5,
      indexSize: 1800,
      usedIndexSize: 750 + 100 + 700,
      rawDocumentDbSize: 1100,
      avgDocumentSize: 220,
      isIndexing: true,
      numberOfEmbeddings: 5,
      numberOfEmbeddedDocuments: 3,
      fieldDistribution: { id: 4, z: 2 },
      internalDatabaseSizes: sizesOf(index),
    })
    expect(Object.keys(indexStatsOf(index, true).fieldDistribution)).toEqual(['id', 'z'])
    expect(indexStatsOf(STATE.indexes.get(asIndexNo(2))!, false)).toMatchObject({
      avgDocumentSize: 0,
      isIndexing: false,
    })
    expect(infoOf(index)).toEqual({ uid: 'b', createdAt: 10, updatedAt: 50, primaryKey: 'id' })
  })

  it('of a database hide indexes, and count the bytes of all', () => {
    const isIndexing = (uid: IndexUid) => uid === 'a'
    const all = databaseStatsOf(STATE, null, isIndexing, 7)
    expect(all).toMatchObject({ databaseSize: 1807, usedDatabaseSize: 1557, lastUpdate: 50 })
    expect([...all.indexes].map(([uid, stats]) => [uid, stats.isIndexing])).toEqual([
      ['a', true],
      ['b', false],
    ])
    const some = databaseStatsOf(STATE, (uid) => uid === 'a', isIndexing, 7)
    expect([some.lastUpdate, [...some.indexes.keys()], some.databaseSize]).toEqual([
      20,
      ['a'],
      1807,
    ])
    expect(databaseStatsOf(STATE, () => false, isIndexing, 0).lastUpdate).toBeNull()
    expect(visibleIndexes(STATE, null).map(({ uid }) => uid)).toEqual(['a', 'b'])
    expect(databaseSizesOf(STATE, 7)).toEqual({
      databaseSize: 1807,
      indexes: new Map([
        ['b', 1800],
        ['a', 0],
      ]),
    })
  })
})

test('a checkpoint rebuilds the state', () => {
  const state = edited(STATE, [
    { kind: 'value-set', space: 's', key: 'k', value: Uint8Array.of(1) },
    { kind: 'value-set', space: 'a', key: 'z', value: Uint8Array.of(2) },
    { kind: 'value-set', space: 'a', key: 'b', value: Uint8Array.of(3) },
    { kind: 'tasks-finished', batch: asBatchUid(4), record: Uint8Array.of(9) },
  ])
  const edit = checkpointEdit(state)
  const again = apply(EMPTY_STATE, edit, fail)
  expect(checkpointEdit(again)).toEqual(edit)
  expect([again.sequence, again.nextIndex, again.nextSegment]).toEqual([
    state.sequence,
    state.nextIndex,
    state.nextSegment,
  ])
  expect(indexStatsOf(again.indexes.get(FIRST)!, false)).toEqual(
    indexStatsOf(state.indexes.get(FIRST)!, false),
  )
  const values = edit.changes.filter(({ kind }) => kind === 'value-set')
  expect(values.map((change) => (change as { readonly key: string }).key)).toEqual(['b', 'z', 'k'])
})

describe('names', () => {
  it.each([
    ['manifest-000007.log', 7],
    ['manifest-1234567.log', 1_234_567],
    ['manifest-0000007.log', null],
    ['manifest-7.log', null],
    ['manifest-000007.log.new', null],
    ['x-manifest-000007.log', null],
  ])('%s has the number %s', (name, number) => {
    expect(manifestNumber(name)).toBe(number)
    if (number !== null) expect(manifestName(number)).toBe(name)
  })

  it.each([
    ['LOCK', true],
    ['VERSION.new', true],
    ['segments', true],
    ['following', true],
    ['manifest-000001.log', true],
    ['manifest-000001.log.new', true],
    ['manifest-1.log', false],
    ['LOCK.old', false],
    ['notes.txt', false],
  ])('%s is part of a database: %s', (name, isPart) => {
    expect(isDatabaseEntry(name)).toBe(isPart)
  })

  it('of segments have the extension of their layer', () => {
    expect(segmentPath(asSegmentNo(12), 'text')).toBe('segments/000012.text')
    expect(isSegmentPath('segments/000012.docs')).toBe(true)
    for (const other of ['segments/12.text', 'segments/000012.x', 'x/segments/000012.text']) {
      expect(isSegmentPath(other), other).toBe(false)
    }
  })
})

describe('a release', () => {
  it.each([
    ['1.2.3', '1.2.3', 0],
    ['1.2.3', '1.2.4', -1],
    ['1.3.0', '1.2.9', 1],
    ['2.0.0', '1.9.9', 1],
    ['1.10.0', '1.9.0', 1],
  ])('%s against %s', (a, b, order) => {
    expect(Math.sign(compareVersions(a, b))).toBe(order)
    expect(Math.sign(compareVersions(b, a)) + 0).toBe(-order + 0)
  })

  it.each<[string, boolean, string | null]>([
    ['1.50.0', false, null],
    ['1.49.9', true, null],
    ['1.12.0', true, null],
    ['1.49.9', false, 'Your database version (1.49.9) is incompatible'],
    ['1.11.9', true, 'Database version 1.11.9 is too old to be upgraded'],
    ['1.50.1', true, 'Database version 1.50.1 is higher than the Svc version 1.50.0'],
  ])('opens a database of %s with upgrade %s', (found, upgrade, words) => {
    const check = () => checkVersion(found, '1.50.0', upgrade)
    if (words === null) expect(check).not.toThrow()
    else
      expect(check).toThrow(
        expect.objectContaining({ code: 'version', message: expect.stringContaining(words) }),
      )
  })

  it('is written and read; a damaged file is explained', async () => {
    const fs = new FakeDisk().mount()
    expect(() => readVersion(fs)).toThrow('failed to infer the version')
    await writeVersion(fs, ' 1.2.3\n')
    expect(readVersion(fs)).toBe('1.2.3')
    for (const [text, words] of [
      [' ', 'missing or empty'],
      ['1.2', 'The version contains 2 parts'],
      ['1.2.3.4', 'The version contains 4 parts'],
      ['1.x.3', 'Could not parse the minor: "x"'],
      ['1.2.-3', 'Could not parse the patch'],
      ['1234567890.2.3', 'Could not parse the major'],
    ] as const) {
      await writeVersion(fs, text)
      expect(() => readVersion(fs)).toThrow(
        expect.objectContaining({ code: 'corrupt', message: expect.stringContaining(words) }),
      )
    }
  })

  it('from which an upgrade comes is noted until it is over', () => {
    expect(upgradeNote(STATE)).toBeNull()
    const due = edited(STATE, upgradeDue('1.2.3'))
    expect(upgradeNote(due)).toEqual({ from: '1.2.3', hasBegun: false })
    const begun = edited(due, [upgradeBegun()])
    expect(upgradeNote(begun)).toEqual({ from: '1.2.3', hasBegun: true })
    expect(upgradeNote(edited(begun, upgradeOver()))).toBeNull()
    // Without the release it is not one.
    expect(upgradeNote(edited(STATE, [upgradeBegun()]))).toBeNull()
  })
})
