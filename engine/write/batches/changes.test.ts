// The changes of an index by a batch, as lists: documents, tombstones, rebuilds, sizes.
import { describe, expect, it } from 'vitest'
import { KiB } from '../../../format/bytes/index.ts'
import { asIndexNo, asSegmentNo, type FieldId, type SegmentNo } from '../../../format/ids.ts'
import { IdSet, idSetData } from '../../../format/idset/index.ts'
import type { IndexState } from '../../store/catalog/index.ts'
import type { DocumentsResult } from '../indexer/index.ts'
import {
  clearChanges,
  congestionOf,
  documentChanges,
  layersRemoved,
  type Rebuilt,
  rebuiltChanges,
  sizeChanges,
} from './batch-changes.ts'

const index = asIndexNo(7)
const [one, two, three] = [1, 2, 3].map(asSegmentNo) as [SegmentNo, SegmentNo, SegmentNo]
const PAGE = 16 * KiB

type Segment = {
  readonly layer?: string
  readonly bytes?: number
  readonly documents?: number
  readonly dead?: IdSet
}

/** An index with these segments. */
const indexOf = (segments: readonly (readonly [SegmentNo, Segment])[], more: object = {}) =>
  ({
    index,
    primaryKey: 'id',
    fieldCounts: Float64Array.of(),
    vectorCounts: { vectors: 0, documents: 0 },
    segments: new Map(
      segments.map(([segment, given]) => [
        segment,
        {
          segment,
          layer: 'text',
          bytes: 0,
          documents: 9,
          dead: IdSet.empty,
          generation: 4,
          ...given,
        },
      ]),
    ),
    ...more,
  }) as unknown as IndexState

const resultOf = (more: object = {}) =>
  ({
    primaryKey: null,
    fieldsAdded: [],
    fieldCounts: [],
    vectorCounts: { vectors: 0, documents: 0 },
    segments: [],
    replaced: [],
    tombstones: [],
    ...more,
  }) as unknown as DocumentsResult

const added = (segment: SegmentNo, layer = 'text', bytes = 1) => ({ segment, layer, bytes })
const removed = (segment: SegmentNo) => ({ kind: 'segment-removed', index, segment })
const stays = (segment: SegmentNo): SegmentNo => segment
const died = (segment: SegmentNo, ...ids: readonly number[]) => ({
  segment,
  ids: idSetData(IdSet.of(ids)),
})

describe('a batch of documents', () => {
  it('changes only what it touches, in one order', () => {
    const known = indexOf([[one, {}]])
    expect(documentChanges(known, index, resultOf(), stays)).toEqual([])
    const result = resultOf({
      primaryKey: 'key',
      fieldsAdded: ['a'],
      fieldCounts: [[0, 2]],
      vectorCounts: { vectors: 3, documents: 2 },
      replaced: [one],
      segments: [added(two)],
    })
    expect(documentChanges(known, index, result, stays)).toEqual([
      { kind: 'primary-key-set', index, primaryKey: 'key' },
      { kind: 'fields-added', index, names: ['a'] },
      { kind: 'field-counts', index, counts: [[0, 2]] },
      { kind: 'vector-counts', index, vectors: 3, documents: 2 },
      removed(one),
      { kind: 'segment-added', index, ...added(two) },
    ])
  })

  it.each([
    ['is set', undefined, 'id', true],
    ['is the same', indexOf([]), 'id', false],
    ['is another one', indexOf([]), 'key', true],
    ['is unknown', undefined, null, false],
  ])('whose primary key %s changes it: %s', (_, known, primaryKey, isChanged) => {
    const changes = documentChanges(known, index, resultOf({ primaryKey }), stays)
    expect(changes).toEqual(isChanged ? [{ kind: 'primary-key-set', index, primaryKey }] : [])
  })

  it.each([
    [3, 0],
    [0, -1],
  ])('with %i vectors of %i documents changes their counts', (vectors, documents) => {
    const result = resultOf({ vectorCounts: { vectors, documents } })
    expect(documentChanges(undefined, index, result, stays)).toEqual([
      { kind: 'vector-counts', index, vectors, documents },
    ])
  })
})

describe('documents that died', () => {
  const changesOf = (known: IndexState | undefined, more: object) =>
    documentChanges(known, index, resultOf(more), stays)

  it('get tombstones of the next generation, by segment', () => {
    const known = indexOf([
      [one, {}],
      [two, { dead: IdSet.of([1]) }],
    ])
    const ids = IdSet.of([5])
    const delta = { kind: 'tombstones-added', index, form: 'delta', generation: 5, ids }
    expect(changesOf(known, { tombstones: [died(two, 5), died(one, 5)] })).toEqual([
      { ...delta, segment: one },
      { ...delta, segment: two },
    ])
  })

  it('are not in a segment that was replaced, that is gone, or of a new index', () => {
    const known = indexOf([[one, {}]])
    expect(changesOf(known, { replaced: [one], tombstones: [died(one, 5)] })).toEqual([
      removed(one),
    ])
    expect(changesOf(known, { tombstones: [died(two, 5)] })).toEqual([])
    expect(changesOf(undefined, { tombstones: [died(one, 5)] })).toEqual([])
  })

  it('remove a segment in which no other is left', () => {
    const known = indexOf([[one, { documents: 3, dead: IdSet.of([1]) }]])
    expect(changesOf(known, { tombstones: [died(one, 2, 3)] })).toEqual([removed(one)])
    expect(changesOf(known, { tombstones: [died(one, 2)] })).toMatchObject([
      { kind: 'tombstones-added', segment: one },
    ])
  })
})

it('clearing removes all segments and all counts', () => {
  const segments = [
    [one, {}],
    [two, { layer: 'vectors' }],
  ] as const
  const vectorCounts = { vectors: 5, documents: 4 }
  const fieldCounts = Float64Array.of(3, 0, 2)
  expect(clearChanges(indexOf(segments, { fieldCounts, vectorCounts }))).toEqual([
    removed(one),
    removed(two),
    {
      kind: 'field-counts',
      index,
      counts: [
        [0, -3],
        [2, -2],
      ],
    },
    { kind: 'vector-counts', index, vectors: -5, documents: -4 },
  ])
  // Zero has a sign, which a record must not have.
  expect(clearChanges(indexOf([], { fieldCounts: Float64Array.of(0) }))).toEqual([])
})

it('layers are removed with all their segments', () => {
  const known = indexOf([
    [one, { layer: 'vectors' }],
    [two, { layer: 'text' }],
    [three, { layer: 'vectors' }],
  ])
  expect(layersRemoved(known, ['vectors', 'columns'])).toEqual([removed(one), removed(three)])
  expect(layersRemoved(known, [])).toEqual([])
})

describe('a rebuild', () => {
  const nothing: Rebuilt = { segments: [], fieldsAdded: [], fieldCounts: [], vectorCounts: null }
  const known = indexOf([], { vectorCounts: { vectors: 5, documents: 4 } })

  it('changes counts of vectors by their difference', () => {
    const changesOf = (vectors: number, documents: number) =>
      rebuiltChanges(known, { ...nothing, vectorCounts: { vectors, documents } })
    expect(changesOf(7, 3)).toEqual([{ kind: 'vector-counts', index, vectors: 2, documents: -1 }])
    expect([changesOf(5, 4), rebuiltChanges(known, nothing)]).toEqual([[], []])
  })

  it('adds fields, their counts and segments', () => {
    const field = 3 as FieldId
    const segments = [added(one)] as unknown as Rebuilt['segments']
    const rebuilt = { ...nothing, segments, fieldsAdded: ['a'], fieldCounts: [[field, 1]] } as const
    expect(rebuiltChanges(known, rebuilt)).toEqual([
      { kind: 'fields-added', index, names: ['a'] },
      { kind: 'field-counts', index, counts: [[field, 1]] },
      { kind: 'segment-added', index, ...added(one) },
    ])
  })
})

it('sizes are shown in pages, for layers whose pages have changed', () => {
  const known = indexOf([
    [one, { layer: 'text', bytes: PAGE }],
    [two, { layer: 'vectors', bytes: PAGE + 1 }],
  ])
  const adding = (segment: SegmentNo, layer: string, bytes: number) =>
    ({ kind: 'segment-added', index, ...added(segment, layer, bytes) }) as never
  expect(sizeChanges(known, [adding(three, 'vectors', PAGE - 1)])).toEqual({})
  expect(sizeChanges(known, [adding(three, 'vectors', PAGE)])).toEqual({
    vectors: [3 * PAGE, PAGE],
  })
  expect(sizeChanges(known, [removed(one) as never, adding(three, 'text', 1)])).toEqual({})
  expect(sizeChanges(known, [removed(one) as never])).toEqual({ text: [0, -PAGE] })
  expect(sizeChanges(known, [removed(three) as never])).toEqual({})
  expect(sizeChanges(undefined, [adding(one, 'text', 1)])).toEqual({ text: [PAGE, PAGE] })
})

it('no attempt of a batch blocks', () => {
  expect(congestionOf(3)).toEqual({ attempts: 3, blocking_attempts: 0, blocking_ratio: 0 })
})
