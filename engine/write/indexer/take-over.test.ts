// Small segments that a batch takes over: which ones, and what is left when a merge fails.
import { afterEach, describe, expect, it, vi } from 'vitest'
import type { SegmentNo } from '../../../format/ids.ts'
import { applyPatch, defaultSettings } from '../../settings/index.ts'
import { SEGMENTS } from '../../store/catalog/index.ts'
import { LAYERS, type SegmentLayer } from '../../store/layers/index.ts'
import { TAKE_OVER } from '../tiers/index.ts'
import { INLINE_BYTES_MAX } from './segment-sink.ts'
import { type Document, deletionOf, importOf, NO_HOOKS, SmallIndex } from './test-support.ts'

afterEach(() => void vi.restoreAllMocks())

const SETTINGS = applyPatch(defaultSettings(), { filterableAttributes: ['id'] }).settings
const LARGE = { segments: [] as readonly SegmentNo[], bytesMax: 1 << 30 }

/** An index with as many segments of each layer as a batch has to find to take them over. */
async function indexWith(more: Document = {}): Promise<SmallIndex> {
  const index = new SmallIndex(SETTINGS)
  for (let id = 1; id < TAKE_OVER.countMin; id++) await index.run([importOf([{ id, ...more }])])
  return index
}

const segmentsOf = ({ state }: SmallIndex, layer?: string): readonly SegmentNo[] =>
  [...state.segments.values()]
    .filter((one) => layer === undefined || one.layer === layer)
    .map(({ segment }) => segment)

/** Returns the result of a batch that adds a document. */
const batch = (index: SmallIndex, offer: typeof LARGE, document: Document = { id: 99 }) =>
  index.indexing.run(
    {
      kind: 'documents',
      view: index.ref,
      operations: [importOf([document])],
      chunkBytesMax: 1 << 20,
      offer,
    },
    NO_HOOKS,
  )

describe('a batch', () => {
  it('takes over the offered segments of each layer, and leaves one in their place', async () => {
    const index = await indexWith()
    const { segments, replaced } = await batch(index, { ...LARGE, segments: segmentsOf(index) })
    expect(replaced.toSorted((a, b) => a - b)).toEqual(segmentsOf(index))
    expect(segments.map(({ documents }) => documents)).toEqual(
      segments.map(() => TAKE_OVER.countMin),
    )
    expect(new Set(segments.map(({ layer }) => layer)).size).toBe(segments.length)
  })

  it('takes over no other ones, and none for a layer in which it has built nothing', async () => {
    const index = await indexWith()
    const segments = segmentsOf(index, 'text')
    expect((await batch(index, { ...LARGE, segments })).replaced).toEqual(segments)
    const few = { ...LARGE, segments: segments.slice(1) }
    expect((await batch(index, few)).replaced).toEqual([])
    expect((await batch(index, LARGE)).replaced).toEqual([])
    // An attribute that is stored only.
    const stored = applyPatch(SETTINGS, { searchableAttributes: ['id'] }).settings
    const other = new SmallIndex(stored)
    for (let id = 1; id <= TAKE_OVER.countMin; id++) await other.run([importOf([{ id }])])
    const offer = { ...LARGE, segments: segmentsOf(other) }
    const { replaced } = await batch(other, offer, { id: 1, note: 'x' })
    expect(replaced.length).toBeGreaterThan(0)
    for (const one of replaced) expect(segmentsOf(other, 'documents')).toContain(one)
  })

  it('takes over none if it has built a segment that is too large', async () => {
    const index = await indexWith()
    const segments = segmentsOf(index)
    const own = (await batch(index, LARGE)).segments.map(({ bytes }) => bytes)
    const bytesMax = Math.min(...own) - 1
    expect((await batch(index, { segments, bytesMax })).replaced).toEqual([])
  })

  it('leaves out segments whose documents all die with it', async () => {
    const index = await indexWith()
    const [first] = segmentsOf(index, 'documents')
    const request = {
      kind: 'documents',
      view: index.ref,
      operations: [deletionOf('ids', ['1']), importOf([{ id: 98 }, { id: 99 }])],
      chunkBytesMax: 1,
      offer: { ...LARGE, segments: segmentsOf(index) },
    } as const
    const { replaced, tombstones } = await index.indexing.run(request, NO_HOOKS)
    expect(replaced).not.toContain(first)
    expect(tombstones.map(({ segment }) => segment)).toContain(first)
    expect(replaced.length).toBeGreaterThan(0)
  })

  it('takes over none that one segment cannot hold', async () => {
    const index = await indexWith()
    const offer = { ...LARGE, segments: segmentsOf(index) }
    const columns = LAYERS.find(({ name }) => name === 'columns') as Required<SegmentLayer>
    const fits = vi.spyOn(columns, 'fits').mockReturnValue(false)
    const { replaced } = await batch(index, offer)
    expect(fits).toHaveBeenCalledOnce()
    expect(replaced.length).toBeGreaterThan(0)
    for (const one of replaced) expect(segmentsOf(index, 'columns')).not.toContain(one)
  })

  it('leaves no file if a merge fails, nor those that it had merged before', async () => {
    for (const layer of LAYERS.filter(({ name }) => name !== 'vectors')) {
      const index = await indexWith({ text: 'x'.repeat(INLINE_BYTES_MAX / 2) })
      const before = index.fs.list(SEGMENTS)
      const merge = vi.spyOn(layer, 'merge').mockImplementationOnce((_, sink) => {
        sink(new Uint8Array(INLINE_BYTES_MAX + 1))
        throw new Error('a full disk')
      })
      const offer = { ...LARGE, segments: segmentsOf(index) }
      await expect(batch(index, offer)).rejects.toThrow('a full disk')
      expect(merge).toHaveBeenCalledOnce()
      expect(index.fs.list(SEGMENTS)).toEqual(before)
      merge.mockRestore()
    }
  })
})
