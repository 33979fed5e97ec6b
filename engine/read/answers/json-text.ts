// Writes small parts of answers as JSON. Objects are written from entries, because a JavaScript
// object would put members whose names are numbers first.
import {
  BACKSLASH,
  BRACE,
  BRACE_END,
  COLON,
  COMMA,
  encoder,
  QUOTE,
} from '../../../format/bytes/index.ts'
import { JsonBuffer, writeJsonString } from '../../../format/json/index.ts'
import { writeVectorsJson } from '../../../format/vectors/index.ts'

/**
 * Longer texts are encoded by the runtime: its call costs more than a short loop, its work on long
 * texts less.
 */
const LOOP_UNITS_MAX = 64
/** The same for text that is only copied: the origins of hits are shorter. */
const JSON_LOOP_UNITS_MAX = 256

/** Appends text as a JSON string. */
export function writeText(out: JsonBuffer, text: string): void {
  if (text.length <= LOOP_UNITS_MAX && writePlain(out, text)) return
  const bytes = encoder.encode(text)
  writeJsonString(out, bytes, 0, bytes.length)
}

/**
 * Appends a text in quotes and returns true if it is ASCII without characters to escape. Otherwise
 * appends nothing and returns false.
 */
function writePlain(out: JsonBuffer, text: string): boolean {
  out.reserve(text.length + 2)
  const { bytes } = out
  let at = out.length
  bytes[at++] = QUOTE
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit < 0x20 || unit > 0x7e || unit === QUOTE || unit === BACKSLASH) return false
    bytes[at++] = unit
  }
  bytes[at++] = QUOTE
  out.length = at
  return true
}

/** Appends ASCII text and returns true; otherwise appends nothing and returns false. */
function writeAscii(out: JsonBuffer, text: string): boolean {
  out.reserve(text.length)
  const { bytes } = out
  let at = out.length
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i)
    if (unit > 0x7f) return false
    bytes[at++] = unit
  }
  out.length = at
  return true
}

/** Appends a JSON value made of plain data; `JSON.stringify` escapes lone surrogates. */
export function writeValue(out: JsonBuffer, value: unknown): void {
  // The same text as JSON.stringify; -0 becomes 0.
  if (Number.isSafeInteger(value)) out.ascii(String(value))
  else writeJson(out, JSON.stringify(value))
}

/** Appends text that is already JSON. */
export function writeJson(out: JsonBuffer, json: string): void {
  if (json.length <= JSON_LOOP_UNITS_MAX && writeAscii(out, json)) return
  const bytes = encoder.encode(json)
  out.append(bytes, 0, bytes.length)
}

/** Appends the vector of a query. */
export function writeVector(vector: Float32Array, out: JsonBuffer): void {
  const list = new JsonBuffer(vector.length * 12)
  writeVectorsJson([vector], list)
  out.append(list.bytes, 1, list.length - 1)
}

/** Appends objects member by member. */
export class MemberWriter {
  readonly out: JsonBuffer
  #count = 0

  constructor(out: JsonBuffer) {
    this.out = out
    out.byte(BRACE)
  }

  /** Begins a member; the caller appends its value next. */
  begin(name: string): JsonBuffer {
    if (this.#count++ > 0) this.out.byte(COMMA)
    writeText(this.out, name)
    this.out.byte(COLON)
    return this.out
  }

  value(name: string, value: unknown): void {
    writeValue(this.begin(name), value)
  }

  end(): void {
    this.out.byte(BRACE_END)
  }
}

/** Appends an object of numbers in the order of the map. */
export function writeCounts(out: JsonBuffer, counts: ReadonlyMap<string, number>): void {
  const members = new MemberWriter(out)
  for (const [name, count] of counts) writeValue(members.begin(name), count)
  members.end()
}

/** Appends an object of texts in the order of the map. */
export function writeTexts(out: JsonBuffer, texts: ReadonlyMap<string, string>): void {
  const members = new MemberWriter(out)
  for (const [name, text] of texts) writeText(members.begin(name), text)
  members.end()
}
