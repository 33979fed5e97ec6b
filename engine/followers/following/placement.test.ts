// A published state in the folder of a follower: its numbers, and the files that it needs.
import { describe, expect, it } from 'vitest'
import { asIndexNo, asIndexUid, asSegmentNo, type IndexNo } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { type State, segmentPath } from '../../store/catalog/index.ts'
import { EMPTY_STATE, type IndexState, type SegmentState } from '../../store/catalog/state.ts'
import { place, sameNames, segmentsToFetch, withoutDocuments } from './placement.ts'

const segment = (number: number, isInline = false): SegmentState => ({
  segment: asSegmentNo(number),
  layer: 'text',
  documents: 1,
  idMin: 0,
  idMax: 0,
  bytes: 1,
  generation: 0,
  dead: IdSet.empty,
  location: isInline ? { kind: 'inline', frame: new Uint8Array(1) } : { kind: 'file', checksum: 1 },
})

/** A state of indexes, created at a time, with their segments. */
function stateOf(
  ...given: readonly (readonly [
    uid: string,
    number: number,
    at: number,
    segments: SegmentState[],
  ])[]
): State {
  const indexes = new Map<IndexNo, IndexState>()
  for (const [uid, number, createdAt, segments] of given) {
    const index = asIndexNo(number)
    indexes.set(index, {
      index,
      uid: asIndexUid(uid),
      primaryKey: null,
      createdAt,
      updatedAt: createdAt,
      settings: '{}',
      fields: ['a'],
      fieldIds: new Map([['a', 0 as never]]),
      fieldCounts: Float64Array.of(3),
      vectorCounts: { vectors: 1, documents: 1 },
      segments: new Map(segments.map((one) => [one.segment, one])),
    })
  }
  const byUid = new Map([...indexes.values()].map(({ uid, index }) => [uid, index]))
  return { ...EMPTY_STATE, indexes, byUid, nextIndex: asIndexNo(10), nextSegment: asSegmentNo(20) }
}

const NO_SHIFT = { index: 0, segment: 0 }
const numbersOf = ({ indexes }: State): readonly number[] => [...indexes.keys()]

describe('the numbers of a published state', () => {
  it('stay while it can be a later version of the local one', () => {
    const local = stateOf(['films', 1, 5, []])
    const { shift, state } = place(local, stateOf(['films', 1, 5, [segment(1)]]), NO_SHIFT)
    expect([shift, numbersOf(state)]).toEqual([NO_SHIFT, [1]])
  })

  it('become ones that were never used here, if they mean other indexes', () => {
    const local = stateOf(['films', 1, 5, []])
    const { shift, state } = place(local, stateOf(['films', 1, 6, [segment(1)]]), NO_SHIFT)
    expect([shift, numbersOf(state)]).toEqual([{ index: 10, segment: 20 }, [11]])
    expect([...state.indexes.get(asIndexNo(11))!.segments.keys()]).toEqual([21])
  })
})

it('an index without its files has its name and fields, and no documents', () => {
  const state = stateOf(['films', 1, 5, [segment(1)]], ['books', 2, 5, [segment(2)]])
  expect(withoutDocuments(state, new Set())).toBe(state)
  const { indexes } = withoutDocuments(state, new Set([asIndexNo(1)]))
  expect(indexes.get(asIndexNo(2))).toBe(state.indexes.get(asIndexNo(2)))
  expect(indexes.get(asIndexNo(1))).toEqual({
    ...state.indexes.get(asIndexNo(1)),
    fieldCounts: Float64Array.of(0),
    vectorCounts: { vectors: 0, documents: 0 },
    segments: new Map(),
  })
})

describe('the files to fetch', () => {
  const path = (number: number): string => segmentPath(asSegmentNo(number), 'text')
  const files = new Map([1, 2].map((n) => [path(n), { path: path(n), bytes: 1, sha256: 'ab' }]))

  it('are those of segments that are not here, by index', () => {
    const local = stateOf(['films', 1, 5, [segment(1)]])
    const state = stateOf(
      ['films', 1, 5, [segment(1), segment(2), segment(3, true)]],
      ['books', 2, 5, [segment(4, true)]],
    )
    const wanted = segmentsToFetch(local, state, NO_SHIFT, files)
    expect([...wanted]).toEqual([[1, [{ file: files.get(path(2)), path: path(2) }]]])
  })

  it('may be here under the number that they have there', () => {
    const state = stateOf(['films', 11, 5, [segment(21)]])
    const wanted = segmentsToFetch(stateOf(), state, { index: 10, segment: 20 }, files)
    const one = { file: files.get(path(1)), path: path(21), like: path(1) }
    expect([...wanted]).toEqual([[11, [one]]])
  })

  it('must be in the snapshot', () => {
    const state = stateOf(['films', 1, 5, [segment(3)]])
    expect(() => segmentsToFetch(stateOf(), state, NO_SHIFT, files)).toThrow('the snapshot lacks')
  })
})

it('indexes are found again by their names', () => {
  const before = stateOf(['films', 1, 5, []], ['books', 2, 5, []])
  const state = stateOf(['films', 11, 5, []], ['songs', 12, 5, []])
  const numbers = [1, 2, 3].map(asIndexNo)
  expect([...sameNames(before, numbers, state)]).toEqual([11])
})
