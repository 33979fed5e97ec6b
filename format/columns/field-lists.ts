// The values of fields while a segment is built, and the fields that become of them. Lists hold ids
// and interned values; sorting numbers and strings is done once for all fields of a segment.
import { hasLarge } from '../bytes/index.ts'
import { assert } from '../errors.ts'
import {
  type ByteInterner,
  compareSlices,
  exactOrder,
  FIELD_IDS_MAX,
  type FieldData,
  NumberInterner,
  type NumbersData,
  numberRows,
  type SortedStrings,
  type StringsData,
  sortedStrings,
  stringRows,
  Uint32List,
} from '../fields/index.ts'
import type { FieldId } from '../ids.ts'

/**
 * The collected content of one field. `…Docs` lists hold ids of documents or rows; value lists are
 * parallel to them.
 */
export type FieldList = {
  readonly exists: Uint32List
  readonly nulls: Uint32List
  readonly empties: Uint32List
  readonly blanks: Uint32List
  readonly numberDocs: Uint32List
  readonly numbers: Uint32List
  readonly stringDocs: Uint32List
  readonly strings: Uint32List
}

/** The fields of the documents of a segment, or of the rows of one space. */
export class FieldLists {
  /** Few of the possible ids: an array would have a place for each id below the largest one. */
  readonly #fields = new Map<FieldId, FieldList>()

  /** Returns the lists of a field, which are created on first use. */
  of(fieldId: FieldId): FieldList {
    const existing = this.#fields.get(fieldId)
    if (existing !== undefined) return existing
    assert(fieldId >= 0 && fieldId < FIELD_IDS_MAX, 'a field id is a u16')
    const field: FieldList = {
      exists: new Uint32List(4),
      nulls: new Uint32List(1),
      empties: new Uint32List(1),
      blanks: new Uint32List(1),
      numberDocs: new Uint32List(4),
      numbers: new Uint32List(4),
      stringDocs: new Uint32List(4),
      strings: new Uint32List(4),
    }
    this.#fields.set(fieldId, field)
    return field
  }

  /** Returns the fields in order, one at a time: each takes memory. */
  *data(numbers: SortedNumbers, strings: SortedStrings): Generator<FieldData> {
    for (const [fieldId, field] of [...this.#fields].sort(([a], [b]) => a - b)) {
      yield fieldData(fieldId, field, numbers, strings)
    }
  }
}

/** Adds an id to an ascending list; returns false if it was there already. */
export function addOnce(list: Uint32List, id: number): boolean {
  if (list.length > 0 && list.last === id) return false
  list.push(id)
  return true
}

/** All distinct numbers of the segment in order, and the rank of each by its interned id. */
export type SortedNumbers = {
  readonly values: Float64Array
  /** Null if all are 0. */
  readonly residues: Int16Array | null
  readonly ranks: Uint32Array
}

export function sortedNumbers({ values: interned, residues }: NumberInterner): SortedNumbers {
  if (residues !== null) return sortedExactly(interned, residues)
  const values = interned.slice().sort()
  const sorted = new NumberInterner()
  for (let rank = 0; rank < values.length; rank++) sorted.intern(values[rank]!)
  const ranks = new Uint32Array(values.length)
  for (let id = 0; id < interned.length; id++) ranks[id] = sorted.intern(interned[id]!)
  return { values, residues: null, ranks }
}

function sortedExactly(values: Float64Array, residues: Int16Array): SortedNumbers {
  const order = exactOrder(values, residues)
  const ranks = new Uint32Array(order.length)
  for (let rank = 0; rank < order.length; rank++) ranks[order[rank]!] = rank
  return {
    values: Float64Array.from(order, (id) => values[id]!),
    residues: Int16Array.from(order, (id) => residues[id]!),
    ranks,
  }
}

/** `normalisedOf`: by id of an original, the id of its normalised string. */
export function sortedStringsOf(
  originals: ByteInterner,
  normalised: ByteInterner,
  normalisedOf: Uint32Array,
): SortedStrings {
  const { count, starts } = normalised
  const order = sortedStrings(normalised.bytes, starts, starts.subarray(1), count)
  const ranks = new Uint32Array(count)
  for (let rank = 0; rank < count; rank++) ranks[order[rank]!] = rank
  const blank = count > 0 && starts[order[0]!] === starts[order[0]! + 1] ? 0 : -1
  return {
    normalised,
    originals,
    order,
    blank,
    ...sortedOriginals(originals, normalisedOf, ranks),
  }
}

/** Orders originals by the rank of their normalised string, then by their bytes. */
function sortedOriginals(
  originals: ByteInterner,
  normalisedOf: Uint32Array,
  ranks: Uint32Array,
): Pick<SortedStrings, 'variantRanks' | 'variantOrder' | 'normalisedRanks'> {
  const count = originals.count
  const next = new Uint32Array(ranks.length + 1)
  for (let o = 0; o < count; o++) next[ranks[normalisedOf[o]!]! + 1]!++
  for (let r = 0; r < ranks.length; r++) next[r + 1]! += next[r]!
  const ends = next.slice(1)
  const variantOrder = new Uint32Array(count)
  for (let o = 0; o < count; o++) variantOrder[next[ranks[normalisedOf[o]!]!]!++] = o
  const normalisedRanks = new Uint32Array(count)
  const { bytes, starts } = originals
  for (let rank = 0, from = 0; rank < ranks.length; rank++) {
    const to = ends[rank]!
    normalisedRanks.fill(rank, from, to)
    if (to - from > 1) {
      const group = variantOrder.subarray(from, to)
      group.sort((a, b) =>
        compareSlices(bytes, starts[a]!, starts[a + 1]!, bytes, starts[b]!, starts[b + 1]!),
      )
    }
    from = to
  }
  const variantRanks = new Uint32Array(count)
  for (let rank = 0; rank < count; rank++) variantRanks[variantOrder[rank]!] = rank
  return { variantRanks, variantOrder, normalisedRanks }
}

function fieldData(
  fieldId: FieldId,
  field: FieldList,
  numbers: SortedNumbers,
  strings: SortedStrings,
): FieldData {
  const blanks: Uint32List = field.blanks
  return {
    fieldId,
    exists: field.exists.view(),
    nulls: field.nulls.view(),
    empties: field.empties.view(),
    numbers: numbersOf(field, numbers),
    strings: stringsOf(field, strings, blanks),
    blanks: blanks.view(),
  }
}

function numbersOf(field: FieldList, sorted: SortedNumbers): NumbersData | null {
  if (field.numbers.length === 0) return null
  const { rows, used } = numberRows(field.numberDocs.view(), field.numbers.view(), sorted.ranks)
  const values = new Float64Array(used.length)
  for (let i = 0; i < used.length; i++) values[i] = sorted.values[used[i]!]!
  if (!hasLarge(values)) return { values, residues: null, rows }
  const residues = Int16Array.from(used, (rank) => sorted.residues?.[rank] ?? 0)
  return { values, residues, rows }
}

/**
 * Returns the strings of a field, or null without any. Adds the documents with a blank to `blanks`.
 */
function stringsOf(
  field: FieldList,
  sorted: SortedStrings,
  blanks: Uint32List,
): StringsData | null {
  const docs = field.stringDocs.view()
  const { rows, used } = stringRows(docs, field.strings.view(), sorted, blanks)
  if (used.length === 0) return null
  const normalisedOf = new Uint32Array(used.length)
  const textStarts = new Uint32Array(used.length)
  const textEnds = new Uint32Array(used.length)
  const keyStarts = new Uint32Array(used.length)
  const keyEnds = new Uint32Array(used.length)
  let count = 0
  let last = -1
  for (let v = 0; v < used.length; v++) {
    const original = sorted.variantOrder[used[v]!]!
    textStarts[v] = sorted.originals.starts[original]!
    textEnds[v] = sorted.originals.starts[original + 1]!
    const rank = sorted.normalisedRanks[used[v]!]!
    if (rank !== last) {
      const id = sorted.order[rank]!
      keyStarts[count] = sorted.normalised.starts[id]!
      keyEnds[count++] = sorted.normalised.starts[id + 1]!
      last = rank
    }
    normalisedOf[v] = count - 1
  }
  return {
    normalised: {
      bytes: sorted.normalised.bytes,
      starts: keyStarts.subarray(0, count),
      ends: keyEnds.subarray(0, count),
    },
    originals: { bytes: sorted.originals.bytes, starts: textStarts, ends: textEnds },
    normalisedOf,
    rows,
  }
}
