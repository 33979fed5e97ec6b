// Numbers of a state.
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
import { apply } from './apply.ts'
import { checkpointEdit } from './checkpoint.ts'
import { bytesOf, documentCount, sizesOf } from './sizes.ts'
import { EMPTY_STATE, type State } from './state.ts'
import {
  databaseSizesOf,
  databaseStatsOf,
  indexStatsOf,
  infoOf,
  visibleIndexes,
} from './statistics.ts'

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
    expect(sizesOf(undefined)).toEqual({ documents: 0, text: 0, columns: 0, vectors: 0 })
    expect([bytesOf(index), bytesOf(undefined)]).toEqual([1800, 0])
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
