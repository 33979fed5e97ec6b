// Elements: what is read back, merges that give the bytes of a build, damage, and golden bytes.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { collect, openColumns, utf8 } from '../../fixtures/format/columns/model.ts'
import { expectGolden } from '../../fixtures/golden.ts'
import type { Note } from '../annotate/index.ts'
import { CorruptionError, VersionError } from '../errors.ts'
import { Frame } from '../frame/index.ts'
import { IdSet } from '../idset/index.ts'
import type { ElementSpace } from './elements-v1.ts'
import {
  ColumnsBuilder,
  type ColumnsReader,
  checkColumns,
  elementsFit,
  mergeColumns,
} from './index.ts'

/** An element at a path, with values of fields and elements inside it. */
type Element = {
  readonly path: number
  readonly values: readonly (readonly [field: number, value: number | string | null])[]
  readonly inner: readonly Element[]
}
type Doc = { readonly id: number; readonly elements: readonly Element[] }

function addElement(builder: ColumnsBuilder, { path, values, inner }: Element): void {
  builder.enter(path)
  for (const [field, value] of values) {
    builder.exists(field)
    if (value === null) builder.isNull(field)
    else if (typeof value === 'number') builder.number(field, value)
    else builder.string(field, utf8(value))
  }
  for (const one of inner) addElement(builder, one)
  builder.leave()
}

function encode(docs: readonly Doc[]): Uint8Array {
  const builder = new ColumnsBuilder((bytes, from, to) => bytes.slice(from, to))
  for (const { id, elements } of docs) {
    builder.begin(id)
    for (const element of elements) addElement(builder, element)
  }
  return collect((sink) => builder.finish(sink))
}

const readerOf = (docs: readonly Doc[]): ColumnsReader => openColumns(encode(docs))

const anyValues = fc.array(
  fc.tuple(fc.constantFrom(6, 7), fc.constantFrom<number | string | null>(1, 2, 'a', 'b', null)),
  { maxLength: 2 },
)
const anyInner: fc.Arbitrary<Element> = fc.record({
  path: fc.constantFrom(4, 5),
  values: anyValues,
  inner: fc.constant([]),
})
const anyElement: fc.Arbitrary<Element> = fc.record({
  path: fc.constantFrom(2, 3),
  values: anyValues,
  inner: fc.array(anyInner, { maxLength: 3 }),
})
const anyDocs: fc.Arbitrary<Doc[]> = fc
  .uniqueArray(fc.nat(90), { minLength: 1, maxLength: 20 })
  .chain((ids) =>
    fc
      .array(fc.array(anyElement, { maxLength: 3 }), {
        minLength: ids.length,
        maxLength: ids.length,
      })
      .map((all) => ids.sort((a, b) => a - b).map((id, i) => ({ id, elements: all[i]! }))),
  )

/** The elements that have a value: `owner path: values` for each, inner ones within their element. */
const described = (docs: readonly Doc[]): string[] =>
  docs.flatMap(({ id, elements }) => elements.flatMap((one) => linesOf(one, `${id}`)))

const hasValue = ({ values, inner }: Element): boolean => values.length > 0 || inner.some(hasValue)

function linesOf(element: Element, owner: string): string[] {
  if (!hasValue(element)) return []
  const all = (one: Element): Element['values'] => [...one.values, ...one.inner.flatMap(all)]
  const texts = [...new Set(all(element).map(([field, value]) => `${field}=${value}`))].sort()
  const line = `${owner} ${element.path}: ${texts.join(' ')}`
  return [line, ...element.inner.flatMap((one) => linesOf(one, `${owner}/${element.path}`))]
}

/** The same from a segment. */
function read(reader: ColumnsReader): string[] {
  const lines: string[] = []
  for (const space of reader.spaces()) {
    for (let row = 0; row < space.docCount; row++) {
      const values = [...space.fieldIds].flatMap((id) => {
        const field = space.field(id)!
        const numbers = [...field.numbersOf(row)].map((ordinal) => String(field.numberAt(ordinal)))
        const texts = [...field.variantsOf(row)].map((variant) =>
          Buffer.from(field.originalOf(variant)).toString(),
        )
        const all = [...numbers, ...texts, ...(field.nulls().has(row) ? ['null'] : [])]
        return all.map((value) => `${id}=${value}`)
      })
      lines.push(`${ownerOf(space, row)} ${space.path}: ${values.sort().join(' ')}`)
    }
  }
  return lines
}

function ownerOf(space: ElementSpace, row: number): string {
  const [owner] = space.ownersOf(IdSet.of([row])).toArray()
  expect(space.rowsOf(IdSet.of([owner!])).has(row)).toBe(true)
  return space.parent === null
    ? String(owner)
    : `${ownerOf(space.parent, owner!)}/${space.parent.path}`
}

describe('elements', () => {
  it('are read back with their owners and values', () => {
    fc.assert(
      fc.property(anyDocs, (docs) => {
        const reader = readerOf(docs)
        expect(read(reader).sort()).toEqual(described(docs).sort())
        checkColumns(Frame.open(encode(docs), 'COLS'))
      }),
      { numRuns: 80 },
    )
  })

  it('of merged segments have the bytes of a build', () => {
    fc.assert(
      fc.property(anyDocs, anyDocs, fc.array(fc.nat(2), { minLength: 20 }), (docs, old, homes) => {
        const inputs = [0, 1, 2].flatMap((home) => {
          const live = docs.filter((_, i) => homes[i] === home)
          const stale = old.filter(({ id }) => live.every((one) => one.id !== id))
          const all = [...live, ...stale].sort((a, b) => a.id - b.id)
          if (all.length === 0) return []
          return [{ reader: readerOf(all), dead: IdSet.of(stale.map(({ id }) => id)) }]
        })
        const merged = collect((sink) => mergeColumns(inputs, sink))
        expect(Buffer.compare(merged, encode(docs))).toBe(0)
      }),
      { numRuns: 80 },
    )
  })

  it('map any rows to their owners and back', () => {
    const docs = Array.from({ length: 500 }, (_, id): Doc => {
      const element: Element = { path: 2, values: [[6, id % 7]], inner: [] }
      return { id: id * 2, elements: Array.from({ length: (id * 7) % 5 }, () => element) }
    })
    const space = readerOf(docs).spaces()[0]!
    const owners = docs.flatMap(({ id, elements }) => elements.map(() => id))
    for (const step of [1, 2, 9, 80, 700]) {
      const rows = owners.map((_, row) => row).filter((row) => row % step === 0)
      const expected = new Set(rows.map((row) => owners[row]!))
      expect(new Set(space.ownersOf(IdSet.of(rows)).toArray())).toEqual(expected)
      const back = owners.flatMap((owner, row) => (expected.has(owner) ? [row] : []))
      expect([...space.rowsOf(IdSet.of(expected)).toArray()]).toEqual(back)
    }
  })
})

const SMALL: readonly Doc[] = [
  {
    id: 7,
    elements: [
      { path: 2, values: [[6, 1]], inner: [] },
      { path: 2, values: [[6, 2]], inner: [{ path: 4, values: [[7, 'a']], inner: [] }] },
    ],
  },
  { id: 8, elements: [] },
]

describe('the elements of several segments', () => {
  it('fit into one if the largest spaces together stay below the limit', () => {
    const row: Element = { path: 2, values: [[6, 1]], inner: [] }
    const elements = (count: number): Element[] => Array.from({ length: count }, () => row)
    const inner = { ...row, path: 3, inner: elements(4) }
    const readers = [
      readerOf([{ id: 1, elements: [] }]),
      readerOf([{ id: 2, elements: elements(3) }]),
      readerOf([{ id: 3, elements: [...elements(2), inner] }]),
    ]
    expect([7, 8].map((limit) => elementsFit(readers, limit))).toEqual([false, true])
    expect([1, 0].map((limit) => elementsFit(readers.slice(0, 1), limit))).toEqual([true, false])
    expect(elementsFit(readers)).toBe(true)
  })
})

describe('damaged elements', () => {
  const bytes = encode(SMALL)
  const frame = Frame.open(bytes, 'COLS')

  it('are refused for every flipped bit', () => {
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = bytes.slice()
      flipped[bit >>> 3]! ^= 1 << (bit & 7)
      const check = (): void => checkColumns(Frame.open(flipped, 'COLS'))
      expect(check, `bit ${bit}`).toThrow()
    }
  })

  it('are refused with right checksums if numbers contradict each other', async () => {
    const { encodeFrame } = await import('../frame/writer-v1.ts')
    const section = frame.section('ELEM').bytes
    let refused = 0
    for (let bit = 0; bit < section.length * 8; bit++) {
      const flipped = section.slice()
      flipped[bit >>> 3]! ^= 1 << (bit & 7)
      const other = encodeFrame('COLS', (writer) => {
        writer.section('DATA', 1, frame.section('DATA').bytes)
        writer.section('FLDS', 1, frame.section('FLDS').bytes)
        writer.section('ELEM', 1, flipped)
      })
      try {
        checkColumns(Frame.open(other, 'COLS'))
      } catch (error) {
        const isTyped = error instanceof CorruptionError || error instanceof VersionError
        expect(isTyped, `bit ${bit}: ${error}`).toBe(true)
        refused++
      }
    }
    // Other field ids and paths are right elsewhere.
    expect(refused).toBeGreaterThan(section.length * 5)
  })
})

/** Lengths and meanings, without gaps. */
const NOTES = (
  [
    [16, 'frame header: "SVCF", kind "COLS", version 1'],
    [29, 'DATA: field 6 of the documents'],
    [3, 'padding'],
    [25, 'field 7 of the documents'],
    [7, 'padding'],
    [25, 'field 6 of the rows of space 1'],
    [7, 'padding'],
    [25, 'field 7 of the rows of space 1'],
    [7, 'padding'],
    [23, 'field 7 of the rows of space 2'],
    [1, 'padding'],
    [16, 'FLDS: 2 documents, 7 to 8, 2 fields'],
    [24, 'fields 6 and 7'],
    [8, 'ELEM: 2 spaces'],
    [24, 'space 1: path 2, 2 fields, in documents, 2 rows, 1 owner, parts at 56, 18 bytes of set'],
    [24, 'space 2: path 4, 1 field, in space 1, 1 row, 1 owner, parts at 100, 18 bytes of set'],
    [24, 'space 1: fields 6 and 7'],
    [2, 'starts: 0, 2'],
    [18, 'owners: document 7'],
    [12, 'space 2: field 7'],
    [18, 'owners: row 1'],
    [2, 'padding'],
    [32, 'section table: DATA'],
    [32, 'FLDS'],
    [32, 'ELEM'],
    [4, 'page checksum'],
    [32, 'footer'],
  ] as const
).reduce<Note[]>((notes, [length, text]) => {
  const from = notes.at(-1)?.to ?? 0
  notes.push({ from, to: from + length, text })
  return notes
}, [])

describe('golden bytes', () => {
  it('of elements', () => {
    const bytes = encode(SMALL)
    const shown = expectGolden('columns/v1/elements', bytes, NOTES)
    expect(read(openColumns(shown))).toEqual(['7 2: 6=1', '7 2: 6=2 7=a', '7/2 4: 7=a'])
  })
})
