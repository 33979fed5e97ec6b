// One field of one segment, read in place: sets, values, postings, rows · layout: ./COLUMNS.md,
// "Field"
//
// Opening reads the head only, some 50 bytes. What costs more, the ids of holders and array views,
// is made on first use and kept: a reader lives as long as its segment is open.
import { assert, refuse } from '../errors.ts'
import type { Section } from '../frame/index.ts'
import type { IdSet, IdUnion } from '../idset/index.ts'
import type { StringWalk } from './dictionary-v1.ts'
import { STRING_BYTES_MAX } from './limits.ts'
import type { IdBounds } from './lists-v1.ts'
import type { Members } from './members.ts'
import { NumberColumn } from './number-column.ts'
import type { Packed } from './packed.ts'
import { PartReader } from './parts.ts'
import { type FieldSetName, FieldSets } from './sets.ts'
import { StringColumn } from './string-column.ts'

/** A sort key that stands for no value; larger than all others. */
export const NO_KEY = 0xffffffff

const NO_VALUES = new Uint8Array(0)

export class FieldReader {
  readonly fieldId: number
  /** Null when no document has a number here. */
  readonly numbers: NumberColumn | null
  /** Null when no document has a string here. */
  readonly strings: StringColumn | null
  readonly #sets: FieldSets

  /** Reads the head of the block at [at, at + length). @throws CorruptionError */
  constructor(
    fieldId: number,
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
    // Each value has an entry of a byte at least, so a block cannot claim more than it has bytes.
    reader.expect(numbers <= place.length, `at most ${place.length} numbers`, numbers)
    reader.expect(strings <= place.length, `at most ${place.length} strings`, strings)
    const sets = this.#sets
    this.numbers = numbers > 0 ? new NumberColumn(section, numbers, bounds, sets, reader) : null
    this.strings = strings > 0 ? new StringColumn(section, strings, bounds, sets, reader) : null
    reader.finish()
  }

  /** Documents that have the field, null and empty ones included. */
  exists(): IdSet {
    return this.#sets.get('exists')
  }

  nulls(): IdSet {
    return this.#sets.get('nulls')
  }

  /** Documents where it is an empty list, object or string. */
  empties(): IdSet {
    return this.#sets.get('empties')
  }

  /**
   * Documents where it is a string that normalises to nothing: a value for distinct, for nothing
   * else.
   */
  blanks(): IdSet {
    return this.#sets.get('blanks')
  }

  /** Documents with a number. */
  numberHolders(): IdSet {
    return this.#sets.get('numbers')
  }

  /** Documents with a string. */
  stringHolders(): IdSet {
    return this.#sets.get('strings')
  }

  /** A set with ranks. */
  members(name: FieldSetName): Members {
    return this.#sets.members(name)
  }

  /** Distinct numbers. */
  get numberCount(): number {
    return this.numbers === null ? 0 : this.numbers.count
  }

  /** Number `ordinal`. */
  numberAt(ordinal: number): number {
    return this.#numbers().at(ordinal)
  }

  /** The first ordinal whose number is not below `value`. -0 is below 0. */
  numberLowerBound(value: number): number {
    return this.numbers === null ? 0 : this.numbers.lowerBound(value)
  }

  /** The first ordinal whose number is above `value`. */
  numberUpperBound(value: number): number {
    return this.numbers === null ? 0 : this.numbers.upperBound(value)
  }

  /** The ordinal of a number, or -1. */
  findNumber(value: number): number {
    return this.numbers === null ? -1 : this.numbers.find(value)
  }

  /** Adds the documents with a number among the ordinals [from, to). */
  addNumbers(from: number, to: number, union: IdUnion): void {
    if (from < to) this.#numbers().postings.addRange(from, to, union)
  }

  numberPosting(ordinal: number): IdSet {
    return this.#numbers().postings.get(ordinal)
  }

  /** How many documents have number `ordinal`, without decoding them. */
  numberPostingSize(ordinal: number): number {
    return this.#numbers().postings.size(ordinal)
  }

  /** The number ordinals of document `id`, ascending; a view. */
  numbersOf(id: number): Packed {
    return this.numbers === null ? NO_VALUES : this.numbers.rows.of(id)
  }

  /** Distinct normalised strings. */
  get stringCount(): number {
    return this.strings === null ? 0 : this.strings.count
  }

  /** Normalised string `ordinal`, as a copy. */
  stringAt(ordinal: number): Uint8Array {
    return this.#strings().dictionary.get(ordinal)
  }

  /** The first ordinal whose string is not below `key`, in byte order. */
  stringLowerBound(key: Uint8Array): number {
    return this.strings === null ? 0 : this.strings.dictionary.lowerBound(key)
  }

  /** The first ordinal whose string is above `key`. */
  stringUpperBound(key: Uint8Array): number {
    return this.strings === null ? 0 : this.strings.dictionary.upperBound(key)
  }

  /**
   * The first ordinal whose string does not begin with `prefix`, among those from
   * `stringLowerBound` on.
   */
  stringPrefixEnd(prefix: Uint8Array): number {
    const end = prefixEnd(prefix)
    return end === null ? this.stringCount : this.stringLowerBound(end)
  }

  /** The ordinal of a string, or -1. */
  findString(key: Uint8Array): number {
    if (this.strings === null || key.length > STRING_BYTES_MAX) return -1
    return this.strings.dictionary.find(key)
  }

  /**
   * A walk over all strings in order that allocates nothing per string; null when there are none.
   */
  walkStrings(): StringWalk | null {
    return this.strings === null ? null : this.strings.dictionary.walk()
  }

  /** Adds the documents with a string among the ordinals [from, to). */
  addStrings(from: number, to: number, union: IdUnion): void {
    if (from < to) this.#strings().postings.addRange(from, to, union)
  }

  stringPosting(ordinal: number): IdSet {
    return this.#strings().postings.get(ordinal)
  }

  /** How many documents have string `ordinal`, without decoding them. */
  stringPostingSize(ordinal: number): number {
    return this.#strings().postings.size(ordinal)
  }

  /** The variants of document `id`, ascending; a view. */
  variantsOf(id: number): Packed {
    return this.strings === null ? NO_VALUES : this.strings.rows.of(id)
  }

  /** The normalised ordinal of a variant. */
  normalisedOf(variant: number): number {
    return this.#strings().originals.normalisedOf(variant)
  }

  /** The text of a variant as it was written; fresh bytes. */
  originalOf(variant: number): Uint8Array {
    return this.#strings().originalOf(variant)
  }

  /** The variant of string `ordinal` in document `id`, or -1. */
  variantIn(id: number, ordinal: number): number {
    return this.#strings().variantIn(id, ordinal)
  }

  /**
   * A sort key for each of the ascending ids[from, to) into `keys` from 0 on. Smaller keys come
   * first, for both directions: numbers, then strings, then `NO_KEY`; a document with several
   * values goes by its smallest when ascending and by its largest when descending. `keyValue` gives
   * the value back.
   */
  sortKeys(
    ids: Uint32Array,
    from: number,
    to: number,
    descending: boolean,
    keys: Uint32Array,
  ): void {
    const count = to - from
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
   * The value a sort key stands for: a number, a normalised string's bytes, or null.
   * @throws CorruptionError for a key of a row that names no value
   */
  keyValue(key: number, descending: boolean): number | Uint8Array | null {
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

/** Turns variants in `keys` into keys behind those of `numbers` numbers. */
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

/** The smallest byte string above all that begin with `prefix`; null when there is none. */
function prefixEnd(prefix: Uint8Array): Uint8Array | null {
  let length = prefix.length
  while (length > 0 && prefix[length - 1] === 255) length--
  if (length === 0) return null
  const end = prefix.slice(0, length)
  end[length - 1]!++
  return end
}
