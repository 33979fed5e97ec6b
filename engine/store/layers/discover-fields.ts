// Registers the names nested in a value, so that each has its field id before segments are built.
import {
  BACKSLASH,
  BRACE,
  BRACE_END,
  BRACKET,
  BRACKET_END,
  COMMA,
} from '../../../format/bytes/index.ts'
import { type JsonBuffer, skipString, skipValue, unescapeInto } from '../../../format/json/index.ts'
import type { FieldNode } from './field-plan.ts'
import { NESTING_MAX } from './limits.ts'

/**
 * Registers every name nested in a value that a layer may hold, in document order. Cheap for values
 * without objects: it reads their first byte or skips them. `scratch`: memory for escaped names.
 */
export function discoverFields(
  node: FieldNode,
  bytes: Uint8Array,
  at: number,
  scratch: JsonBuffer,
): void {
  if (node.reached === 0 || (bytes[at] !== BRACE && bytes[at] !== BRACKET)) return
  discover(node, bytes, at, scratch, 0)
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
    const end = skipString(bytes, at + 1)
    const child = childOf(node, bytes, at + 1, end, key)
    at =
      child.reached !== 0
        ? discover(child, bytes, end + 1, key, depth + 1)
        : skipValue(bytes, end + 1)
  } while (bytes[at] === COMMA)
  return at + 1
}

/** Returns the child whose key is the string bytes[quote, end), quotes included. */
export function childOf(
  node: FieldNode,
  bytes: Uint8Array,
  quote: number,
  end: number,
  scratch: JsonBuffer,
): FieldNode {
  for (let i = quote + 1; i < end - 1; i++) {
    if (bytes[i] !== BACKSLASH) continue
    scratch.clear()
    unescapeInto(bytes, quote + 1, end - 1, scratch)
    return node.child(scratch.bytes, 0, scratch.length)
  }
  return node.child(bytes, quote + 1, end - 1)
}
