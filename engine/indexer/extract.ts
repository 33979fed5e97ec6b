// From a stored record to what the layers keep: words by field for the text layer, values by field
// for the columns layer · search semantics §2.1, §2.2, §2.8. Values are compact JSON that was
// validated long ago, so the walk only looks at first bytes and brackets.
import type { ColumnsBuilder } from '../../format/columns/index.ts'
import {
  canonicalNumber,
  isCanonicalNumber,
  JsonBuffer,
  numberText,
  numberValue,
  skipString,
  skipValue,
  unescapeInto,
} from '../../format/json/index.ts'
import { type FieldNode, type FieldPlan, NESTING_MAX } from './field-plan.ts'
import { readGeo } from './geo.ts'
import { readGeojson } from './geojson.ts'
import type { TextBuilder } from './text-builder.ts'

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const BRACE = 0x7b
const BRACE_END = 0x7d
const BRACKET = 0x5b
const BRACKET_END = 0x5d
const LETTER_F = 0x66
const LETTER_N = 0x6e
const LETTER_T = 0x74

/** Coordinates may be sent as text; they are numbers all the same. */
const isCoordinate = ({ name }: FieldNode): boolean => name === '_geo.lat' || name === '_geo.lng'

function coordinateOf(source: Uint8Array, from: number, to: number): number | null {
  const text = Buffer.from(source.subarray(from, to)).toString()
  const value = text.trim() === '' ? Number.NaN : Number(text)
  return Number.isFinite(value) ? value : null
}

const isNumberStart = (byte: number): boolean => (byte >= 0x30 && byte <= 0x39) || byte === 0x2d

/** Which layers are being built. */
export type ExtractTargets = {
  readonly text: TextBuilder | null
  readonly columns: ColumnsBuilder | null
}

/** Walks the fields of one document after another. */
export class Extractor {
  readonly #plan: FieldPlan
  readonly #text: TextBuilder | null
  readonly #columns: ColumnsBuilder | null
  readonly #plain = new JsonBuffer(1024)
  readonly #key = new JsonBuffer(64)
  #depth = 0

  constructor(plan: FieldPlan, targets: ExtractTargets) {
    this.#plan = plan
    this.#text = targets.text
    this.#columns = targets.columns
  }

  /**
   * One field of the document that the builders have begun: its id and its value, bytes[from, to).
   */
  field(fieldId: number, bytes: Uint8Array, from: number, to: number, externalId: string): void {
    const node = this.#plan.field(fieldId)
    if (this.#columns !== null && this.#plan.geo && node.name === '_geo') {
      const point = readGeo(bytes.subarray(from, to), externalId)
      if (point !== null) this.#columns.geo(point[0], point[1])
    }
    if (this.#columns !== null && this.#plan.geojson && node.name === '_geojson') {
      const parts = readGeojson(bytes.subarray(from, to))
      if (parts.length > 0) this.#columns.shape(parts)
    }
    if (!node.below) return
    // The values of a record stand side by side: nothing but `to` says where a number ends.
    if (isNumberStart(bytes[from]!)) this.#number(node, bytes, from, to)
    else this.#value(node, bytes, from, false)
  }

  /** Reads one value; returns the offset behind it. */
  #value(node: FieldNode, bytes: Uint8Array, at: number, inArray: boolean): number {
    switch (bytes[at]) {
      case QUOTE:
        return this.#string(node, bytes, at, inArray)
      case BRACE:
        return this.#object(node, bytes, at, inArray)
      case BRACKET:
        return this.#array(node, bytes, at, inArray)
      case LETTER_N:
        if (this.#columns !== null && node.faceted) {
          this.#columns.exists(node.fieldId)
          if (!inArray) this.#columns.isNull(node.fieldId)
        }
        return at + 4
      case LETTER_T:
      case LETTER_F: {
        const end = at + (bytes[at] === LETTER_T ? 4 : 5)
        this.#words(node, bytes, at, end)
        if (this.#columns !== null && node.faceted) {
          this.#columns.exists(node.fieldId)
          this.#columns.string(node.fieldId, bytes, at, end)
        }
        return end
      }
      default:
        return this.#number(node, bytes, at, skipValue(bytes, at))
    }
  }

  #words(node: FieldNode, bytes: Uint8Array, from: number, to: number): void {
    if (this.#text !== null && node.searched) {
      this.#text.value(node.fieldId, bytes, from, to, node.locales)
    }
  }

  #number(node: FieldNode, bytes: Uint8Array, at: number, end: number): number {
    if (this.#text !== null && node.searched) this.#numberWords(node, bytes, at, end)
    if (this.#columns !== null && node.faceted) {
      this.#columns.exists(node.fieldId)
      this.#columns.number(node.fieldId, numberValue(bytes, at, end))
    }
    return end
  }

  /** The words of a number are those of its canonical text. */
  #numberWords(node: FieldNode, bytes: Uint8Array, from: number, to: number): void {
    if (isCanonicalNumber(bytes, from, to)) {
      this.#words(node, bytes, from, to)
      return
    }
    const sent = numberText(bytes, from, to)
    if (!Number.isFinite(Number(sent))) return
    this.#plain.clear()
    this.#plain.ascii(canonicalNumber(sent) ?? sent)
    this.#words(node, this.#plain.bytes, 0, this.#plain.length)
  }

  #string(node: FieldNode, bytes: Uint8Array, at: number, inArray: boolean): number {
    let end = at + 1
    let byte = bytes[end]
    while (byte !== QUOTE && byte !== BACKSLASH && byte !== undefined) byte = bytes[++end]
    let source = bytes
    let from = at + 1
    let to = end
    if (byte === BACKSLASH) {
      end = skipString(bytes, at) - 1
      this.#plain.clear()
      unescapeInto(bytes, at + 1, end, this.#plain)
      source = this.#plain.bytes
      from = 0
      to = this.#plain.length
    }
    this.#words(node, source, from, to)
    if (this.#columns !== null && node.faceted) {
      this.#columns.exists(node.fieldId)
      if (from === to && !inArray) this.#columns.isEmpty(node.fieldId)
      const coordinate = isCoordinate(node) ? coordinateOf(source, from, to) : null
      if (coordinate !== null) this.#columns.number(node.fieldId, coordinate)
      else this.#columns.string(node.fieldId, source, from, to)
    }
    return end + 1
  }

  #array(node: FieldNode, bytes: Uint8Array, at: number, inArray: boolean): number {
    if (this.#columns !== null && node.faceted) {
      this.#columns.exists(node.fieldId)
      if (bytes[at + 1] === BRACKET_END && !inArray) this.#columns.isEmpty(node.fieldId)
    }
    if (bytes[at + 1] === BRACKET_END) return at + 2
    if (this.#depth >= NESTING_MAX) return skipValue(bytes, at)
    this.#depth++
    do at = this.#value(node, bytes, at + 1, true)
    while (bytes[at] === COMMA)
    this.#depth--
    return at + 1
  }

  #object(node: FieldNode, bytes: Uint8Array, at: number, inArray: boolean): number {
    if (this.#columns !== null && node.faceted) {
      this.#columns.exists(node.fieldId)
      if (bytes[at + 1] === BRACE_END && !inArray) this.#columns.isEmpty(node.fieldId)
    }
    if (bytes[at + 1] === BRACE_END) return at + 2
    if (!node.below || this.#depth >= NESTING_MAX) return skipValue(bytes, at)
    this.#depth++
    do {
      const quote = at + 1
      const behind = skipString(bytes, quote)
      const child = childOf(node, bytes, quote, behind, this.#key)
      at = child.below ? this.#value(child, bytes, behind + 1, false) : skipValue(bytes, behind + 1)
    } while (bytes[at] === COMMA)
    this.#depth--
    return at + 1
  }
}

/** The child whose key is the string bytes[quote, behind), quotes included. */
function childOf(
  node: FieldNode,
  bytes: Uint8Array,
  quote: number,
  behind: number,
  scratch: JsonBuffer,
): FieldNode {
  for (let i = quote + 1; i < behind - 1; i++) {
    if (bytes[i] !== BACKSLASH) continue
    scratch.clear()
    unescapeInto(bytes, quote + 1, behind - 1, scratch)
    return node.child(scratch.bytes, 0, scratch.length)
  }
  return node.child(bytes, quote + 1, behind - 1)
}

/**
 * Meets every name nested in a value of interest, in document order, so that each has its id. Cheap
 * for values without objects: those are looked at by their first byte, or skipped.
 */
export function discoverFields(node: FieldNode, bytes: Uint8Array, at: number): void {
  if (!node.below || (bytes[at] !== BRACE && bytes[at] !== BRACKET)) return
  discover(node, bytes, at, new JsonBuffer(64), 0)
}

function discover(
  node: FieldNode,
  bytes: Uint8Array,
  at: number,
  key: JsonBuffer,
  depth: number,
): number {
  const first = bytes[at]
  if ((first !== BRACE && first !== BRACKET) || depth >= NESTING_MAX) return skipValue(bytes, at)
  if (bytes[at + 1] === BRACE_END || bytes[at + 1] === BRACKET_END) return at + 2
  if (first === BRACKET) {
    do at = discover(node, bytes, at + 1, key, depth + 1)
    while (bytes[at] === COMMA)
    return at + 1
  }
  do {
    const behind = skipString(bytes, at + 1)
    const child = childOf(node, bytes, at + 1, behind, key)
    at = child.below
      ? discover(child, bytes, behind + 1, key, depth + 1)
      : skipValue(bytes, behind + 1)
  } while (bytes[at] === COMMA)
  return at + 1
}
