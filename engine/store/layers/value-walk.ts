// Walks the stored records of documents value by value
// (docs/search-semantics.md#values-words-and-positions). Values are compact JSON that was validated
// when it was received, so the walk reads only first bytes and brackets. Layers extend it with
// their handling of values.
//
// The calls to the layer's methods have two receiver classes (words, columns): V8 keeps such calls
// inline.
import {
  BACKSLASH,
  BRACE,
  BRACE_END,
  BRACKET,
  BRACKET_END,
  COMMA,
  LETTER_F,
  LETTER_N,
  LETTER_T,
  QUOTE,
} from '../../../format/bytes/index.ts'
import { RecordFields } from '../../../format/documents/index.ts'
import { JsonBuffer, skipString, skipValue, unescapeInto } from '../../../format/json/index.ts'
import { childOf } from './discover-fields.ts'
import type { FieldNames } from './field-names.ts'
import { type FieldNode, FieldPlan, type FieldUse } from './field-plan.ts'
import { NESTING_MAX } from './limits.ts'

const isNumberStart = (byte: number): boolean => (byte >= 0x30 && byte <= 0x39) || byte === 0x2d

/** Walks the values that one layer holds. */
export abstract class ValueWalk {
  readonly #plan: FieldPlan
  readonly #fields = new RecordFields()
  readonly #unescaped = new JsonBuffer(1024)
  readonly #key = new JsonBuffer(64)
  #depth = 0

  /** `names`: all names that occur in the records. */
  constructor(use: FieldUse, names: FieldNames) {
    this.#plan = new FieldPlan([use], names)
  }

  /** Walks all values of a record. */
  walk(record: Uint8Array): void {
    const fields = this.#fields
    fields.read(record)
    for (let f = 0; f < fields.count; f++) {
      const node = this.#plan.field(fields.ids[f]!)
      if (node.reached !== 0) this.#field(node, record, fields.starts[f]!, fields.starts[f + 1]!)
    }
  }

  /** Handles a top-level field of which the layer may hold values: its value is bytes[from, to). */
  protected topLevel(_node: FieldNode, _bytes: Uint8Array, _from: number, _to: number): void {
    // Most layers need only the values.
  }

  /** Handles a string, without quotes and escapes. `bytes` is the record or scratch memory. */
  protected abstract string(
    node: FieldNode,
    bytes: Uint8Array,
    from: number,
    to: number,
    inArray: boolean,
  ): void

  protected abstract number(node: FieldNode, bytes: Uint8Array, from: number, to: number): void

  /** Handles `true` or `false`. */
  protected abstract boolean(node: FieldNode, bytes: Uint8Array, from: number, to: number): void

  protected abstract nothing(node: FieldNode, inArray: boolean): void

  /** Handles an array or an object; its elements follow. */
  protected abstract container(node: FieldNode, isEmpty: boolean, inArray: boolean): void

  /** Handles an object in an array, after `container`: its values follow, then `leave`. */
  protected enter(_node: FieldNode): void {
    // Most layers do not tell elements apart.
  }

  protected leave(_node: FieldNode): void {
    // As above.
  }

  #field(node: FieldNode, bytes: Uint8Array, from: number, to: number): void {
    this.topLevel(node, bytes, from, to)
    // Values of a record are adjacent: only `to` tells where a number ends.
    if (!isNumberStart(bytes[from]!)) this.#value(node, bytes, from, false)
    else if (node.held !== 0) this.number(node, bytes, from, to)
  }

  /** Reads one value; returns the offset after it. */
  #value(node: FieldNode, bytes: Uint8Array, at: number, inArray: boolean): number {
    switch (bytes[at]) {
      case QUOTE:
        return this.#string(node, bytes, at, inArray)
      case BRACE:
        return this.#object(node, bytes, at, inArray)
      case BRACKET:
        return this.#array(node, bytes, at, inArray)
      case LETTER_N:
        if (node.held !== 0) this.nothing(node, inArray)
        return at + 4
      case LETTER_T:
      case LETTER_F: {
        const end = at + (bytes[at] === LETTER_T ? 4 : 5)
        if (node.held !== 0) this.boolean(node, bytes, at, end)
        return end
      }
      default: {
        const end = skipValue(bytes, at)
        if (node.held !== 0) this.number(node, bytes, at, end)
        return end
      }
    }
  }

  #string(node: FieldNode, bytes: Uint8Array, at: number, inArray: boolean): number {
    if (node.held === 0) return skipString(bytes, at)
    let end = at + 1
    let byte = bytes[end]
    while (byte !== QUOTE && byte !== BACKSLASH && byte !== undefined) byte = bytes[++end]
    if (byte === BACKSLASH) {
      end = skipString(bytes, at) - 1
      const unescaped = this.#unescaped
      unescaped.clear()
      unescapeInto(bytes, at + 1, end, unescaped)
      this.string(node, unescaped.bytes, 0, unescaped.length, inArray)
    } else this.string(node, bytes, at + 1, end, inArray)
    return end + 1
  }

  #array(node: FieldNode, bytes: Uint8Array, at: number, inArray: boolean): number {
    const isEmpty = bytes[at + 1] === BRACKET_END
    if (node.held !== 0) this.container(node, isEmpty, inArray)
    if (isEmpty) return at + 2
    if (this.#depth >= NESTING_MAX) return skipValue(bytes, at)
    this.#depth++
    do at = this.#value(node, bytes, at + 1, true)
    while (bytes[at] === COMMA)
    this.#depth--
    return at + 1
  }

  #object(node: FieldNode, bytes: Uint8Array, at: number, inArray: boolean): number {
    const isEmpty = bytes[at + 1] === BRACE_END
    if (node.held !== 0) this.container(node, isEmpty, inArray)
    if (isEmpty) return at + 2
    if (node.reached === 0 || this.#depth >= NESTING_MAX) return skipValue(bytes, at)
    this.#depth++
    if (inArray) this.enter(node)
    do {
      const quote = at + 1
      const end = skipString(bytes, quote)
      const child = childOf(node, bytes, quote, end, this.#key)
      at =
        child.reached !== 0 ? this.#value(child, bytes, end + 1, false) : skipValue(bytes, end + 1)
    } while (bytes[at] === COMMA)
    if (inArray) this.leave(node)
    this.#depth--
    return at + 1
  }
}
