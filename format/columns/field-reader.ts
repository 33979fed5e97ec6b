// One field of one segment, read in place: sets, values, postings, rows · layout:
// ../fields/FIELDS.md, "Block"
//
// Opening reads only the head, about 50 bytes. Ids of holders and array views cost more, so they
// are created on first use and cached: a reader lives as long as its segment is open.
import type { ExactNumber } from '../bytes/index.ts'
import { assert, refuse } from '../errors.ts'
import {
  type FieldSetName,
  FieldSets,
  type IdBounds,
  type Members,
  type Packed,
  PartReader,
  STRING_BYTES_MAX,
  type StringWalk,
} from '../fields/index.ts'
import type { Section } from '../frame/index.ts'
import type { DocId, FieldId, ValueOrdinal } from '../ids.ts'
import type { IdSet, IdUnion } from '../idset/index.ts'
import { NumberColumn } from './number-column.ts'
import { StringColumn } from './string-column.ts'

/** The sort key of a document without a value; larger than all other keys. */
export const NO_KEY = 0xffffffff

const NO_VALUES = new Uint8Array(0)

export class FieldReader {
  readonly fieldId: FieldId
  /** Null if no document has a number in the field. */
  readonly numbers: NumberColumn | null
  /** Null if no document has a string in the field. */
  readonly strings: StringColumn | null
  readonly #sets: FieldSets

  /** Reads the head of the block at `place` in the section. @throws CorruptionError */
  constructor(
    fieldId: FieldId,
    section: Section,
    place: { readonly at: number; readonly headLength: number; readonly length: number },
    docs: Members,
    bounds: IdBounds,
  ) {
    const reader = new PartReader(section, place.at, place.headLength, place.length)
    this.fieldId = fieldId
    this.#sets = new FieldSets(section, docs, bounds, reader)
    const numbers = reader.head.varint()
    const strings = reader.head.varint()
    // Each value has an entry of at least one byte, so a block has at most as many values as bytes.
    reader.expect(numbers <= place.length, `at most ${place.length} numbers`, numbers)
    reader.expect(strings <= place.length, `at most ${place.length} strings`, strings)
    const sets = this.#sets
    this.numbers = numbers > 0 ? new NumberColumn(section, numbers, bounds, sets, reader) : null
    this.strings = strings > 0 ? new StringColumn(section, strings, bounds, sets, reader) : null
    reader.finish()
  }

  /** Returns the documents that have the field, including null and empty ones. */
  exists(): IdSet {
    return this.#sets.get('exists')
  }

  nulls(): IdSet {
    return this.#sets.get('nulls')
  }

  /** Returns the documents in which the field is an empty list, object or string. */
  empties(): IdSet {
    return this.#sets.get('empties')
  }

  /**
   * Returns the documents with a string that normalises to nothing. Only `distinct` treats it as a
   * value.
   */
  blanks(): IdSet {
    return this.#sets.get('blanks')
  }

  /** Returns the documents with a number. */
  numberHolders(): IdSet {
    return this.#sets.get('numbers')
  }

  /** Returns the documents with a string. */
  stringHolders(): IdSet {
    return this.#sets.get('strings')
  }

  /** Returns a set with ranks. */
  members(name: FieldSetName): Members {
    return this.#sets.members(name)
  }

  /** Number of distinct numbers. */
  get numberCount(): number {
    return this.numbers === null ? 0 : this.numbers.count
  }

  /** Returns number `ordinal`. */
  numberAt(ordinal: ValueOrdinal): ExactNumber {
    return this.#numbers().at(ordinal)
  }

  /** Returns the first ordinal whose number is at least `value`. -0 is below 0. */
  numberLowerBound(value: ExactNumber): number {
    return this.numbers === null ? 0 : this.numbers.lowerBound(value)
  }

  /** Returns the first ordinal whose number is above `value`. */
  numberUpperBound(value: ExactNumber): number {
    return this.numbers === null ? 0 : this.numbers.upperBound(value)
  }

  /** Returns the ordinal of a number, or -1. */
  findNumber(value: ExactNumber): number {
    return this.numbers === null ? -1 : this.numbers.find(value)
  }

  /** Adds the documents with a number among the ordinals [from, to) to `union`. */
  addNumbers(from: number, to: number, union: IdUnion): void {
    if (from < to) this.#numbers().postings.addRange(from, to, union)
  }

  numberPosting(ordinal: ValueOrdinal): IdSet {
    return this.#numbers().postings.get(ordinal)
  }

  /** Returns the number ordinals of document `id`, ascending; a view. */
  numbersOf(id: DocId): Packed {
    return this.numbers === null ? NO_VALUES : this.numbers.rows.of(id)
  }

  /** Number of distinct normalised strings. */
  get stringCount(): number {
    return this.strings === null ? 0 : this.strings.count
  }

  /** Returns a copy of normalised string `ordinal`. */
  stringAt(ordinal: ValueOrdinal): Uint8Array {
    return this.#strings().dictionary.get(ordinal)
  }

  /** Returns the first ordinal whose string is at least `key`, in byte order. */
  stringLowerBound(key: Uint8Array): number {
    return this.strings === null ? 0 : this.strings.dictionary.lowerBound(key)
  }

  /** Returns the first ordinal whose string is above `key`. */
  stringUpperBound(key: Uint8Array): number {
    return this.strings === null ? 0 : this.strings.dictionary.upperBound(key)
  }

  /**
   * Returns the end of the ordinals whose strings begin with `prefix`; they start at
   * `stringLowerBound(prefix)`.
   */
  stringPrefixEnd(prefix: Uint8Array): number {
    const end = prefixEnd(prefix)
    return end === null ? this.stringCount : this.stringLowerBound(end)
  }

  /** Returns the ordinal of a string, or -1. */
  findString(key: Uint8Array): number {
    if (this.strings === null || key.length > STRING_BYTES_MAX) return -1
    return this.strings.dictionary.find(key)
  }

  /**
   * Returns a walk over all strings in order that allocates nothing per string, or null if there
   * are no strings.
   */
  walkStrings(): StringWalk | null {
    return this.strings === null ? null : this.strings.dictionary.walk()
  }

  /** Adds the documents with a string among the ordinals [from, to) to `union`. */
  addStrings(from: number, to: number, union: IdUnion): void {
    if (from < to) this.#strings().postings.addRange(from, to, union)
  }

  stringPosting(ordinal: ValueOrdinal): IdSet {
    return this.#strings().postings.get(ordinal)
  }

  /** Returns the variants of document `id`, ascending; a view. */
  variantsOf(id: DocId): Packed {
    return this.strings === null ? NO_VALUES : this.strings.rows.of(id)
  }

  /** Returns the normalised ordinal of a variant. */
  normalisedOf(variant: number): number {
    return this.#strings().originals.normalisedOf(variant)
  }

  /** Returns the text of a variant as it was written; a copy. */
  originalOf(variant: number): Uint8Array {
    return this.#strings().originalOf(variant)
  }

  /** Returns the variant of string `ordinal` in document `id`, or -1. */
  variantIn(id: DocId, ordinal: ValueOrdinal): number {
    return this.#strings().variantIn(id, ordinal)
  }

  /**
   * Writes a sort key for each of the ascending ids[from, to) into `keys` from index 0 on. Smaller
   * keys come first, in both directions: numbers, then strings, then `NO_KEY`. A document with
   * several values has the key of its smallest value if ascending and of its largest if descending.
   * `keyValue` returns the value of a key.
   */
  sortKeys(
    ids: Uint32Array,
    from: number,
    to: number,
    descending: boolean,
    keys: Uint32Array,
  ): void {
    const count = to - from
    assert(count >= 0 && keys.length >= count, 'there is room for a key of each document')
    const { numbers, strings } = this
    if (strings === null) keys.fill(NO_KEY, 0, count)
    else {
      strings.rows.extremes(ids, from, to, descending, NO_KEY, keys)
      placeStringKeys(keys, count, this.numberCount, strings, descending)
    }
    if (numbers === null) return
    const ordinals = new Uint32Array(count)
    numbers.rows.extremes(ids, from, to, descending, NO_KEY, ordinals)
    const top = numbers.count - 1
    for (let i = 0; i < count; i++) {
      const ordinal = ordinals[i]!
      if (ordinal !== NO_KEY) keys[i] = descending ? top - ordinal : ordinal
    }
  }

  /**
   * Returns the value of a sort key: a number, a normalised string's bytes, or null.
   * @throws CorruptionError for a key, read from a row, that has no value
   */
  keyValue(key: number, descending: boolean): ExactNumber | Uint8Array | null {
    if (key === NO_KEY) return null
    const numbers = this.numberCount
    if (key < numbers) return this.numberAt(descending ? numbers - 1 - key : key)
    if (this.strings === null) refuse('DATA', 0, 'bad_value', `a key below ${numbers}`, key)
    const ordinal = key - numbers
    return this.stringAt(descending ? this.stringCount - 1 - ordinal : ordinal)
  }

  #numbers(): NumberColumn {
    assert(this.numbers !== null, 'a field without numbers is not asked for one')
    return this.numbers
  }

  #strings(): StringColumn {
    assert(this.strings !== null, 'a field without strings is not asked for one')
    return this.strings
  }
}

/** Converts variants in `keys` to sort keys, which follow those of `numbers` numbers. */
function placeStringKeys(
  keys: Uint32Array,
  count: number,
  numbers: number,
  strings: StringColumn,
  descending: boolean,
): void {
  const table = strings.normalisedTable()
  const top = strings.count - 1
  for (let i = 0; i < count; i++) {
    const variant = keys[i]!
    if (variant === NO_KEY) continue
    const ordinal = table === null ? variant : table[variant]!
    keys[i] = numbers + (descending ? top - ordinal : ordinal)
  }
}

/**
 * Returns the smallest byte string above all strings that begin with `prefix`, or null if there is
 * no such string.
 */
function prefixEnd(prefix: Uint8Array): Uint8Array | null {
  let length = prefix.length
  while (length > 0 && prefix[length - 1] === 255) length--
  if (length === 0) return null
  const end = prefix.slice(0, length)
  end[length - 1]!++
  return end
}
