// Writes `_formatted` and `_matchesPosition` of hits from stored records
// (docs/search-semantics.md#formatting).
import {
  BACKSLASH,
  BRACE,
  BRACE_END,
  BRACKET,
  BRACKET_END,
  COLON,
  COMMA,
  LETTER_F,
  LETTER_N,
  LETTER_T,
  QUOTE,
} from '../../../format/bytes/index.ts'
import type { RecordFields } from '../../../format/documents/index.ts'
import { JsonBuffer, skipString, skipValue, unescapeInto } from '../../../format/json/index.ts'
import type { SearchSettings } from '../query-graph/index.ts'
import { type FieldNode, FieldTree, LEFT_OUT, PARTLY } from './field-tree.ts'
import { FormatOptions, type FormatRequest } from './format-options.ts'
import { FoundPositions } from './found-positions.ts'
import type { Matcher } from './matcher.ts'
import { TextFormatter } from './text-format.ts'

/** The fields of the index, and those that clients see. */
export type HitFields = {
  /** Names that hits may show; null for all. */
  readonly displayed: ReadonlySet<string> | null
  /** Names that these hits show. */
  readonly retrieved: Iterable<string>
  /** A field that is never shown here, or -1. */
  readonly without: number
}

export class HitFormatter {
  /** True if `_formatted` was requested for a name that hits may show. */
  readonly formats: boolean
  readonly #text: TextFormatter
  /** For fields in which texts inside of words are marked. */
  readonly #infixText: TextFormatter
  readonly #formatted: FieldTree
  readonly #positions: FieldTree
  readonly #without: number
  readonly #key = new JsonBuffer(64)
  readonly #found = new FoundPositions()
  /** Positions of the current value in the arrays around it, outermost first. */
  readonly #indices: number[] = []

  constructor(
    request: FormatRequest,
    { displayed, retrieved, without }: HitFields,
    matcher: Matcher,
    search: SearchSettings,
  ) {
    const { settings, fields, analyzer } = search
    const { locales } = request
    const shown = displayed === null ? fields : fields.filter((name) => displayed.has(name))
    const options = new FormatOptions(request, shown)
    this.formats = options.names.size > 0
    this.#text = new TextFormatter(analyzer, matcher, request)
    this.#infixText =
      matcher.forInfixes === matcher
        ? this.#text
        : new TextFormatter(analyzer, matcher.forInfixes, request)
    const chosen = this.formats ? new Set([...retrieved, ...options.names]) : new Set<string>()
    const source = { fieldNames: fields, options, settings, locales }
    this.#formatted = new FieldTree({ ...source, chosen })
    this.#positions = new FieldTree({ ...source, chosen: displayed })
    this.#without = without
  }

  /**
   * Appends the `_formatted` object of the record read into `fields`; returns false and appends
   * nothing if no field is shown. `keys`: JSON-encoded names by field id.
   */
  writeFormatted(
    fields: RecordFields,
    record: Uint8Array,
    keys: readonly Uint8Array[],
    out: JsonBuffer,
  ): boolean {
    if (!this.formats) return false
    const begin = out.length
    let mark = BRACE
    for (let i = 0; i < fields.count; i++) {
      const id = fields.ids[i]!
      const node = this.#formatted.field(id)
      if (node.shown === LEFT_OUT || id === this.#without) continue
      const before = out.length
      out.byte(mark)
      const key = keys[id]!
      out.append(key, 0, key.length)
      out.byte(COLON)
      const end = this.#write(node, record, fields.starts[i]!, fields.starts[i + 1]!, out)
      if (end < 0) out.length = before
      else mark = COMMA
    }
    if (mark === BRACE) {
      out.length = begin
      return false
    }
    out.byte(BRACE_END)
    return true
  }

  /**
   * Appends the `_matchesPosition` object of the record read into `fields`, with names in byte
   * order.
   */
  writeMatchesPosition(fields: RecordFields, record: Uint8Array, out: JsonBuffer): void {
    const found = this.#found
    found.clear()
    for (let i = 0; i < fields.count; i++) {
      const id = fields.ids[i]!
      const node = this.#positions.field(id)
      if (node.shown !== LEFT_OUT && id !== this.#without) {
        this.#find(node, record, fields.starts[i]!, fields.starts[i + 1]!)
      }
    }
    found.write(out)
  }

  /**
   * Appends the shown part of the value at `at`, formatted; a number ends at `to` at the latest.
   * Returns the offset after the value, or its negative if nothing is shown; the caller then
   * removes the bytes that were appended. A scalar is not shown if only nested values are.
   */
  #write(node: FieldNode, bytes: Uint8Array, at: number, to: number, out: JsonBuffer): number {
    const first = bytes[at]
    if (first === BRACE) return this.#writeObject(node, bytes, at, out)
    if (first === BRACKET) return this.#writeArray(node, bytes, at, out)
    if (node.shown === PARTLY) return -scalarEnd(bytes, at, to)
    const text = this.#textOf(node)
    if (first === QUOTE) return text.writeString(bytes, at, node.format, node.locales, out)
    const end = scalarEnd(bytes, at, to)
    if (first === LETTER_T || first === LETTER_F || first === LETTER_N) out.append(bytes, at, end)
    else text.writeNumber(bytes, at, end, node.format, node.locales, out)
    return end
  }

  #writeArray(node: FieldNode, bytes: Uint8Array, at: number, out: JsonBuffer): number {
    const partly = node.shown === PARTLY
    out.byte(BRACKET)
    let count = 0
    if (bytes[at + 1] === BRACKET_END) at++
    else {
      do {
        const before = out.length
        if (count > 0) out.byte(COMMA)
        const end = this.#write(node, bytes, at + 1, bytes.length, out)
        if (end < 0) out.length = before
        else count++
        at = Math.abs(end)
      } while (bytes[at] === COMMA)
    }
    out.byte(BRACKET_END)
    return partly && count === 0 ? -(at + 1) : at + 1
  }

  #writeObject(node: FieldNode, bytes: Uint8Array, at: number, out: JsonBuffer): number {
    out.byte(BRACE)
    if (bytes[at + 1] === BRACE_END) {
      out.byte(BRACE_END)
      return node.shown === PARTLY ? -(at + 2) : at + 2
    }
    let count = 0
    do {
      const quote = at + 1
      const colon = skipString(bytes, quote)
      const child = this.#child(node, bytes, quote, colon)
      if (child.shown === LEFT_OUT) {
        at = skipValue(bytes, colon + 1)
        continue
      }
      const before = out.length
      if (count > 0) out.byte(COMMA)
      out.append(bytes, quote, colon + 1)
      const end = this.#write(child, bytes, colon + 1, bytes.length, out)
      if (end < 0) out.length = before
      else count++
      at = Math.abs(end)
    } while (bytes[at] === COMMA)
    out.byte(BRACE_END)
    return count === 0 ? -(at + 1) : at + 1
  }

  #textOf(node: FieldNode): TextFormatter {
    const text = node.isInfixSearched ? this.#infixText : this.#text
    text.useStems(node.stemming)
    return text
  }

  /** Returns the node of the key bytes[quote, colon), including its quotes. */
  #child(node: FieldNode, bytes: Uint8Array, quote: number, colon: number): FieldNode {
    for (let i = quote + 1; i < colon - 1; i++) {
      if (bytes[i] !== BACKSLASH) continue
      this.#key.clear()
      unescapeInto(bytes, quote + 1, colon - 1, this.#key)
      return node.child(this.#key.bytes, 0, this.#key.length)
    }
    return node.child(bytes, quote + 1, colon - 1)
  }

  /**
   * Finds the matches in the value at `at`; a number ends at `to` at the latest. Returns the offset
   * after the value.
   */
  #find(node: FieldNode, bytes: Uint8Array, at: number, to: number): number {
    const first = bytes[at]
    if (first === BRACE) return this.#findInObject(node, bytes, at)
    if (first === BRACKET) return this.#findInArray(node, bytes, at)
    const text = this.#textOf(node)
    let end: number
    if (first === QUOTE && node.shown !== PARTLY) end = text.findInString(bytes, at, node.locales)
    else {
      end = scalarEnd(bytes, at, to)
      const isWord = first === LETTER_T || first === LETTER_F || first === LETTER_N
      if (isWord || node.shown === PARTLY) return end
      text.findInNumber(bytes, at, end, node.locales)
    }
    const { matches } = text
    if (matches.count > 0) this.#found.add(node.name, matches, text.from, this.#indices)
    return end
  }

  #findInArray(node: FieldNode, bytes: Uint8Array, at: number): number {
    if (bytes[at + 1] === BRACKET_END) return at + 2
    const depth = this.#indices.length
    this.#indices.push(0)
    do {
      at = this.#find(node, bytes, at + 1, bytes.length)
      this.#indices[depth]!++
    } while (bytes[at] === COMMA)
    this.#indices.length = depth
    return at + 1
  }

  #findInObject(node: FieldNode, bytes: Uint8Array, at: number): number {
    if (bytes[at + 1] === BRACE_END) return at + 2
    do {
      const quote = at + 1
      const colon = skipString(bytes, quote)
      const child = this.#child(node, bytes, quote, colon)
      at =
        child.shown === LEFT_OUT
          ? skipValue(bytes, colon + 1)
          : this.#find(child, bytes, colon + 1, bytes.length)
    } while (bytes[at] === COMMA)
    return at + 1
  }
}

/**
 * Returns the offset after a value that is neither an object nor an array. Records have no white
 * space between values.
 */
function scalarEnd(bytes: Uint8Array, at: number, to: number): number {
  switch (bytes[at]) {
    case QUOTE:
      return skipString(bytes, at)
    case LETTER_T:
    case LETTER_N:
      return at + 4
    case LETTER_F:
      return at + 5
    default:
      return Math.min(to, skipValue(bytes, at))
  }
}
