// The vectors of documents after batches, changes of settings and merges.
import { describe, expect, it } from 'vitest'
import { entriesAt, shownVectors } from '../../../format/vectors/index.ts'
import {
  applyPatch,
  decodeSettings,
  defaultSettings,
  type IndexSettings,
  type SettingsPatch,
} from '../../settings/index.ts'
import { layersAffected, vectorsLayer } from '../../store/layers/index.ts'
import { type Document, deletionOf, importOf, SmallIndex } from '../indexer/test-support.ts'

const settingsWith = (embedders: NonNullable<SettingsPatch['embedders']>) =>
  applyPatch(defaultSettings(), { embedders }).settings

/** Changes settings, including the rebuild that this requires. */
async function change(index: SmallIndex, settings: IndexSettings): Promise<void> {
  const before = decodeSettings(index.state.settings)
  await index.rebuild(settings, 1 << 20, layersAffected(before, settings, index.state.fields))
}

const TWO = settingsWith({
  a: { source: 'userProvided', dimensions: 2 },
  b: { source: 'userProvided', dimensions: 1, binaryQuantized: true },
})

type Shown = { readonly [embedder: string]: { readonly rows: number[][]; regenerates: boolean } }

/** Returns the vectors of each live document, by id. */
function vectorsOf(index: SmallIndex): ReadonlyMap<number, Shown> {
  const found = new Map<number, Shown>()
  for (const { reader, dead } of index.view.layer(vectorsLayer)) {
    for (const id of reader.ids.andNot(dead).toArray()) {
      const entries = entriesAt(reader, reader.placeOf(id)).map((entry) => [
        entry.embedder,
        { rows: shownVectors(entry).map((row) => [...row]), regenerates: entry.regenerates },
      ])
      found.set(id, Object.fromEntries(entries))
    }
  }
  return found
}

const add = (index: SmallIndex, documents: readonly Document[], method: 'replace' | 'update') =>
  index.run([importOf(documents, { primaryKey: 'id', method })])

const own = (...rows: number[][]) => ({ rows, regenerates: false })

describe('vectors of documents', () => {
  it('are removed from the document and counted', async () => {
    const index = new SmallIndex(TWO)
    await add(index, [{ id: 1, _vectors: { a: [1, 2], b: null, c: [9] } }], 'replace')
    expect(vectorsOf(index)).toEqual(new Map([[0, { a: own([1, 2]), b: own() }]]))
    expect(index.documents().get(0)).toEqual({ id: 1, _vectors: { c: [9] } })
    expect(index.state.vectorCounts).toEqual({ vectors: 1, documents: 1 })
  })

  it('stay if a document arrives without them, and change one by one', async () => {
    const index = new SmallIndex(TWO)
    await add(index, [{ id: 1, _vectors: { a: [1, 2], b: [3] } }], 'replace')
    await add(index, [{ id: 1, t: 'x' }], 'replace')
    expect(vectorsOf(index)).toEqual(new Map([[0, { a: own([1, 2]), b: own([1]) }]]))
    await add(index, [{ id: 1, _vectors: { b: [[-1], [4]] } }], 'update')
    expect(vectorsOf(index)).toEqual(new Map([[0, { a: own([1, 2]), b: own([0], [1]) }]]))
    expect(index.state.vectorCounts).toEqual({ vectors: 3, documents: 1 })
    await index.merge()
    expect(vectorsOf(index)).toEqual(new Map([[0, { a: own([1, 2]), b: own([0], [1]) }]]))
  })

  it('are removed with their documents', async () => {
    const index = new SmallIndex(TWO)
    const documents = [1, 2].map((id) => ({ id, _vectors: { a: [id, 1], b: null } }))
    await add(index, documents, 'replace')
    await index.run([deletionOf('ids', ['1'])])
    expect(index.state.vectorCounts).toEqual({ vectors: 1, documents: 1 })
    expect([...vectorsOf(index).values()]).toEqual([{ a: own([2, 1]), b: own() }])
    await index.run([deletionOf('ids', ['2'])])
    expect(index.state.vectorCounts).toEqual({ vectors: 0, documents: 0 })
  })

  it('that are equal change nothing', async () => {
    const index = new SmallIndex(TWO)
    const documents = [{ id: 1, _vectors: { a: [1, 2], b: [1] } }]
    await add(index, documents, 'replace')
    const again = await add(index, documents, 'replace')
    expect(again).toMatchObject({ segments: [], unchanged: 1, updated: 0 })
  })

  it.each([
    [{ a: [1, 2] }, 'no vectors provided for document `1`'],
    [{ a: [1, 2, 3], b: null }, 'embedding #0 has dimensions 3'],
    [{ a: [[1, 2], []], b: null }, 'embedding #1 has dimensions 0'],
    [{ a: 'x', b: null }, 'but got the string `x`'],
    [{ a: [1, 'y'], b: null }, 'Invalid value type at `._vectors.a[1]`: expected a number'],
    [{ a: { embeddings: [1, 2] }, b: null }, 'Missing field `._vectors.a.regenerate`'],
    [{ a: { regenerate: 1 }, b: null }, 'expected a boolean at line 1 column 15'],
    [{ a: { regenerate: true, x: 1 }, b: null }, 'trailing characters at line 1 column 23'],
    [[], 'invalid type: sequence, expected a map'],
  ])('%j are refused, and nothing of the batch is kept', async (vectors, words) => {
    const index = new SmallIndex(TWO)
    await expect(add(index, [{ id: 1, _vectors: vectors }], 'replace')).rejects.toThrow(words)
    expect(index.documents().size).toBe(0)
    expect(index.state.vectorCounts).toEqual({ vectors: 0, documents: 0 })
  })
})

describe('a change of embedders', () => {
  it('imports stored entries of documents, and restores own vectors', async () => {
    const index = new SmallIndex(defaultSettings())
    await add(index, [{ id: 1, _vectors: { a: [1, 2], x: [5] } }], 'replace')
    expect(index.state.vectorCounts).toEqual({ vectors: 0, documents: 0 })
    const one = settingsWith({ a: { source: 'userProvided', dimensions: 2 } })
    await change(index, one)
    expect(index.documents().get(0)).toEqual({ id: 1, _vectors: { x: [5] } })
    expect(vectorsOf(index)).toEqual(new Map([[0, { a: own([1, 2]) }]]))
    await change(index, defaultSettings())
    const back = { a: { regenerate: false, embeddings: [[1, 2]] }, x: [5] }
    expect(index.documents().get(0)).toEqual({ id: 1, _vectors: back })
    expect(vectorsOf(index)).toEqual(new Map())
    expect(index.state.vectorCounts).toEqual({ vectors: 0, documents: 0 })
  })

  it('stores quantized vectors if configured', async () => {
    const before = settingsWith({ a: { source: 'userProvided', dimensions: 2 } })
    const index = new SmallIndex(before)
    await add(index, [{ id: 1, _vectors: { a: [1, -2] } }], 'replace')
    const quantized = { source: 'userProvided', dimensions: 2, binaryQuantized: true } as const
    await change(index, settingsWith({ a: quantized }))
    expect(vectorsOf(index)).toEqual(new Map([[0, { a: own([1, 0]) }]]))
  })

  it('fails if a document lacks a required vector', async () => {
    const index = new SmallIndex(defaultSettings())
    await add(index, [{ id: 1 }, { id: 2 }], 'replace')
    const one = settingsWith({ a: { source: 'userProvided', dimensions: 2 } })
    await expect(change(index, one)).rejects.toThrow(
      'no vectors provided for document `1` and at least 1 other document(s)',
    )
  })
})
