// One stored document: its top-level fields by id, each with the compact JSON of its value ·
// ./DOCUMENTS.md "Record"
//
//   fieldCount varint · (field id delta varint, value length varint) × n · values
import {
  BRACE,
  BRACE_END,
  COLON,
  COMMA,
  lengthened,
  VARINT_BYTES_MAX,
  writeVarint,
} from '../bytes/index.ts'
import { assert, refuse } from '../errors.ts'
import { FIELDS_MAX, type FieldId } from '../ids.ts'
import { compact, JsonBuffer } from '../json/index.ts'
import { BLOCK_RAW_BYTES_MAX } from './limits.ts'

const SECTION = 'record'

/**
 * The fields of a record and the offsets of their values. One instance reads one record after
 * another.
 */
export class RecordFields {
  count = 0
  /** Field ids, ascending; the first `count` entries are valid. */
  ids: Uint16Array = new Uint16Array(64)
  /** The value of field i is record[starts[i], starts[i + 1]). */
  starts: Uint32Array = new Uint32Array(65)
  #record: Uint8Array = new Uint8Array(0)
  #at = 0

  /** Reads the table of a record, but not its values. @throws CorruptionError */
  read(record: Uint8Array): void {
    this.#record = record
    this.#at = 0
    const count = this.#varint()
    if (count > FIELDS_MAX || count * 3 > record.length) {
      refuse(SECTION, 0, 'bad_value', `fields in ${record.length} bytes`, count)
    }
    if (count > this.ids.length) {
      this.ids = new Uint16Array(count)
      this.starts = new Uint32Array(count + 1)
    }
    let id = -1
    let length = 0
    for (let i = 0; i < count; i++) {
      id += this.#varint() + 1
      if (id >= FIELDS_MAX) refuse(SECTION, this.#at, 'bad_value', `< ${FIELDS_MAX}`, id)
      this.ids[i] = id
      this.starts[i] = length
      const bytes = this.#varint()
      if (bytes === 0) refuse(SECTION, this.#at, 'bad_value', 'a value', 'nothing')
      length += bytes
    }
    const table = this.#at
    if (table + length !== record.length) {
      refuse(SECTION, table, 'bad_length', record.length, table + length)
    }
    this.starts[count] = length
    for (let i = 0; i <= count; i++) this.starts[i]! += table
    this.count = count
  }

  /** Returns the index of the field with this id, or -1. */
  indexOf(fieldId: FieldId): number {
    let low = 0
    let high = this.count
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.ids[middle]! < fieldId) low = middle + 1
      else high = middle
    }
    return low < this.count && this.ids[low] === fieldId ? low : -1
  }

  /** Returns the value of the i-th field: a view into the record. */
  value(i: number): Uint8Array {
    assert(i >= 0 && i < this.count, 'a field is read that exists')
    return this.#record.subarray(this.starts[i]!, this.starts[i + 1]!)
  }

  #varint(): number {
    const record = this.#record
    const start = this.#at
    let value = 0
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = record[this.#at++]
      if (byte === undefined) refuse(SECTION, start, 'bad_length', 'a varint', 'the end')
      value += (byte & 127) * 2 ** shift
      if (byte < 128) {
        if (shift > 0 && byte === 0) refuse(SECTION, start, 'bad_value', 'shortest varint', 0)
        if (value > BLOCK_RAW_BYTES_MAX) break
        return value
      }
    }
    return refuse(SECTION, start, 'bad_value', `at most ${BLOCK_RAW_BYTES_MAX}`, 'more')
  }
}

/**
 * Collects the fields of a document and encodes its record. One instance writes one record after
 * another.
 */
export class RecordWriter {
  #count = 0
  #ids = new Int32Array(64)
  #starts = new Uint32Array(64)
  #ends = new Uint32Array(64)
  readonly #values = new JsonBuffer(1024)
  readonly #record = new JsonBuffer(1024)

  begin(): void {
    this.#count = 0
    this.#values.clear()
  }

  /**
   * Adds a field. Fields may come in any order, each once. bytes[from, to) is valid JSON; its
   * compact form is stored.
   */
  add(fieldId: FieldId, bytes: Uint8Array, from = 0, to = bytes.length): void {
    assert(fieldId >= 0 && fieldId < FIELDS_MAX, 'a field id is a u16')
    assert(to > from, 'a value has bytes')
    if (this.#count === this.#ids.length) this.#grow()
    const start = this.#values.length
    compact(bytes, from, to, this.#values)
    assert(this.#values.length > start, 'a value is not only white space')
    let i = this.#count++
    for (; i > 0 && this.#ids[i - 1]! > fieldId; i--) {
      this.#ids[i] = this.#ids[i - 1]!
      this.#starts[i] = this.#starts[i - 1]!
      this.#ends[i] = this.#ends[i - 1]!
    }
    assert(i === 0 || this.#ids[i - 1] !== fieldId, 'a field occurs once in a record')
    this.#ids[i] = fieldId
    this.#starts[i] = start
    this.#ends[i] = this.#values.length
  }

  /** Returns the record: a view, valid until the next `finish`. */
  finish(): Uint8Array {
    const count = this.#count
    const out = this.#record
    out.clear()
    out.reserve((count * 2 + 1) * VARINT_BYTES_MAX + this.#values.length)
    let at = writeVarint(out.bytes, 0, count)
    let last = -1
    for (let i = 0; i < count; i++) {
      at = writeVarint(out.bytes, at, this.#ids[i]! - last - 1)
      at = writeVarint(out.bytes, at, this.#ends[i]! - this.#starts[i]!)
      last = this.#ids[i]!
    }
    out.length = at
    for (let i = 0; i < count; i++) {
      out.append(this.#values.bytes, this.#starts[i]!, this.#ends[i]!)
    }
    return out.view()
  }

  #grow(): void {
    const size = this.#count * 2
    this.#ids = lengthened(this.#ids, size)
    this.#starts = lengthened(this.#starts, size)
    this.#ends = lengthened(this.#ends, size)
  }
}

/** Encodes one record of (field id, valid JSON) pairs in any order. */
export function encodeRecord(fields: Iterable<readonly [number, Uint8Array]>): Uint8Array {
  const writer = new RecordWriter()
  for (const [fieldId, value] of fields) writer.add(fieldId, value)
  return writer.finish().slice()
}

/** Returns a member's name in JSON, quotes included. */
export type FieldName = (fieldId: FieldId) => Uint8Array

/**
 * Appends the fields of the last record read as a JSON object, in order of their ids. `selected`
 * has a byte per field id; fields whose byte is not 1, or is beyond the end, are omitted. Null
 * selects all fields.
 */
export function renderFields(
  fields: RecordFields,
  record: Uint8Array,
  fieldName: FieldName,
  selected: Uint8Array | null,
  out: JsonBuffer,
): void {
  let mark = BRACE
  for (let i = 0; i < fields.count; i++) {
    const id = fields.ids[i]!
    if (selected !== null && selected[id] !== 1) continue
    const name = fieldName(id)
    out.byte(mark)
    out.append(name, 0, name.length)
    out.byte(COLON)
    out.append(record, fields.starts[i]!, fields.starts[i + 1]!)
    mark = COMMA
  }
  if (mark === BRACE) out.byte(BRACE)
  out.byte(BRACE_END)
}

/** Reads a record and appends it as `renderFields` does. @throws CorruptionError */
export function renderRecord(
  record: Uint8Array,
  fieldName: FieldName,
  selected: Uint8Array | null,
  out: JsonBuffer,
): void {
  const fields = new RecordFields()
  fields.read(record)
  renderFields(fields, record, fieldName, selected, out)
}
