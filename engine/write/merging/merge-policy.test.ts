// The merge policy: its choices are valid, and it terminates.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { KiB, MiB } from '../../../format/bytes/index.ts'
import { asIndexNo, asIndexUid, asSegmentNo } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import type { IndexState, SegmentState } from '../../store/catalog/index.ts'
import {
  MERGED_BYTES_MAX,
  type MergeMode,
  nextMerge,
  offerOf,
  SEGMENTS_MAX,
} from './merge-policy.ts'

const segment = (number: number, bytes: number, documents = 100, dead = 0): SegmentState => ({
  segment: asSegmentNo(number),
  layer: 'text',
  documents,
  idMin: 0,
  idMax: documents - 1,
  bytes,
  location: { kind: 'file', checksum: 1 },
  generation: 0,
  dead: IdSet.of(Array.from({ length: dead }, (_, id) => id)),
})

const indexOf = (segments: readonly SegmentState[]): IndexState => ({
  index: asIndexNo(1),
  uid: asIndexUid('a'),
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

const live = ({ bytes, dead, documents }: SegmentState): number =>
  Math.ceil(bytes * (1 - dead.size / documents))

/** Merges until the policy finds nothing to merge. Returns the remaining segments. */
function settle(segments: readonly SegmentState[], mode: MergeMode) {
  let [all, next] = [[...segments], 1_000_000]
  for (let steps = 0; ; steps++) {
    expect(steps).toBeLessThan(segments.length + 1)
    const merge = nextMerge(indexOf(all), mode)
    if (merge === null) return all
    const chosen = all.filter(({ segment }) => merge.segments.includes(segment))
    expect(chosen).toHaveLength(merge.segments.length)
    const bytes = chosen.reduce((sum, one) => sum + live(one), 0)
    const rest = all.filter(({ segment }) => !merge.segments.includes(segment))
    all = bytes === 0 ? rest : [...rest, segment(next++, bytes)]
  }
}

const segments = fc
  .array(fc.record({ bytes: fc.integer({ min: 1, max: 300 * MiB }), dead: fc.nat(99) }), {
    maxLength: 40,
  })
  .map((list) => list.map(({ bytes, dead }, i) => segment(i, bytes, 100, dead)))

describe('merges', () => {
  it.each(['busy', 'idle', 'whole'] as const)('come to an end while %s', (mode) => {
    fc.assert(fc.property(segments, (list) => void settle(list, mode)))
  })

  it('never create a segment above the ceiling', () => {
    fc.assert(
      fc.property(segments, fc.constantFrom<MergeMode>('busy', 'idle', 'whole'), (list, mode) => {
        const merge = nextMerge(indexOf(list), mode)
        if (merge === null || merge.segments.length === 1) return
        const chosen = list.filter((one) => merge.segments.includes(one.segment))
        const bytes = chosen.reduce((sum, one) => sum + live(one), 0)
        expect(bytes).toBeLessThanOrEqual(MERGED_BYTES_MAX)
      }),
    )
  })

  it('leave few segments when idle, and no tombstones when everything is merged', () => {
    fc.assert(
      fc.property(segments, (list) => {
        const left = settle(list, 'whole')
        expect(left.every(({ dead }) => dead.size === 0)).toBe(true)
        const bytes = left.reduce((sum, one) => sum + one.bytes, 0)
        expect(left.length).toBeLessThanOrEqual(1 + (2 * bytes) / MERGED_BYTES_MAX)
      }),
    )
  })

  it('join similar segments while documents change, and leave larger ones alone', () => {
    const like = [1, 2, 3, 4].map((number) => segment(number, 10_000))
    const larger = segment(5, 10 * MiB)
    expect(nextMerge(indexOf([...like, larger]), 'busy')?.segments.toSorted()).toEqual([1, 2, 3, 4])
    expect(nextMerge(indexOf([...like.slice(1), larger]), 'busy')).toBeNull()
    expect(nextMerge(indexOf([...like.slice(1), larger]), 'idle')?.segments).toHaveLength(3)
    expect(nextMerge(indexOf([like[0]!, larger]), 'idle')).toBeNull()
    expect(nextMerge(indexOf([like[0]!, larger]), 'whole')?.segments).toHaveLength(2)
  })

  it('rewrite mostly dead segments, earlier when idle', () => {
    const dead = [segment(1, 10 * MiB, 100, 40)]
    expect(nextMerge(indexOf(dead), 'busy')?.segments).toEqual([1])
    const some = [segment(1, 10 * MiB, 100, 20)]
    expect(nextMerge(indexOf(some), 'busy')).toBeNull()
    expect(nextMerge(indexOf(some), 'idle')?.segments).toEqual([1])
  })

  it('leave small segments with dead documents alone until the index is idle', () => {
    const dead = (bytes: number) => indexOf([segment(1, bytes, 100, 40)])
    expect(nextMerge(dead(256 * KiB), 'busy')?.segments).toEqual([1])
    expect(nextMerge(dead(256 * KiB - 1), 'busy')).toBeNull()
    expect(nextMerge(dead(256 * KiB - 1), 'idle')?.segments).toEqual([1])
  })

  it('join no segment that must stay apart, and rewrite it alone', () => {
    const like = [1, 2, 3, 4, 5].map((number) => segment(number, 10_000))
    const apart = new Set([asSegmentNo(2)])
    const joined = nextMerge(indexOf(like), 'busy', new Set(), apart)
    expect(joined?.segments.toSorted()).toEqual([1, 3, 4, 5])
    const dying = segment(2, 10 * MiB, 100, 40)
    expect(nextMerge(indexOf([dying]), 'busy', new Set(), apart)?.segments).toEqual([2])
  })

  it('leave reserved segments alone', () => {
    const all = [1, 2, 3, 4, 5].map((number) => segment(number, 10_000))
    expect(nextMerge(indexOf(all), 'busy', new Set([asSegmentNo(2)]))?.segments.toSorted()).toEqual(
      [1, 3, 4, 5],
    )
    expect(nextMerge(indexOf(all), 'busy', new Set([asSegmentNo(2), asSegmentNo(3)]))).toBeNull()
  })

  it('choose many small segments before few tiny ones, because each merge has a cost', () => {
    const texts = [1, 2, 3, 4].map((number) => segment(number, 1000))
    const columns = [5, 6, 7, 8, 9, 10, 11, 12].map((number) => ({
      ...segment(number, 5000),
      layer: 'columns' as const,
    }))
    expect(nextMerge(indexOf([...texts, ...columns]), 'busy')).toMatchObject({ layer: 'columns' })
  })

  it('choose the layer that loses most segments per copied byte', () => {
    const texts = [1, 2, 3, 4].map((number) => segment(number, 8 * MiB))
    const columns = [5, 6, 7, 8].map((n) => ({ ...segment(n, 10_000), layer: 'columns' as const }))
    const merge = nextMerge(indexOf([...texts, ...columns]), 'busy')
    expect(merge).toMatchObject({ layer: 'columns' })
    expect(merge?.segments.toSorted()).toEqual([5, 6, 7, 8])
  })
})

describe('merges of documents', () => {
  const texts = [1, 2, 3, 4].map((number) => segment(number, 9 * MiB))
  const layerFor = (bytes: number) => {
    const documents = [5, 6, 7, 8].map((number) => ({
      ...segment(number, bytes),
      layer: 'documents' as const,
    }))
    return nextMerge(indexOf([...documents, ...texts]), 'busy')?.layer
  }

  it('wait for those of texts unless they copy much less', () => {
    expect(layerFor(3 * MiB)).toBe('text')
    expect(layerFor(2 * MiB)).toBe('documents')
  })
})

describe('a batch', () => {
  it('is offered small segments that are not being merged', () => {
    const all = [segment(1, 10_000), segment(2, 20_000), segment(3, 200_000)]
    expect(offerOf(indexOf(all), new Set()).segments).toEqual([1, 2])
    expect(offerOf(indexOf(all), new Set([asSegmentNo(2)])).segments).toEqual([1])
  })

  it('is offered larger segments when a layer has too many', () => {
    const all = Array.from({ length: SEGMENTS_MAX + 1 }, (_, i) => segment(i, 200_000))
    expect(offerOf(indexOf(all.slice(1)), new Set()).segments).toEqual([])
    const offer = offerOf(indexOf(all), new Set())
    expect(offer.segments).toHaveLength(SEGMENTS_MAX + 1)
    expect(offer.bytesMax).toBeGreaterThan(200_000)
  })
})
