// Segments of each layer, built from documents: how they are described, checked and merged, and the
// lists of layers.
import { describe, expect, it, test } from 'vitest'
import { ByteWriter } from '../../../format/bytes/index.ts'
import { Frame } from '../../../format/frame/index.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { applyPatch, defaultSettings, type SettingsPatch } from '../../settings/index.ts'
import { importOf, SmallIndex } from '../../write/indexer/test-support.ts'
import { segmentPath } from '../catalog/names.ts'
import type { LayerDescription } from './description.ts'
import { fieldText } from './description.ts'
import { layerNamed, layerOfKind } from './lookup.ts'
import { LAYERS } from './registry.ts'

const settingsOf = (patch: SettingsPatch) => applyPatch(defaultSettings(), patch).settings
const SETTINGS = settingsOf({
  searchableAttributes: ['title', 'note'],
  filterableAttributes: ['year', 'tags', '_geo'],
  embedders: {
    a: { source: 'userProvided', dimensions: 2 },
    b: { source: 'userProvided', dimensions: 4, binaryQuantized: true },
  },
})
const DOCUMENTS = [
  { id: 1, title: 'red red lamp', year: 2000, tags: ['x', 'y'], _vectors: { a: [1, 2], b: null } },
  {
    id: 2,
    title: 'lamp',
    note: 'lamp oil',
    year: 2001,
    tags: [],
    _vectors: {
      a: [
        [1, 2],
        [3, 4],
      ],
      b: [1, 2, 3, 4],
    },
  },
  { id: 3, year: null, _geo: { lat: 1, lng: 2 }, _vectors: { a: null, b: null } },
]

async function world() {
  const index = new SmallIndex(SETTINGS)
  await index.run([importOf(DOCUMENTS as never, { primaryKey: 'id' })])
  const { state } = index
  const frameOf = (name: string): Frame => {
    const entry = [...state.segments.values()].find(({ layer }) => layer === name)!
    const { location, segment, layer, bytes } = entry
    const all =
      location.kind === 'inline' ? location.frame : index.fs.map(segmentPath(segment, layer), bytes)
    return Frame.open(all, layerNamed(layer).kind)
  }
  const describeLayer = (name: string): LayerDescription =>
    layerNamed(name).describe(frameOf(name), state.fields)
  return { index, frameOf, describeLayer, fields: state.fields }
}

/** Describes the words of an index that has one segment. */
function describeText(index: SmallIndex): LayerDescription {
  const [text] = [...index.state.segments.values()].filter(({ layer }) => layer === 'text')
  const location = text!.location as { readonly frame: Uint8Array }
  const frame = Frame.open(location.frame, layerNamed('text').kind)
  return layerNamed('text').describe(frame, null)
}

/** Facts as texts: numbers as they are. */
const factsOf = ({ facts }: LayerDescription): readonly string[] =>
  facts.map(([label, ...words]) => {
    const text = words.map((word) => {
      if (typeof word === 'string') return word
      return 'bytes' in word ? `${word.bytes} B` : String(word.count)
    })
    return `${label}: ${text.join('')}`
  })

it('a segment of each layer has the bounds and the number of its documents', async () => {
  const { index, frameOf } = await world()
  const entries = [...index.state.segments.values()]
  expect(entries).toHaveLength(LAYERS.length)
  for (const { layer: name, documents, idMin, idMax } of entries) {
    const layer = layerNamed(name)
    const ids = layer.ids(layer.open(frameOf(name), {}))
    expect([name, documents, idMin, idMax]).toEqual([name, ids.size, ids.min, ids.max])
    expect(idMin).toBe(0)
  }
})

it('a segment of each layer is merged without its dead documents, or not at all', async () => {
  const { frameOf, fields } = await world()
  const context = { progress: () => undefined, names: fields }
  for (const layer of LAYERS) {
    const reader = layer.open(frameOf(layer.name), {})
    const ids = layer.ids(reader)
    const out = new ByteWriter()
    const merged = (dead: IdSet) =>
      layer.merge([{ reader, dead }], (bytes) => out.bytes(bytes), context)
    expect([layer.name, merged(ids), out.length]).toEqual([layer.name, null, 0])
    const { size, max } = ids
    const written = { documents: size - 1, idMin: ids.toArray()[1], idMax: max }
    expect(merged(IdSet.of([ids.min]))).toEqual(written)
    expect(out.length).toBeGreaterThan(0)
  }
})

describe('a description', () => {
  it('of documents counts records and the bytes of their fields', async () => {
    const { describeLayer, frameOf } = await world()
    const { content, tables } = describeLayer('documents')
    const fields = content['fields'] as { field: string; documents: number; bytes: number }[]
    expect(content).toMatchObject({ layer: 'documents', runs: 1, blocks: 1 })
    const bytesOf = (name: string) =>
      DOCUMENTS.reduce((sum, one) => {
        const value = (one as { readonly [field: string]: unknown })[name]
        return sum + (value === undefined ? 0 : JSON.stringify(value).length)
      }, 0)
    const names = ['title', 'tags', 'year', 'note', '_geo', 'id']
    for (const name of names) {
      const documents = DOCUMENTS.filter((one) => name in one).length
      expect(fields.find(({ field }) => field === name)).toEqual({
        field: name,
        documents,
        bytes: bytesOf(name),
      })
    }
    expect(fields.map(({ bytes }) => bytes)).toEqual(
      fields.map(({ bytes }) => bytes).sort((a, b) => b - a),
    )
    const recordBytes = Number(content['recordBytes'])
    expect(recordBytes).toBeGreaterThan(Number(content['longestRecordBytes']))
    expect(content['compression']).toBe(recordBytes / Number(content['storedBytes']))
    expect(content['storedBytes']).toBe(frameOf('documents').section('BLKS').length)
    expect(tables[0]).toEqual({
      columns: ['field', 'documents', 'bytes'],
      rows: fields.map(({ field, documents, bytes }) => [field, documents, bytes]),
    })
    const frame = frameOf('documents')
    const [blocks] = layerNamed('documents').tables(frame, null)
    const stored = frame.section('BLKS').length
    // Compression does not make so few bytes smaller.
    expect(blocks!.rows).toEqual([[0, 0, stored, stored, 0, 3]])
  })

  it('of words counts terms, lists and lengths', async () => {
    const { describeLayer, frameOf, fields } = await world()
    const described = describeLayer('text')
    const { content, tables } = described
    expect(content).toMatchObject({ layer: 'text', terms: 3, occurrences: 6 })
    expect(content['postings']).toMatchObject({
      small: { terms: 3 },
      large: { terms: 0, bytes: 0 },
    })
    const longest = content['longest'] as { term: string; documents: number; bytes: number }[]
    expect(longest.map(({ term, documents }) => [term, documents])).toEqual([
      ['lamp', 2],
      ['oil', 1],
      ['red', 1],
    ])
    const lengths = [
      ['title', 2, 4],
      ['note', 1, 2],
    ]
    expect(tables[1]).toEqual({
      columns: ['field', 'documents', 'words'],
      rows: expect.arrayContaining(lengths),
    })
    const post = frameOf('text').section('POST').length
    expect(content['bytesPerOccurrence']).toBe(post / 6)
    const [terms, leng] = layerNamed('text').tables(frameOf('text'), fields)
    expect(terms!.rows.length).toBeGreaterThan(1)
    expect(leng!.rows).toEqual(tables[1]!.rows)
    expect(factsOf(described)[1]).toBe(`occurrences: 6, ${(post / 6).toFixed(2)} bytes each`)
  })

  it('of the longest lists shows ten', async () => {
    const index = new SmallIndex(settingsOf({ searchableAttributes: ['t'] }))
    const word = (n: number): string => String.fromCharCode(97 + n).repeat(5)
    const documents = Array.from({ length: 12 }, (_, id) => ({
      id,
      t: Array.from({ length: 12 - id }, (_, n) => word(11 - n)).join(' '),
    }))
    await index.run([importOf(documents, { primaryKey: 'id' })])
    const longest = describeText(index).content['longest'] as {
      term: string
      documents: number
    }[]
    expect(longest.map(({ term, documents }) => [term, documents])).toEqual(
      Array.from({ length: 10 }, (_, n) => [word(11 - n), 12 - n]),
    )
  })

  it.each([
    [128, { small: { terms: 1 }, large: { terms: 0 } }],
    [129, { small: { terms: 0 }, large: { terms: 1 } }],
  ])('of a list of %i documents counts it by its form', async (count, postings) => {
    const index = new SmallIndex(settingsOf({ searchableAttributes: ['t'] }))
    const documents = Array.from({ length: count }, (_, id) => ({ id, t: 'word' }))
    await index.run([importOf(documents, { primaryKey: 'id' })])
    expect(describeText(index).content['postings']).toMatchObject(postings)
  })

  it('of columns counts values, places and holders', async () => {
    const { describeLayer, frameOf, fields } = await world()
    const { content, tables, facts } = describeLayer('columns')
    const rows = content['fields'] as { field: string }[]
    expect(rows.find(({ field }) => field === 'year')).toEqual({
      field: 'year',
      documents: 3,
      distinctNumbers: 2,
      documentsWithNumbers: 2,
      distinctStrings: 0,
      documentsWithStrings: 0,
      nulls: 1,
      empties: 0,
    })
    expect(rows.find(({ field }) => field === 'tags')).toMatchObject({
      documents: 2,
      distinctStrings: 2,
      documentsWithStrings: 1,
      empties: 1,
    })
    expect([content['points'], facts]).toEqual([1, [['points', { count: 1 }]]])
    expect(tables[0]!.rows).toContainEqual(['year', 3, 2, 2, 0, 0, 1, 0])
    const [blocks] = layerNamed('columns').tables(frameOf('columns'), fields)
    expect(blocks!.columns).toEqual(['field', 'offset', 'bytes', 'head'])
    expect(blocks!.rows.map(([field]) => field)).toEqual(rows.map(({ field }) => field))
    const data = frameOf('columns').section('DATA').length
    const ends = blocks!.rows.map(([, offset, bytes]) => Number(offset) + Number(bytes))
    expect(Math.max(...ends)).toBeLessThanOrEqual(data)
  })

  it('of vectors counts rows and their documents', async () => {
    const { describeLayer, frameOf } = await world()
    const described = describeLayer('vectors')
    const rows = [
      ['a', 2, 'floats', 3, 24, 2, 3],
      ['b', 4, 'nibbles', 1, expect.any(Number), 1, 3],
    ]
    expect(described.tables[0]!.rows).toEqual(rows)
    expect(layerNamed('vectors').tables(frameOf('vectors'), null)[0]!.rows).toEqual(rows)
    expect(factsOf(described)[0]).toBe('a: 3 vectors in 24 B')
  })
})

test.each(LAYERS.map(({ name }) => name))(
  '%s are checked, and their greatest field is known',
  async (name) => {
    const { frameOf, fields } = await world()
    const seen: number[] = []
    const layer = layerNamed(name)
    const { fieldMax } = layer.check(frameOf(name), {
      progress: () => undefined,
      visit: ({ id }: { readonly id: number }) => void seen.push(id),
    } as never)
    const greatest: { readonly [layer: string]: string } = {
      documents: '_geo',
      columns: '_geo.lng',
      text: 'note',
    }
    expect(fieldMax).toBe(name === 'vectors' ? -1 : fields.indexOf(greatest[name]!))
    expect(seen).toEqual(name === 'documents' ? [0, 1, 2] : [])
  },
)

test.each(LAYERS.map(({ name }) => name))(
  '%s of dead documents are left out of a merge',
  async (name) => {
    const { frameOf } = await world()
    const layer = layerNamed(name)
    const reader = layer.open(frameOf(name), {})
    const all = layer.ids(reader)
    const options = { progress: () => undefined, memoryBytesMax: 1 << 20, names: ['id'] }
    const mergedWith = (dead: IdSet) => {
      const out = new ByteWriter(256)
      return layer.merge([{ reader, dead }] as never, (bytes) => void out.bytes(bytes), options)
    }
    expect(mergedWith(all)).toBeNull()
    const written = mergedWith(IdSet.of([all.min]))
    expect(written).toEqual({
      documents: all.size - 1,
      idMin: all.toArray()[1],
      idMax: all.max,
    })
    expect(mergedWith(IdSet.empty)).toEqual({ documents: all.size, idMin: all.min, idMax: all.max })
  },
)

test('layers are found by name and kind', () => {
  for (const layer of LAYERS) {
    expect(layerNamed(layer.name)).toBe(layer)
    expect(layerOfKind(layer.kind)).toBe(layer)
  }
  expect(layerOfKind('NONE')).toBeNull()
  expect(new Set(LAYERS.map(({ extension }) => extension)).size).toBe(LAYERS.length)
})

test('a field without a known name is shown by its id', () => {
  expect([fieldText(1, ['a', 'b']), fieldText(2, ['a']), fieldText(2, null)]).toEqual([
    'b',
    'field 2',
    'field 2',
  ])
})

describe('a change of embedders', () => {
  const names = (patch: SettingsPatch, from: SettingsPatch = {}, fields = ['id']) => {
    const before = settingsOf(from)
    const after = applyPatch(before, patch).settings
    return LAYERS.filter((layer) => layer.affectedBy(before, after, fields) === 'rebuild').map(
      ({ name }) => name,
    )
  }
  const own = (dimensions: number) => ({ source: 'userProvided', dimensions }) as const
  const model = (more: object) =>
    ({ source: 'ollama', model: 'm', documentTemplate: '{{doc.a}}', ...more }) as never

  it.each<[SettingsPatch, SettingsPatch, readonly string[], readonly string[]]>([
    [{}, { embedders: { e: own(2) } }, ['id'], ['vectors']],
    [{}, { embedders: { e: own(2) } }, ['id', '_vectors'], ['documents', 'vectors']],
    [{ embedders: { e: own(2) } }, { embedders: { e: null } }, ['id'], ['documents', 'vectors']],
    [{ embedders: { e: own(2) } }, { embedders: { f: own(2) } }, ['id'], ['vectors']],
    [{ embedders: { e: own(2) } }, { embedders: { e: own(3) } }, ['id', '_vectors'], ['vectors']],
    [{ embedders: { e: own(2) } }, { embedders: { e: own(2) } }, ['id', '_vectors'], []],
    [{ embedders: { e: model({}) } }, { embedders: { e: model({}) } }, ['id'], []],
    [
      { embedders: { e: model({}) } },
      { embedders: { e: model({ model: 'n' }) } },
      ['id'],
      ['vectors'],
    ],
    [
      { embedders: { e: model({}) } },
      { embedders: { e: model({ documentTemplate: '{{doc.b}}' }) } },
      ['id'],
      ['vectors'],
    ],
    [
      { embedders: { e: model({ dimensions: 2 }) } },
      { embedders: { e: model({ dimensions: 3 }) } },
      ['id'],
      [],
    ],
    [
      { embedders: { e: own(2) } },
      { embedders: { e: { binaryQuantized: true } as never } },
      ['id'],
      ['vectors'],
    ],
  ])('from %j by %j with fields %j rebuilds %j', (from, patch, fields, layers) => {
    expect([...names(patch, from, fields as string[])].sort()).toEqual([...layers].sort())
  })
})
