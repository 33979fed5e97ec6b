// Selects the parts of a document that are shown: whole fields, or only values nested in them under
// chosen names (docs/search-semantics.md#what-a-hit-shows). Values are copied as stored; nothing is
// parsed into objects.
import {
  BRACE,
  BRACE_END,
  BRACKET,
  BRACKET_END,
  COLON,
  COMMA,
  decoder,
} from '../../../format/bytes/index.ts'
import type { RecordFields } from '../../../format/documents/index.ts'
import type { FieldId } from '../../../format/ids.ts'
import { type JsonBuffer, Members, skipValue, writeJsonString } from '../../../format/json/index.ts'

const WHOLE = 1
const PARTLY = 2

/** The chosen names of one index, resolved for its top-level fields. */
export class Selection {
  /** By field id: 0 left out, 1 whole, 2 partly. */
  readonly #fields: Uint8Array
  readonly #chosen: ReadonlySet<string>
  /** Parents of chosen names. */
  readonly #above: ReadonlySet<string>
  readonly #fieldNames: readonly string[]

  /** `names`: chosen names that are fields of the index; `fieldNames` by id. */
  constructor(names: Iterable<string>, fieldNames: readonly string[]) {
    this.#chosen = new Set(names)
    const above = new Set<string>()
    for (const name of this.#chosen) {
      for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
        above.add(name.slice(0, dot))
      }
    }
    this.#above = above
    this.#fieldNames = fieldNames
    this.#fields = Uint8Array.from(fieldNames, (name) => this.#verdict(name))
  }

  has(name: string): boolean {
    return this.#chosen.has(name)
  }

  /** Returns true if at least a part of a top-level field is shown. */
  takes(fieldId: FieldId): boolean {
    return this.#fields[fieldId] !== undefined && this.#fields[fieldId] !== 0
  }

  /**
   * Appends the chosen members of a record, without the braces of the object. `keys`: JSON-encoded
   * names by field id. `without`: a field that is always left out, or -1. Returns the number of
   * members written.
   */
  write(
    fields: RecordFields,
    record: Uint8Array,
    keys: readonly Uint8Array[],
    without: number,
    out: JsonBuffer,
  ): number {
    let count = 0
    for (let i = 0; i < fields.count; i++) {
      const id = fields.ids[i]!
      const verdict = this.#fields[id]
      if (verdict === undefined || verdict === 0 || id === without) continue
      const begin = out.length
      if (count > 0) out.byte(COMMA)
      const key = keys[id]!
      out.append(key, 0, key.length)
      out.byte(COLON)
      const from = fields.starts[i]!
      if (verdict === WHOLE) out.append(record, from, fields.starts[i + 1]!)
      else if (!this.#nested(record, from, fields.starts[i + 1]!, this.#fieldNames[id]!, out)) {
        out.length = begin
        continue
      }
      count++
    }
    return count
  }

  #verdict(name: string): number {
    if (this.#chosen.has(name)) return WHOLE
    return this.#above.has(name) ? PARTLY : 0
  }

  /**
   * Appends the chosen parts of the value bytes[at, to) of the field `name`; returns false if it is
   * an object without chosen members.
   */
  #nested(bytes: Uint8Array, at: number, to: number, name: string, out: JsonBuffer): boolean {
    if (bytes[at] === BRACE) return this.#object(bytes, at, name, out) > 0
    if (bytes[at] === BRACKET) this.#array(bytes, at, name, out)
    else out.append(bytes, at, to)
    return true
  }

  #object(bytes: Uint8Array, at: number, name: string, out: JsonBuffer): number {
    const members = new Members()
    members.scan(bytes, at)
    out.byte(BRACE)
    let count = 0
    for (let i = 0; i < members.count; i++) {
      const path = `${name}.${decoder.decode(members.key(i))}`
      const verdict = this.#verdict(path)
      if (verdict === 0) continue
      const begin = out.length
      if (count > 0) out.byte(COMMA)
      const key = members.key(i)
      writeJsonString(out, key, 0, key.length)
      out.byte(COLON)
      const from = members.valueStart[i]!
      if (verdict === WHOLE) out.append(bytes, from, members.valueEnd[i]!)
      else if (!this.#nested(bytes, from, members.valueEnd[i]!, path, out)) {
        out.length = begin
        continue
      }
      count++
    }
    out.byte(BRACE_END)
    return count
  }

  /**
   * Array elements have the name of their array; an object element stays even if none of its
   * members is chosen (recorded: `documents-fetch-settings`).
   */
  #array(bytes: Uint8Array, at: number, name: string, out: JsonBuffer): void {
    out.byte(BRACKET)
    let next = at + 1
    let count = 0
    while (bytes[next] !== BRACKET_END) {
      if (count++ > 0) out.byte(COMMA)
      const end = skipValue(bytes, next)
      this.#nested(bytes, next, end, name, out)
      next = end
      if (bytes[next] === COMMA) next++
    }
    out.byte(BRACKET_END)
  }
}
