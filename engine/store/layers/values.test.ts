// From values to words and facets: each type of value, paths through arrays and objects, fields
// that the settings name and fields that they do not; against a walk over the parsed document.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ByteWriter, type ExactNumber } from '../../../format/bytes/index.ts'
import type { ColumnsReader } from '../../../format/columns/index.ts'
import { encodeRecord, RecordFields } from '../../../format/documents/index.ts'
import { Frame } from '../../../format/frame/index.ts'
import { JsonBuffer } from '../../../format/json/index.ts'
import { Occurrences, type TextReader } from '../../../format/postings/index.ts'
import { EngineFault } from '../../model/index.ts'
import {
  applyPatch,
  defaultSettings,
  type IndexSettings,
  type SettingsPatch,
} from '../../settings/index.ts'
import { covers } from '../../settings/schema/index.ts'
import type { Document, Json } from '../../write/indexer/test-support.ts'
import { columnsLayer } from './columns.ts'
import { discoverFields } from './discover-fields.ts'
import { FieldNames } from './field-names.ts'
import type { SegmentLayer } from './layer.ts'
import { planOfLayers } from './layers.ts'
import { NESTING_MAX } from './limits.ts'
import { textLayer } from './text.ts'

const encoder = new TextEncoder()
const settingsOf = (patch: SettingsPatch): IndexSettings =>
  applyPatch(defaultSettings(), patch).settings

type Column = {
  readonly exists: boolean
  readonly isNull: boolean
  readonly isEmpty: boolean
  readonly numbers: readonly ExactNumber[]
  readonly strings: readonly string[]
}
type Extracted = {
  /** By field name: `word@position`, in order of positions. */
  readonly words: { readonly [field: string]: readonly string[] }
  readonly columns: { readonly [field: string]: Column }
  /** All names in the order of their ids. */
  readonly names: readonly string[]
  readonly place: readonly number[] | null
}

/**
 * Returns everything that layers extract from one document. `json` is text, so numbers keep their
 * form.
 */
function extract(
  members: readonly (readonly [string, string])[],
  settings: IndexSettings,
): Extracted {
  const names = new FieldNames([])
  const record = encodeRecord(
    members.map(([name, json]) => [names.idOf(name), encoder.encode(json)]),
  )
  const plan = planOfLayers(settings, names)
  const fields = new RecordFields()
  fields.read(record)
  for (let f = 0; f < fields.count; f++) {
    discoverFields(plan.field(fields.ids[f]!), record, fields.starts[f]!, new JsonBuffer())
  }
  const found = names.count
  const built = <Reader>(layer: SegmentLayer<Reader>): Reader | null => {
    const out = new ByteWriter(1024)
    const builder = layer.builder({ settings, names }, (bytes) => out.bytes(bytes))
    builder.add(0, encoder.encode('x'), record)
    if (builder.finish() === null) return null
    return layer.open(Frame.open(out.finish(), layer.kind), {})
  }
  const text = built(textLayer)
  const columns = built(columnsLayer)
  expect(names.count, 'all names were met before').toBe(found)
  return {
    words: text === null ? {} : wordsOf(text, names),
    ...columnsOf(columns!, names),
    names: Array.from({ length: names.count }, (_, id) => names.name(id)),
  }
}

function wordsOf(reader: TextReader, names: FieldNames): Extracted['words'] {
  const all: { field: string; at: number; word: string }[] = []
  const walk = reader.fst.range(new Uint8Array(0))
  for (let ordinal = walk.from; ordinal < walk.to; ordinal++) {
    const found = new Occurrences()
    found.clear()
    reader.allOccurrences(ordinal, found)
    const word = Buffer.from(reader.fst.key(ordinal)).toString()
    // Terms of spellings are not words.
    if (word < ' ') continue
    for (const packed of found.packed.subarray(0, found.starts[found.count])) {
      all.push({ field: names.name(packed >>> 16), at: packed & 0xffff, word })
    }
  }
  all.sort((a, b) => a.at - b.at)
  return Object.fromEntries(
    [...new Set(all.map(({ field }) => field))].map((field) => [
      field,
      all.filter((one) => one.field === field).map(({ word, at }) => `${word}@${at}`),
    ]),
  )
}

function columnsOf(reader: ColumnsReader, names: FieldNames): Pick<Extracted, 'columns' | 'place'> {
  const columns: { [field: string]: Column } = {}
  for (let id = 0; id < names.count; id++) {
    const field = reader.field(id)
    if (field === null) continue
    columns[names.name(id)] = {
      exists: field.exists().has(0),
      isNull: field.nulls().has(0),
      isEmpty: field.empties().has(0),
      numbers: Array.from({ length: field.numberCount }, (_, i) => field.numberAt(i)),
      strings: Array.from({ length: field.stringCount }, (_, i) =>
        Buffer.from(field.stringAt(i)).toString(),
      ),
    }
  }
  const geo = reader.geo()
  return { columns, place: geo === null ? null : [geo.latitude(0), geo.longitude(0)] }
}

const EVERYTHING = settingsOf({
  filterableAttributes: [
    {
      attributePatterns: ['*'],
      features: { facetSearch: true, filter: { equality: true, comparison: true } },
    },
  ],
})
const extractValue = (json: string, settings = EVERYTHING): Extracted =>
  extract([['f', json]], settings)

describe('words', () => {
  it('behind the last position of a field are found once each', () => {
    const long = JSON.stringify(`${'filler '.repeat(65_530)}${'late words '.repeat(20)}`)
    const words = extractValue(long).words['f']!
    expect(words.filter((word) => !word.startsWith('filler'))).toEqual([
      'late@65530',
      'words@65531',
      'late@65532',
      'words@65533',
      'late@65534',
      'late@65535',
      'words@65535',
    ])
  })

  it.each([
    ['"red fox. big"', ['red@0', 'fox@1', 'big@9']],
    ['["red fox. big","dog"]', ['red@0', 'fox@1', 'big@9', 'dog@17']],
    ['"a, b"', ['a@0', 'b@8']],
    ['"a,b"', ['a@0', 'b@1']],
    [
      '"snake_case kebab-case camelCase"',
      ['snake@0', 'case@1', 'kebab@2', 'case@3', 'camelcase@4'],
    ],
    ['"Thé œuvre"', ['the@0', 'oeuvre@1']],
    ['"tab\\tbed \\"quoted\\" \\u00e9t\\u00e9"', ['tab@0', 'bed@1', 'quoted@2', 'ete@3']],
    ['12.5', ['12@0', '5@1']],
    ['1.0', ['1@0', '0@1']],
    ['120', ['120@0']],
    ['1e2', ['100@0', '0@1']],
    ['true', ['true@0']],
    ['[false,7,"x"]', ['false@0', '7@8', 'x@16']],
    ['null', undefined],
    ['[]', undefined],
    ['{}', undefined],
    ['[null,[],{}]', undefined],
  ])('of %s', (json, words) => {
    expect(extractValue(json).words['f']).toEqual(words)
  })

  it('share positions by name, through arrays and with names that have a dot', () => {
    const value = '[{"n":"one two"},[{"n":"three","m":[{"n":"deep"}]}]]'
    const { words, names } = extract(
      [
        ['f', value],
        ['f.n', '"four"'],
      ],
      EVERYTHING,
    )
    expect(words).toEqual({
      'f.n': ['one@0', 'two@1', 'three@9', 'four@17'],
      'f.m.n': ['deep@0'],
    })
    expect(names).toEqual(['f', 'f.n', 'f.m', 'f.m.n'])
  })

  it('of a number are those of its usual form; one beyond all doubles has none', () => {
    const of = (json: string) => extractValue(json).words['f']
    expect(['12.50', '1e2', '-0.5'].map(of)).toEqual(['"12.5"', '"100.0"', '"-0.5"'].map(of))
    expect([of('1e999'), of('[1e999,2]')?.map((word) => word[0])]).toEqual([undefined, ['2']])
  })

  it('are those of searched fields only', () => {
    const members = [
      ['title', '"one"'],
      ['titles', '"two"'],
      ['nested', '{"name":"three","other":{"name":"four"},"na\\u006de":"five"}'],
      ['_geo', '{"lat":1,"lng":2}'],
      ['_vectors', '{"e":[1,2]}'],
    ] as const
    const some = settingsOf({ searchableAttributes: ['title', 'nested.name'] })
    expect(extract(members, some).words).toEqual({
      title: ['one@0'],
      'nested.name': ['three@0', 'five@8'],
    })
    expect(Object.keys(extract(members, defaultSettings()).words).sort()).toEqual([
      'nested.name',
      'nested.other.name',
      'title',
      'titles',
    ])
  })
})

const NOTHING: Column = { exists: true, isNull: false, isEmpty: false, numbers: [], strings: [] }

describe('facets', () => {
  it.each<readonly [string, Partial<Column>]>([
    ['"Éclair"', { strings: ['e\u0301clair'] }],
    ['"a\\u0062c"', { strings: ['abc'] }],
    ['""', { isEmpty: true }],
    ['[]', { isEmpty: true }],
    ['{}', { isEmpty: true }],
    ['null', { isNull: true }],
    ['true', { strings: ['true'] }],
    ['12.50', { numbers: [12.5] }],
    ['-1e3', { numbers: [-1000] }],
    ['[2,1,2,"x",false]', { numbers: [1, 2], strings: ['false', 'x'] }],
    ['[null]', {}],
    ['[""]', {}],
    ['[[],{}]', {}],
    ['[[3],["y"]]', { numbers: [3], strings: ['y'] }],
  ])('of %s', (json, column) => {
    expect(extractValue(json).columns['f']).toEqual({ ...NOTHING, ...column })
  })

  it('are extracted from objects and from nested values', () => {
    const { columns } = extractValue('[{"a":1},{"a":null,"b":[]}]')
    expect(columns).toEqual({
      f: NOTHING,
      'f.a': { ...NOTHING, isNull: true, numbers: [1] },
      'f.b': { ...NOTHING, isEmpty: true },
    })
  })

  it('are read as deep as the limit, and what follows is read in any case', () => {
    const nested = (depth: number): string => `${'['.repeat(depth)}5${']'.repeat(depth)}`
    const of = (json: string) => extractValue(json).columns
    expect(of(nested(NESTING_MAX))).toEqual({ f: { ...NOTHING, numbers: [5] } })
    expect(of(nested(NESTING_MAX + 1))).toEqual({ f: NOTHING })
    for (const [depth, numbers] of [
      [NESTING_MAX - 1, [5]],
      [NESTING_MAX, []],
    ] as const) {
      expect(of(`{"a":${nested(depth)},"b":7}`)).toEqual({
        f: NOTHING,
        'f.a': { ...NOTHING, numbers },
        'f.b': { ...NOTHING, numbers: [7] },
      })
    }
    const object = `${'['.repeat(NESTING_MAX)}{"b":1}${']'.repeat(NESTING_MAX)}`
    expect(of(`[${object.slice(1, -1)},2]`)).toEqual({ f: { ...NOTHING, numbers: [2] } })
  })

  it('a setting for a nested field does not affect the others', () => {
    const nested = settingsOf({ filterableAttributes: ['f.a'], sortableAttributes: ['g.b'] })
    const { columns } = extract(
      [
        ['f', '{"a":{"x":1},"b":2}'],
        ['g', '{"a":3,"b":4}'],
        ['h', '5'],
      ],
      nested,
    )
    expect(Object.keys(columns).sort()).toEqual(['f.a', 'f.a.x', 'g.b'])
  })
})

describe('places', () => {
  const geo = settingsOf({ filterableAttributes: ['_geo'] })
  const place = (json: string) => extract([['_geo', json]], geo)

  it('are two numbers, or texts that parse as numbers', () => {
    expect(place('{"lat":48.5,"lng":-2}').place).toEqual([48.5, -2])
    expect(place('{"lng":"7.25","lat":"1"}').place).toEqual([1, 7.25])
    expect(place('null').place).toBeNull()
    const { columns } = place('{"lat":"1","lng":2}')
    expect(columns['_geo.lat']?.numbers).toEqual([1])
    expect(columns['_geo.lng']?.numbers).toEqual([2])
  })

  it('are not read if no setting filters or sorts by them', () => {
    expect(extract([['_geo', '{"lat":"north"}']], defaultSettings()).place).toBeNull()
  })

  it.each([
    ['5', /is not an object/],
    ['{}', /latitude nor longitude/],
    ['{"lat":1}', /Could not find longitude/],
    ['{"lng":1}', /Could not find latitude/],
    ['{"lat":"x","lng":1}', /Could not parse latitude/],
    ['{"lat":1,"lng":[]}', /Could not parse longitude/],
    ['{"lat":true,"lng":[]}', /Could not parse latitude nor longitude/],
    ['{"lat":1,"lng":2,"alt":3}', /unexpected fields: `{"alt":3}`/],
  ])('%s is refused', (json, message) => {
    expect(() => place(json)).toThrow(EngineFault)
    expect(() => place(json)).toThrow(message)
  })
})

describe('any document', () => {
  const key = fc.constantFrom('a', 'b', 'a.b', 'é')
  const word = fc.constantFrom('red', 'fox', 'big')
  const scalar = fc.oneof(
    fc.array(word, { minLength: 1, maxLength: 3 }).map((all) => all.join(' ')),
    fc.nat(99),
    fc.boolean(),
    fc.constant(null),
  )
  const { value } = fc.letrec<{ value: Json }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      scalar,
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(key, tie('value'), { maxKeys: 3 }),
    ),
  }))
  const document = fc.dictionary(key, value, { maxKeys: 3 })
  const paths = fc.subarray(['a', 'a.b', 'b', 'a.a', 'é', 'b.a.b'])

  it('gives the words and facets of the naive model', () => {
    fc.assert(
      fc.property(document, paths, paths, (one: Document, searchable, filterable) => {
        const all = searchable.length === 0
        const settings = settingsOf({
          searchableAttributes: all ? ['*'] : searchable,
          filterableAttributes: filterable,
        })
        const isSearched = (name: string) => all || searchable.some((other) => covers(other, name))
        const members = Object.entries(one).map(
          ([name, json]) => [name, JSON.stringify(json)] as const,
        )
        const { words, columns } = extract(members, settings)
        const walk = new Walk(one)
        expect(words).toEqual(only(walk.words, isSearched))
        const isFaceted = (name: string) => filterable.some((other) => covers(other, name))
        expect(columns).toEqual(only(walk.columns, isFaceted))
      }),
    )
  })
})

const only = <T>(all: ReadonlyMap<string, T>, test: (name: string) => boolean) =>
  Object.fromEntries([...all].filter(([name]) => test(name)))

/** The naive model: extracts the content of a document by name. */
class Walk {
  readonly words = new Map<string, string[]>()
  readonly columns = new Map<string, Column>()
  readonly #next = new Map<string, number>()

  constructor(document: Document) {
    for (const [name, value] of Object.entries(document)) this.#value(name, value, false)
  }

  #value(name: string, value: Json, inArray: boolean): void {
    const isContainer = typeof value === 'object' && value !== null
    const isEmpty = isContainer && Object.keys(value).length === 0 && !inArray
    this.#column(name, { isNull: value === null && !inArray, isEmpty })
    if (Array.isArray(value)) for (const one of value) this.#value(name, one, true)
    else if (isContainer) {
      for (const [key, one] of Object.entries(value)) this.#value(`${name}.${key}`, one, false)
    } else if (value !== null) this.#scalar(name, value as string | number | boolean)
  }

  #scalar(name: string, value: string | number | boolean): void {
    if (typeof value === 'number') this.#column(name, { numbers: [value] })
    else this.#column(name, { strings: [String(value)] })
    const words = String(value).split(' ')
    const from = this.#next.get(name) ?? 0
    const found = this.words.get(name) ?? []
    this.words.set(name, [...found, ...words.map((word, i) => `${word}@${from + i}`)])
    this.#next.set(name, from + words.length - 1 + 8)
  }

  #column(name: string, more: Partial<Column>): void {
    const known = this.columns.get(name) ?? NOTHING
    const { isNull = false, isEmpty = false, numbers = [], strings = [] } = more
    this.columns.set(name, {
      exists: true,
      isNull: known.isNull || isNull,
      isEmpty: known.isEmpty || isEmpty,
      numbers: [...new Set([...known.numbers, ...numbers])].sort((a, b) => (a < b ? -1 : 1)),
      strings: [...new Set([...known.strings, ...strings])].sort(),
    })
  }
}
