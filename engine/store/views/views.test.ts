// Views: leased views stay readable, and a segment retires with the last view that names it.

import { describe, expect, it } from 'vitest'
import { asIndexNo, asIndexUid, asSegmentNo } from '../../../format/ids.ts'
import { IdSet, idSetOfData } from '../../../format/idset/index.ts'
import type { IndexState, SegmentState, State } from '../catalog/index.ts'
import { EMPTY_STATE } from '../catalog/state.ts'
import { documentsOf, type Retired, type SegmentRef, Views } from './index.ts'

const segment = (number: number, dead: readonly number[] = []): SegmentState => ({
  segment: asSegmentNo(number),
  layer: 'documents',
  documents: 4,
  idMin: 0,
  idMax: 3,
  bytes: 100,
  location: { kind: 'file', checksum: 1 },
  generation: dead.length,
  dead: IdSet.of(dead),
})

const indexOf = (number: number, ...segments: SegmentState[]): IndexState => ({
  index: asIndexNo(number),
  uid: asIndexUid(`index-${number}`),
  primaryKey: null,
  createdAt: 1,
  updatedAt: 1,
  settings: '{}',
  fields: [],
  fieldIds: new Map(),
  fieldCounts: new Float64Array(0),
  vectorCounts: { vectors: 0, documents: 0 },
  segments: new Map(segments.map((one) => [one.segment, one])),
})

let sequence = 0
const stateOf = (...indexes: IndexState[]): State => ({
  ...EMPTY_STATE,
  sequence: ++sequence,
  indexes: new Map(indexes.map((one) => [one.index, one])),
})

function watched() {
  const retired: Retired[] = []
  const views = new Views((one) => retired.push(one))
  const segments = () => retired.map((one) => one.segments.map((each) => each.segment))
  return { views, retired, segments }
}

describe('views', () => {
  it('change only with their index', () => {
    const { views, retired } = watched()
    const [one, two] = [indexOf(1, segment(1)), indexOf(2, segment(2))]
    views.publish(stateOf(one, two))
    const first = views.lease(asIndexNo(1))!
    views.publish(stateOf(one, indexOf(2, segment(2), segment(3))))
    expect(views.lease(asIndexNo(1))!.ref).toBe(first.ref)
    expect(views.lease(asIndexNo(2))!.ref.segments.map((each) => each.segment)).toEqual([2, 3])
    expect(views.lease(asIndexNo(3))).toBeNull()
    expect(retired.map(({ index }) => index)).toEqual([2])
  })

  it('retire a segment with the last view that names it', () => {
    const { views, segments } = watched()
    views.publish(stateOf(indexOf(1, segment(1), segment(2))))
    const [early, again] = [views.lease(asIndexNo(1))!, views.lease(asIndexNo(1))!]
    views.publish(stateOf(indexOf(1, segment(2), segment(3))))
    views.publish(stateOf(indexOf(1, segment(3))))
    // The view in between had no reader, and other views name its segments.
    expect(segments()).toEqual([[]])
    early.release()
    expect(segments()).toEqual([[]])
    again.release()
    expect(segments()).toEqual([[], [1, 2]])
    views.publish(stateOf())
    expect(segments()).toEqual([[], [1, 2], [3]])
    expect(views.lease(asIndexNo(1))).toBeNull()
  })

  it('describe their index at one edit', () => {
    const { views } = watched()
    const fields = ['id', 'title']
    const index = { ...indexOf(1, segment(7)), primaryKey: 'id', settings: '{"a":1}', fields }
    const state = stateOf(index)
    views.publish(state)
    expect(views.lease(asIndexNo(1))!.ref).toMatchObject({
      index: 1,
      uid: 'index-1',
      sequence: state.sequence,
      primaryKey: 'id',
      fields,
      settings: '{"a":1}',
      segments: [{ segment: 7, layer: 'documents', generation: 0 }],
    })
  })

  it('have as many documents as their largest layer', () => {
    const { views } = watched()
    const text = (number: number) => ({ ...segment(number), layer: 'text' as const, documents: 3 })
    views.publish(stateOf(indexOf(1, segment(1), text(2), segment(3), text(4)), indexOf(2)))
    const counts = [1, 2].map((index) => documentsOf(views.lease(asIndexNo(index))!.ref))
    expect(counts).toEqual([8, 0])
  })

  it('are announced before the previous one retires', () => {
    const seen: string[] = []
    const views = new Views(
      ({ index, sequence: of }) => seen.push(`retired ${index} ${of}`),
      ({ index, sequence: of }) => seen.push(`new ${index} ${of}`),
    )
    const [one, two] = [indexOf(1, segment(1)), indexOf(2, segment(2))]
    const first = stateOf(one, two)
    views.publish(first)
    expect([1, 2, 3].map((number) => views.names(asSegmentNo(number)))).toEqual([true, true, false])
    const second = stateOf(one, indexOf(2, segment(3)))
    views.publish(second)
    views.publish({ ...second, indexes: new Map([[two.index, second.indexes.get(two.index)!]]) })
    expect(seen).toEqual([
      `new 1 ${first.sequence}`,
      `new 2 ${first.sequence}`,
      `new 2 ${second.sequence}`,
      `retired 2 ${first.sequence}`,
      `retired 1 ${first.sequence}`,
    ])
    expect([1, 2, 3].map((number) => views.names(asSegmentNo(number)))).toEqual([
      false,
      false,
      true,
    ])
  })

  it('hold the dead ids of each segment, or null', () => {
    const { views } = watched()
    views.publish(stateOf(indexOf(1, segment(1), segment(2, [1, 3]))))
    const { ref } = views.lease(asIndexNo(1))!
    expect(ref.segments.map(({ dead }) => dead !== null)).toEqual([false, true])
  })

  it('hold large parts in shared memory, once for all views', () => {
    const { views } = watched()
    const frame = Uint8Array.of(1, 2, 3)
    const inline = { ...segment(1, [2]), location: { kind: 'inline', frame } } as const
    views.publish(stateOf(indexOf(1, inline)))
    const [first] = views.lease(asIndexNo(1))!.ref.segments
    const younger = { ...inline, generation: 2, dead: IdSet.of([1, 2]) }
    views.publish(stateOf(indexOf(1, younger, segment(2))))
    const [second] = views.lease(asIndexNo(1))!.ref.segments
    views.publish(stateOf(indexOf(1, younger, segment(3))))
    const [third] = views.lease(asIndexNo(1))!.ref.segments
    const frameOf = ({ location }: SegmentRef) => (location.kind === 'inline' ? location.frame : [])
    expect([...frameOf(first!)]).toEqual([1, 2, 3])
    expect(frameOf(second!)).toBe(frameOf(first!))
    expect(frameOf(first!)).toHaveProperty('buffer', expect.any(SharedArrayBuffer))
    expect(second!.dead).not.toBe(first!.dead)
    expect(third!.dead).toBe(second!.dead)
    expect((second!.dead!.words ?? second!.dead!.ids)!.buffer).toBeInstanceOf(SharedArrayBuffer)
    expect(idSetOfData(second!.dead!).equals(younger.dead)).toBe(true)
  })

  it('are released at the end of the block of a `using`', () => {
    const { views, segments } = watched()
    views.publish(stateOf(indexOf(1, segment(1))))
    {
      using lease = views.lease(asIndexNo(1))
      views.publish(stateOf(indexOf(1, segment(2))))
      expect(lease!.ref.segments.length).toBe(1)
      expect(segments()).toEqual([])
      using none = views.lease(asIndexNo(9))
      expect(none).toBeNull()
    }
    expect(segments()).toEqual([[1]])
  })

  it('refuse to be released twice', () => {
    const { views } = watched()
    views.publish(stateOf(indexOf(1, segment(1))))
    const lease = views.lease(asIndexNo(1))!
    lease.release()
    expect(() => lease.release()).toThrow('a lease is released once')
  })
})
