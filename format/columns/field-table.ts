// The table of blocks of the documents of a segment, or of the rows of one space: opens the field of
// a block on first use · layout: ./COLUMNS.md, "FLDS"
import { ByteReader } from '../bytes/index.ts'
import { refuse } from '../errors.ts'
import type { IdBounds, Members } from '../fields/index.ts'
import type { Section } from '../frame/index.ts'
import type { FieldId } from '../ids.ts'
import { FieldReader } from './field-reader.ts'

export const ENTRY_BYTES = 12

export class FieldTable {
  /** Ids of the fields, ascending. */
  readonly fieldIds: Uint16Array
  readonly #table: Uint8Array
  readonly #tag: string
  readonly #data: Section
  readonly #members: () => Members
  readonly #bounds: IdBounds
  readonly #fields = new Map<number, FieldReader>()

  /**
   * Reads `count` entries at `at` of `section`, for blocks of the section `data`. `members`: the
   * documents or rows. @throws CorruptionError
   */
  constructor(
    section: Section,
    at: number,
    count: number,
    data: Section,
    members: () => Members,
    bounds: IdBounds,
  ) {
    this.#table = section.read(at, count * ENTRY_BYTES)
    this.#tag = section.tag
    this.#data = data
    this.#members = members
    this.#bounds = bounds
    this.fieldIds = fieldIdsOf(this.#table, section)
  }

  /** Returns the column of a field, or null without one. @throws CorruptionError */
  field(fieldId: FieldId): FieldReader | null {
    const cached = this.#fields.get(fieldId)
    if (cached !== undefined) return cached
    const index = indexOf(this.fieldIds, fieldId)
    if (index < 0) return null
    const at = index * ENTRY_BYTES
    const entry = new ByteReader(this.#table, this.#tag, at + 2)
    const place = { headLength: entry.u16(), at: entry.u32(), length: entry.u32() }
    if (place.at % 8 !== 0 || place.headLength > place.length) {
      refuse(this.#tag, at, 'bad_value', 'a block', place.at)
    }
    if (place.at + place.length > this.#data.length) {
      refuse(this.#tag, at, 'bad_length', this.#data.length, place.at + place.length)
    }
    const field = new FieldReader(fieldId, this.#data, place, this.#members(), this.#bounds)
    this.#fields.set(fieldId, field)
    return field
  }
}

function fieldIdsOf(table: Uint8Array, section: Section): Uint16Array {
  const ids = new Uint16Array(table.length / ENTRY_BYTES)
  let last = -1
  for (let i = 0; i < ids.length; i++) {
    const id = table[i * ENTRY_BYTES]! | (table[i * ENTRY_BYTES + 1]! << 8)
    if (id <= last) refuse(section.tag, i * ENTRY_BYTES, 'bad_order', `more than ${last}`, id)
    ids[i] = id
    last = id
  }
  return ids
}

function indexOf(ids: Uint16Array, id: FieldId): number {
  let low = 0
  let high = ids.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (ids[middle]! < id) low = middle + 1
    else high = middle
  }
  return low < ids.length && ids[low] === id ? low : -1
}
