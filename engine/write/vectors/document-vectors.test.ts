// The vectors of documents after batches, changes of settings and merges.
import { describe, expect, it } from 'vitest'
import { DIMENSIONS_MAX, entriesAt, shownVectors } from '../../../format/vectors/index.ts'
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

  it('of an embedder without a length have that of the first one', async () => {
    const rest = {
      source: 'rest',
      url: 'http://p/',
      request: ['{{text}}'],
      response: ['{{embedding}}'],
    }
    const index = new SmallIndex(settingsWith({ a: rest as never }))
    await add(index, [{ id: 1, _vectors: { a: null } }], 'replace')
    await add(index, [{ id: 2, _vectors: { a: [1, 2, 3] } }], 'replace')
    await expect(add(index, [{ id: 3, _vectors: { a: [1, 2] } }], 'replace')).rejects.toThrow(
      'embedding #0 has dimensions 2\n  - note: embedder `a` requires 3',
    )
    await add(index, [{ id: 2, _vectors: { a: null } }], 'replace')
    await add(index, [{ id: 3, _vectors: { a: [1, 2] } }], 'replace')
    expect(index.state.vectorCounts).toEqual({ vectors: 1, documents: 1 })
    const long = (count: number) =>
      add(index, [{ id: 3, _vectors: { a: new Array(count).fill(0) } }], 'replace')
    await add(index, [{ id: 3, _vectors: { a: null } }], 'replace')
    await expect(long(DIMENSIONS_MAX + 1)).rejects.toThrow(
      'has dimensions 65537\n  - note: embedder `a` requires at most 65536',
    )
    await long(DIMENSIONS_MAX)
    expect(index.state.vectorCounts).toEqual({ vectors: 1, documents: 1 })
  })

  it.each([
    ['that remain count as present', { a: [1, 2] }, { a: { regenerate: false } }, [[1, 2]]],
    ['without a list are an opt-out', { a: null }, { a: { regenerate: false } }, []],
    [
      'regenerate as written',
      { a: [1, 2] },
      { a: { regenerate: true, embeddings: [3, 4] } },
      [[3, 4]],
    ],
  ] as const)('%s', async (_, before, after, rows) => {
    const index = new SmallIndex(settingsWith({ a: { source: 'userProvided', dimensions: 2 } }))
    await add(index, [{ id: 1, _vectors: before }], 'replace')
    await add(index, [{ id: 1, _vectors: after as never }], 'update')
    expect(vectorsOf(index).get(0)!['a']!.rows).toEqual(rows)
    const { regenerate } = after.a
    expect(vectorsOf(index).get(0)!['a']!.regenerates).toBe(regenerate)
  })

  it('that an embedder cannot compute again are missing', async () => {
    const index = new SmallIndex(settingsWith({ a: { source: 'userProvided', dimensions: 2 } }))
    const renewed = { id: 1, _vectors: { a: { regenerate: true } } }
    await expect(add(index, [renewed], 'replace')).rejects.toThrow('no vectors provided')
    await add(index, [{ id: 1, _vectors: { a: null } }], 'replace')
    await expect(add(index, [renewed], 'replace')).rejects.toThrow('no vectors provided')
    await add(index, [{ id: 1, _vectors: { a: [1, 2] } }], 'replace')
    expect(await add(index, [renewed], 'replace')).toMatchObject({ updated: 0 })
  })

  it('that are missing are explained by similar names', async () => {
    const index = new SmallIndex(settingsWith({ abc: { source: 'userProvided', dimensions: 2 } }))
    const documents = [{ id: 1, _vector: {} }, { id: 2, _vectors: { abd: [1, 2] } }, { id: 3 }]
    await expect(add(index, documents, 'replace')).rejects.toThrow(
      'for document `1` and at least 2 other document(s)\n- Note: `abc` has `source: ' +
        'userProvided`, so documents must provide embeddings as an array in `_vectors.abc`.' +
        '\n- Hint: try replacing `_vector` by `_vectors` in 1 document(s).' +
        '\n- Hint: try replacing `_vectors.abd` by `_vectors.abc` in 1 document(s).',
    )
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

  it('restores opt-outs, in byte order among other entries', async () => {
    const index = new SmallIndex(TWO)
    await add(index, [{ id: 1, _vectors: { b: [1], z: [5], a: null } }], 'replace')
    await add(index, [{ id: 2, _vectors: { b: null, a: null } }], 'replace')
    await change(index, defaultSettings())
    const entry = (...embeddings: number[][]) => ({ regenerate: false, embeddings })
    const [first, second] = [...index.documents().values()]
    expect(JSON.stringify(first!['_vectors'])).toBe(
      JSON.stringify({ a: entry(), b: entry([1]), z: [5] }),
    )
    expect(second!['_vectors']).toEqual({ a: entry(), b: entry() })
    expect(index.state.fieldCounts[index.state.fields.indexOf('_vectors')]).toBe(2)
    await change(index, TWO)
    expect(index.state.fieldCounts[index.state.fields.indexOf('_vectors')]).toBe(1)
    expect(vectorsOf(index).get(0)).toEqual({ a: own(), b: own([1]) })
  })

  it('keeps the other embedders, and the lengths of their vectors', async () => {
    const index = new SmallIndex(TWO)
    await add(index, [{ id: 1, _vectors: { a: [1, 2], b: [3] } }], 'replace')
    await change(index, settingsWith({ a: { source: 'userProvided', dimensions: 2 } }))
    expect(vectorsOf(index)).toEqual(new Map([[0, { a: own([1, 2]) }]]))
    expect(index.state.vectorCounts).toEqual({ vectors: 1, documents: 1 })
    const longer = settingsWith({ a: { source: 'userProvided', dimensions: 3 } })
    await expect(change(index, longer)).rejects.toThrow(
      'embedding #0 has dimensions 2\n  - note: embedder `a` requires 3',
    )
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
