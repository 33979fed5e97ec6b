// Whether the numbers of a column may be rounded, at both bounds of large whole numbers.
import { expect, it } from 'vitest'
import type { FieldData } from '../fields/field-data.ts'
import { writeField } from '../fields/field-v1.ts'
import { FieldSets, Members } from '../fields/index.ts'
import { writtenBlock } from '../fields/test-block.ts'
import type { FieldId } from '../ids.ts'
import { IdSet } from '../idset/index.ts'
import { NumberColumn } from './number-column.ts'

/** Returns a column without residues, whose value `i` is that of document `i`. */
function columnOf(numbers: readonly number[]): NumberColumn {
  const ids = Uint32Array.from(numbers.keys())
  const none = new Uint32Array(0)
  const rows = { holders: ids, starts: Uint32Array.of(...ids, ids.length), ordinals: ids }
  const field: FieldData = {
    fieldId: 3 as FieldId,
    exists: ids,
    nulls: none,
    empties: none,
    blanks: none,
    numbers: { values: Float64Array.from(numbers), residues: null, rows },
    strings: null,
  }
  const docs = { ids, first: 0, last: ids.length - 1 }
  const { section, reader } = writtenBlock((out) => writeField(field, docs, out)).open()
  const bounds = { first: 0, last: docs.last, count: ids.length }
  const sets = new FieldSets(section, new Members(IdSet.ofSorted(ids)), bounds, reader)
  expect([reader.head.varint(), reader.head.varint()]).toEqual([ids.length, 0])
  return new NumberColumn(section, ids.length, bounds, sets, reader)
}

it.each([
  [[2 ** 53 - 1], false],
  [[2 ** 53], true],
  [[2 ** 64], true],
  [[2 ** 64 + 4096], false],
  [[1 - 2 ** 53], false],
  [[-(2 ** 53)], true],
  [[-(2 ** 64)], true],
  [[-(2 ** 64) - 4096], false],
  [[-1e300, -0.5, 0.5, 1e300], false],
  [[-1e300, -(2 ** 60), 0.5, 1e300], true],
  [[-1e300, 0.5, 2 ** 60, 1e300], true],
  [[1, 2, 300], false],
])('numbers %j have a large one: %s', (numbers, hasLarge) => {
  const column = columnOf(numbers)
  expect(column.hasLarge()).toBe(hasLarge)
  expect(column.hasResidues).toBe(false)
  for (const [i, number] of numbers.entries()) {
    expect([column.at(i), column.find(number), column.residueAt(i)]).toEqual([number, i, 0])
    expect([column.lowerBound(number), column.upperBound(number)]).toEqual([i, i + 1])
  }
  expect([column.find(7.25), column.find(Number.MAX_VALUE)]).toEqual([-1, -1])
})
