// Merges the values of one field of several segments or spaces.
import { hasLarge, isBelow } from '../bytes/index.ts'
import { assert, refuse } from '../errors.ts'
import { exactOrder, type FieldData, type NumbersData } from '../fields/index.ts'
import type { FieldId } from '../ids.ts'
import type { IdSet } from '../idset/index.ts'
import type { FieldReader } from './field-reader.ts'
import { type FieldInput, type LiveRows, liveRows, mergeRows } from './merge-rows.ts'
import { mergeStrings } from './merge-strings.ts'
import type { NumberColumn } from './number-column.ts'

/** Returns the field of all inputs, or null if no live document or row has it. */
export function mergeField(fieldId: FieldId, inputs: readonly FieldInput[]): FieldData | null {
  const merged: FieldData = {
    fieldId,
    exists: mergeSets(inputs, (field) => field.exists()),
    nulls: mergeSets(inputs, (field) => field.nulls()),
    empties: mergeSets(inputs, (field) => field.empties()),
    blanks: mergeSets(inputs, (field) => field.blanks()),
    numbers: mergeNumbers(inputs),
    strings: mergeStrings(inputs),
  }
  const sets = merged.exists.length + merged.nulls.length + merged.empties.length
  const isEmpty = sets + merged.blanks.length === 0 && merged.numbers === null
  return isEmpty && merged.strings === null ? null : merged
}

function mergeSets(
  inputs: readonly FieldInput[],
  setOf: (field: FieldReader) => IdSet,
): Uint32Array {
  return mergeIds(inputs.map((input) => mapped(setOf(input.field).andNot(input.dead), input)))
}

/** Returns the ids in the result, ascending; ids that become one are repeated. */
function mapped(set: IdSet, { map }: FieldInput): Uint32Array {
  const ids = set.toArray()
  if (map === null) return ids
  const found = new Uint32Array(ids.length)
  for (let i = 0; i < ids.length; i++) found[i] = map[ids[i]!]!
  return found
}

/** Returns the union of ascending lists, each id once. */
export function mergeIds(lists: readonly Uint32Array[]): Uint32Array {
  const filled = lists.filter((list) => list.length > 0)
  let total = 0
  for (const list of filled) total += list.length
  let merged = filled[0] ?? new Uint32Array(0)
  if (filled.length > 1) {
    merged = new Uint32Array(total)
    let at = 0
    for (const list of filled) {
      merged.set(list, at)
      at += list.length
    }
    merged.sort()
  }
  let n = 0
  while (n < total && (n === 0 || merged[n]! > merged[n - 1]!)) n++
  if (n === total) return merged
  const distinct = merged.slice()
  for (let i = n; i < total; i++) if (merged[i]! > distinct[n - 1]!) distinct[n++] = merged[i]!
  return distinct.subarray(0, n)
}

/** Values in order, with residues as in `NumbersData`. */
type Values = Omit<NumbersData, 'rows'>

function mergeNumbers(inputs: readonly FieldInput[]): NumbersData | null {
  const live: LiveRows[] = []
  const used: Values[] = []
  for (const input of inputs) {
    const { numbers } = input.field
    if (numbers === null) continue
    const rows = liveRows(numbers.rows, input)
    if (rows.ids.length === 0) continue
    live.push(rows)
    used.push(usedValues(numbers, rows.used))
  }
  if (live.length === 0) return null
  const isExact = used.some(({ residues }) => residues !== null)
  const merged = isExact ? mergeExactly(used) : { values: mergeValues(used), residues: null }
  const maps: Uint32Array[] = []
  for (let i = 0; i < live.length; i++) maps.push(ordinalMap(live[i]!.used, used[i]!, merged))
  return { ...merged, rows: mergeRows(live, maps) }
}

/** Returns the values that live documents have. Checks the order of all. @throws CorruptionError */
function usedValues(numbers: NumberColumn, used: Uint8Array): Values {
  const values = new Float64Array(numbers.count)
  const residues = numbers.hasResidues ? new Int16Array(numbers.count) : null
  let count = 0
  for (let o = 0; o < values.length; o++) {
    if (o > 0 && !isBelow(numbers.at(o - 1), numbers.at(o))) {
      refuse('DATA', o, 'bad_order', `above ${numbers.at(o - 1)}`, String(numbers.at(o)))
    }
    if (used[o] === 0) continue
    if (residues !== null) residues[count] = numbers.residueAt(o)
    values[count++] = numbers.doubleAt(o)
  }
  return { values: values.subarray(0, count), residues: residues?.subarray(0, count) ?? null }
}

/** Returns all distinct values, in order. */
function mergeValues(lists: readonly Values[]): Float64Array {
  const all = joined(lists)
  all.sort()
  let n = 0
  for (let i = 0; i < all.length; i++) {
    if (n === 0 || !Object.is(all[i], all[n - 1])) all[n++] = all[i]!
  }
  return all.slice(0, n)
}

function joined(lists: readonly Values[]): Float64Array {
  let total = 0
  for (const { values } of lists) total += values.length
  const all = new Float64Array(total)
  let n = 0
  for (const { values } of lists) {
    all.set(values, n)
    n += values.length
  }
  return all
}

/** Does the same for values with residues. */
function mergeExactly(lists: readonly Values[]): Values {
  const values = joined(lists)
  const residues = new Int16Array(values.length)
  let at = 0
  for (const list of lists) {
    if (list.residues !== null) residues.set(list.residues, at)
    at += list.values.length
  }
  const all = { values, residues }
  let n = 0
  const order = exactOrder(values, residues)
  for (let i = 0; i < order.length; i++) {
    if (n === 0 || !isSame(all, order[i]!, all, order[n - 1]!)) order[n++] = order[i]!
  }
  const distinct = Float64Array.from(order.subarray(0, n), (i) => values[i]!)
  // Without large numbers, a segment of these documents has no residues.
  if (!hasLarge(distinct)) return { values: distinct, residues: null }
  return { values: distinct, residues: Int16Array.from(order.subarray(0, n), (i) => residues[i]!) }
}

const isSame = (a: Values, i: number, b: Values, j: number): boolean =>
  Object.is(a.values[i], b.values[j]) && (a.residues?.[i] ?? 0) === (b.residues?.[j] ?? 0)

/** Maps the used ordinals of an input to ordinals among the merged values. */
function ordinalMap(used: Uint8Array, own: Values, merged: Values): Uint32Array {
  const map = new Uint32Array(used.length)
  let at = 0
  let next = 0
  for (let o = 0; o < used.length; o++) {
    if (used[o] === 0) continue
    while (!isSame(merged, at, own, next)) at++
    map[o] = at
    next++
  }
  assert(next === own.values.length, 'each used ordinal has a value')
  return map
}
