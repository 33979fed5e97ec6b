// All layers alike: the ids of a segment, damage, the names of sections, and sets of layers as bits;
// then values that only the columns layer treats specially.
import { describe, expect, it, test } from 'vitest'
import { ByteWriter } from '../../../format/bytes/index.ts'
import { encodeRecord } from '../../../format/documents/index.ts'
import { CorruptionError, InvariantError, VersionError } from '../../../format/errors.ts'
import { Frame } from '../../../format/frame/index.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { encodeEntries, storedRows } from '../../../format/vectors/index.ts'
import { applyPatch, defaultSettings, type SettingsPatch } from '../../settings/index.ts'
import {
  allLayerBits,
  anyFieldBits,
  columnsLayer,
  derivedLayers,
  FieldNames,
  hasExtension,
  hasLayer,
  LAYERS,
  layerBit,
  layerBits,
  layerNamed,
  PROFILES,
  profileNamed,
  type SegmentLayer,
  textLayer,
} from './index.ts'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const settingsOf = (patch: SettingsPatch) => applyPatch(defaultSettings(), patch).settings
const NAMES = LAYERS.map(({ name }) => name)

type Members = { readonly [name: string]: unknown }

const VECTORS = encodeEntries([
  {
    embedder: 'e',
    dimensions: 2,
    form: 'floats',
    isOwn: true,
    regenerates: false,
    rows: 1,
    fragments: null,
    stored: storedRows('floats', 2, [Float32Array.of(1, 2)]),
  },
])

/** The segment of a layer that holds these documents, and the builder's summary; null without. */
function segment(layer: SegmentLayer, documents: ReadonlyMap<number, Members>, patch = {}) {
  const names = new FieldNames([])
  const settings = settingsOf({ filterableAttributes: ['*'], ...patch })
  const out = new ByteWriter(1024)
  const builder = layer.builder({ settings, names }, (bytes) => out.bytes(bytes))
  for (const [id, document] of documents) {
    const record = encodeRecord(
      Object.entries(document).map(([name, value]) => [
        names.idOf(name),
        utf8(JSON.stringify(value)),
      ]),
    )
    builder.add(id, utf8(`${id}`), record, VECTORS)
  }
  const written = builder.finish()
  return { written, bytes: out.finish(), names: names.all }
}

const TWO = new Map([
  [5, { id: 5, title: 'red lamp', year: 2000 }],
  [9, { id: 9, title: 'lamp', year: 2001 }],
])
const QUIET = { progress: () => undefined, visit: () => undefined, names: ['id', 'title', 'year'] }

describe.each(NAMES)('a segment of %s', (name) => {
  const layer = layerNamed(name)
  const { written, bytes } = segment(layer, TWO)
  const openFrame = (): Frame => Frame.open(bytes, layer.kind)

  it('has the number and the range of its ids', () => {
    expect(written).toEqual({ documents: 2, idMin: 5, idMax: 9 })
    const reader = layer.open(openFrame(), {})
    expect([...layer.ids(reader).toArray()]).toEqual([5, 9])
    layer.close(reader)
    const none = segment(layer, new Map())
    expect([none.written, none.bytes.length]).toEqual([null, 0])
  })

  it('merged with another has the live ids of both', () => {
    const other = segment(layer, new Map([[7, { id: 7, title: 'oil', year: 1 }]]))
    const inputs = [bytes, other.bytes].map((one, i) => ({
      reader: layer.open(Frame.open(one, layer.kind), {}),
      dead: i === 0 ? IdSet.of([9]) : IdSet.empty,
    }))
    const out = new ByteWriter(1024)
    expect(layer.merge(inputs, (piece) => out.bytes(piece), QUIET)).toEqual({
      documents: 2,
      idMin: 5,
      idMax: 7,
    })
    const merged = Frame.open(out.finish(), layer.kind)
    layer.check(merged, QUIET)
    expect([...layer.ids(layer.open(merged, {})).toArray()]).toEqual([5, 7])
  })

  it('has sections with names', () => {
    const tags = [...openFrame().sections].map(({ tag }) => tag)
    expect(tags.filter((tag) => layer.sections[tag] === undefined)).toEqual([])
    expect(new Set(Object.values(layer.sections)).size).toBeGreaterThan(1)
  })

  it('is refused by the check wherever it is damaged', () => {
    layer.check(openFrame(), QUIET)
    for (let at = 0; at < bytes.length; at += 5) {
      const damaged = bytes.slice()
      damaged[at]! ^= 1 << (at % 8)
      const check = (): unknown => layer.check(Frame.open(damaged, layer.kind), QUIET)
      expect(check, `byte ${at}`).toThrow()
      try {
        check()
      } catch (error) {
        expect(error instanceof CorruptionError || error instanceof VersionError).toBe(true)
      }
    }
  })
})

describe('sets of layers', () => {
  test('are bits in the order of the registry', () => {
    expect(PROFILES.map(({ name }) => name)).toEqual(['documents', 'text', 'columns', 'vectors'])
    expect(NAMES.map(layerBit)).toEqual([1, 2, 4, 8])
    expect([layerBits([]), layerBits(['documents', 'columns']), allLayerBits()]).toEqual([0, 5, 15])
  })

  test('are those that any field affects, those that can be built, those that exist', () => {
    expect(anyFieldBits(defaultSettings())).toBe(layerBit('documents'))
    expect(derivedLayers()).toEqual(['text', 'columns'])
    expect(['text', 'texts'].map(hasLayer)).toEqual([true, false])
    expect(['docs', 'text', 'cols', 'vecs', 'columns'].map(hasExtension)).toEqual([
      true,
      true,
      true,
      true,
      false,
    ])
    for (const profile of PROFILES) expect(profileNamed(profile.name)).toBe(profile)
    expect(() => profileNamed('none')).toThrow(InvariantError)
    expect(() => layerNamed('none')).toThrow(InvariantError)
  })

  test('of a search cost what each layer’s segments cost', () => {
    expect(PROFILES.map(({ segmentCost }) => segmentCost)).toEqual([0.25, 1, 1, 1])
  })
})

describe('columns of one document', () => {
  let names: readonly string[]
  const columnsOf = (document: Members, filterableAttributes: readonly string[]) => {
    const built = segment(columnsLayer as SegmentLayer, new Map([[3, document]]), {
      filterableAttributes,
    })
    names = built.names
    return columnsLayer.open(Frame.open(built.bytes, columnsLayer.kind), {})
  }

  it.each([
    ['1', [[1], []], ['1']],
    [' 2.5 ', [[2.5], []], ['2.5']],
    ['', [[], []], []],
    [' ', [[], []], []],
    ['north', [[], ['north']], ['north']],
    ['Infinity', [[], ['infinity']], ['infinity']],
  ])('hold the coordinate %j as a number if it is one', (sent, coordinate, text) => {
    const fields = ['_geo.lat', '_geo.lng', '_geo.alt']
    const reader = columnsOf({ _geo: { lat: sent, lng: sent, alt: sent } }, fields)
    const found = fields.map((name) => {
      const field = reader.field(names.indexOf(name))!
      return [
        Array.from({ length: field.numberCount }, (_, i) => field.numberAt(i)),
        Array.from({ length: field.stringCount }, (_, i) => String(Buffer.from(field.stringAt(i)))),
      ]
    })
    expect(found).toEqual([coordinate, coordinate, [[], text]])
    expect(reader.geo()).toBeNull()
  })

  it('have a row for each object in an array, wherever it is', () => {
    const document = { v: [{ a: 1 }, { a: 2, w: [{ b: 1 }] }, 3, [{ a: 4 }]], o: { a: 1 } }
    const spaces = columnsOf(document, ['*']).spaces()
    const shown = (all: typeof spaces): unknown =>
      all.map((space) => [
        names[space.path],
        space.docCount,
        [...space.fieldIds].map((id) => names[id]),
      ])
    expect(shown(spaces.filter(({ parent }) => parent === null))).toEqual([
      ['v', 3, ['v.a', 'v.w', 'v.w.b']],
    ])
  })

  const shape = { type: 'FeatureCollection', features: [] as unknown[] }
  const point = (lng: number) => ({
    type: 'Feature',
    properties: {},
    geometry: { type: 'Point', coordinates: [lng, 2] },
  })

  it.each([
    [['_geojson'], [point(1), point(5)], 2],
    [['_geojson'], [], 0],
    [['_geo'], [point(1)], 0],
    [['id'], [point(1)], 0],
  ])('for %j have the parts of a shape, but no rows of its features', (fields, features, parts) => {
    const reader = columnsOf({ id: 1, _geojson: { ...shape, features } }, fields)
    expect(reader.shapes()?.parts(0).length ?? 0).toBe(parts)
    expect(reader.spaces()).toEqual([])
  })

  it('have rows of objects after a shape', () => {
    const document = { _geojson: { ...shape, features: [point(1)] }, v: [{ a: 1 }] }
    expect(columnsOf(document, ['_geojson', 'v']).spaces()).toHaveLength(1)
  })
})

describe('words of one document', () => {
  let lengths: { readonly [field: string]: number } = {}
  const wordsOf = (document: Members, patch: SettingsPatch = {}): Frame | null => {
    const { written, bytes, names } = segment(
      textLayer as SegmentLayer,
      new Map([[3, document]]),
      patch,
    )
    if (written === null) return null
    const frame = Frame.open(bytes, textLayer.kind)
    const reader = textLayer.open(frame, {})
    lengths = Object.fromEntries(
      reader.lengths.fields.map((id) => [names[id]!, reader.lengths.wordsOf(id)]),
    )
    return frame
  }

  it('are never those of places, shapes and vectors', () => {
    const special = { _vectors: { e: 'a' }, _geo: { lat: 'a' }, _geojson: { type: 'a' } }
    expect(wordsOf(special)).toBeNull()
    expect(wordsOf({ ...special, _geox: 'a b' })).not.toBeNull()
    expect(lengths).toEqual({ _geox: 2 })
  })

  it.each([
    [{ infixSearch: { attributes: ['title'] } }, true],
    [{ infixSearch: { attributes: ['other'] } }, false],
    [{}, false],
  ])('with %j are found by parts: %s', (patch, hasInfixes) => {
    expect(wordsOf({ title: 'a lamp', note: 'oil' }, patch)!.has('INFX')).toBe(hasInfixes)
  })

  it('of the analysis of this release need no rebuild', () => {
    const { analysis } = textLayer
    expect(analysis!.of(wordsOf({ title: 'a' })!, [])).toBe(analysis!.version)
  })
})
