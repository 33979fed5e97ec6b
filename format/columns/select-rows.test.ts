// The values of chosen elements as a segment: each document has those of its chosen rows, once.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { collect, openColumns, utf8 } from '../../fixtures/format/columns/model.ts'
import { IdSet } from '../idset/index.ts'
import { ColumnsBuilder, type ColumnsReader, selectRows } from './index.ts'

const PATH = 2
const FIELD = 6

type Value = number | string
/** By document: the values of its elements. */
type Docs = readonly (readonly (readonly Value[])[])[]

function readerOf(docs: Docs): ColumnsReader {
  const builder = new ColumnsBuilder((bytes, from, to) =>
    utf8(Buffer.from(bytes.subarray(from, to)).toString().toLowerCase()),
  )
  for (const [id, elements] of docs.entries()) {
    builder.begin(id)
    for (const values of elements) {
      builder.enter(PATH)
      builder.exists(FIELD)
      for (const value of values) {
        if (typeof value === 'number') builder.number(FIELD, value)
        else builder.string(FIELD, utf8(value))
      }
      builder.leave()
    }
  }
  return openColumns(collect((sink) => builder.finish(sink)))
}

const anyValues = fc.array(fc.oneof(fc.nat(9), fc.constantFrom('a', 'A', 'b', 'B', 'c')), {
  minLength: 1,
  maxLength: 12,
})
const anyDocs = fc.array(fc.array(anyValues, { maxLength: 4 }), { minLength: 1, maxLength: 8 })

test('a document has the values of its chosen elements', () => {
  fc.assert(
    fc.property(anyDocs, fc.infiniteStream(fc.boolean()), (docs, choices) => {
      const isChosen = docs.flat().map(() => choices.next().value === true)
      const reader = readerOf(docs)
      const rows = IdSet.of(isChosen.flatMap((is, row) => (is ? [row] : [])))
      const [space] = reader.spaces()
      const selected =
        space === undefined ? null : selectRows(reader, FIELD, [{ source: space, rows }])
      const field = selected?.field(FIELD) ?? null
      let row = 0
      for (const [id, elements] of docs.entries()) {
        const values = elements.flatMap((one) => (isChosen[row++] === true ? one : []))
        const numbers = values.filter((value) => typeof value === 'number')
        const texts = values.filter((value) => typeof value === 'string')
        const found = [...(field?.numbersOf(id) ?? [])].map((at) => Number(field!.numberAt(at)))
        expect(found).toEqual([...new Set(numbers)].sort((a, b) => a - b))
        const variants = [...(field?.variantsOf(id) ?? [])].map((variant) =>
          Buffer.from(field!.originalOf(variant)).toString().toLowerCase(),
        )
        expect(variants).toEqual([...new Set(texts.map((text) => text.toLowerCase()))].sort())
      }
    }),
  )
})
