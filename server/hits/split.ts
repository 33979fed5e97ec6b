// Splits a finished search answer into its hits without parsing it, so that hits can be reordered
// or passed on as the bytes that a search thread wrote. Large answers are scanned in slices, so
// that other requests can run.
import { setImmediate as nextTurn } from 'node:timers/promises'
import {
  BRACE,
  BRACE_END,
  BRACKET,
  BRACKET_END,
  COLON,
  COMMA,
  decoder,
} from '../../format/bytes/index.ts'
import { skipSpace, skipString, skipValue } from '../../format/json/index.ts'
import { SLICE_BYTES } from './limits.ts'

type SplitAnswer = {
  /** Up to and including the opening bracket of the hits. */
  readonly before: Uint8Array
  /** Each a JSON object: views of the answer. */
  readonly hits: readonly Uint8Array[]
  /** From the closing bracket on. */
  readonly after: Uint8Array
}

const EMPTY = new Uint8Array(0)

/**
 * Splits an object with a member `hits`; without that member it has no hits. @throws
 * CorruptionError
 */
export async function splitHits(answer: Uint8Array): Promise<SplitAnswer> {
  const list = memberStart(answer, 'hits')
  if (list === null || answer[list] !== BRACKET) {
    return { before: answer, hits: [], after: EMPTY }
  }
  const { elements, end } = await elementsAt(answer, list)
  return {
    before: answer.subarray(0, list + 1),
    hits: elements,
    after: answer.subarray(end),
  }
}

/** Returns the answers in `{results: [...]}`, each a JSON object. @throws CorruptionError */
export async function splitResults(answer: Uint8Array): Promise<readonly Uint8Array[]> {
  const list = memberStart(answer, 'results')
  if (list === null || answer[list] !== BRACKET) return []
  return (await elementsAt(answer, list)).elements
}

/** Returns the answer with these hits in place of its own. */
export function joinHits(
  { before, after }: SplitAnswer,
  hits: readonly Uint8Array[],
): readonly Uint8Array[] {
  const parts: Uint8Array[] = [before]
  for (const [at, hit] of hits.entries()) {
    if (at > 0) parts.push(COMMA_BYTES)
    parts.push(hit)
  }
  parts.push(after)
  return parts
}

const COMMA_BYTES = Uint8Array.of(COMMA)

/**
 * Returns a JSON object without some of its members: the object itself if it has none of them.
 * @throws CorruptionError
 */
export function withoutMembers(object: Uint8Array, names: ReadonlySet<string>): Uint8Array {
  const kept: Uint8Array[] = []
  let isWhole = true
  for (const { name, start, end } of membersOf(object)) {
    if (names.has(name)) isWhole = false
    else kept.push(object.subarray(start, end))
  }
  if (isWhole) return object
  const bytes = kept.reduce((sum, { length }) => sum + length + 1, 1)
  const out = new Uint8Array(Math.max(bytes, 2))
  out[0] = BRACE
  let at = 1
  for (const [i, member] of kept.entries()) {
    if (i > 0) out[at++] = COMMA
    out.set(member, at)
    at += member.length
  }
  out[at] = BRACE_END
  return out
}

/** Returns the value of a member as JSON, or null if it is absent. @throws CorruptionError */
export function memberOf(object: Uint8Array, name: string): Uint8Array | null {
  const start = memberStart(object, name)
  return start === null ? null : object.subarray(start, skipValue(object, start))
}

type Member = { readonly name: string; readonly start: number; readonly end: number }

function* membersOf(object: Uint8Array): Iterable<Member> {
  let next = skipSpace(object, skipSpace(object, 0) + 1)
  while (next < object.length && object[next] !== BRACE_END) {
    const nameEnd = skipString(object, next)
    const value = valueBehind(object, nameEnd)
    const end = skipValue(object, value)
    yield { name: nameIn(object, next, nameEnd), start: next, end }
    next = skipSpace(object, end)
    if (object[next] === COMMA) next = skipSpace(object, next + 1)
  }
}

/** Returns the position where the value of a member begins, or null if it is absent. */
function memberStart(object: Uint8Array, name: string): number | null {
  let next = skipSpace(object, 0)
  if (object[next] !== BRACE) return null
  next = skipSpace(object, next + 1)
  while (next < object.length && object[next] !== BRACE_END) {
    const nameEnd = skipString(object, next)
    const value = valueBehind(object, nameEnd)
    if (nameIn(object, next, nameEnd) === name) return value
    next = skipSpace(object, skipValue(object, value))
    if (object[next] === COMMA) next = skipSpace(object, next + 1)
  }
  return null
}

function valueBehind(object: Uint8Array, nameEnd: number): number {
  const colon = skipSpace(object, nameEnd)
  return object[colon] === COLON ? skipSpace(object, colon + 1) : colon
}

const nameIn = (object: Uint8Array, start: number, end: number): string =>
  JSON.parse(decoder.decode(object.subarray(start, end))) as string

/** `end`: the position of the closing bracket of the list at `list`. */
async function elementsAt(
  bytes: Uint8Array,
  list: number,
): Promise<{ readonly elements: readonly Uint8Array[]; readonly end: number }> {
  const elements: Uint8Array[] = []
  let next = skipSpace(bytes, list + 1)
  let turnAt = next + SLICE_BYTES
  while (next < bytes.length && bytes[next] !== BRACKET_END) {
    const end = skipValue(bytes, next)
    elements.push(bytes.subarray(next, end))
    next = skipSpace(bytes, end)
    if (bytes[next] === COMMA) next = skipSpace(bytes, next + 1)
    if (next < turnAt) continue
    turnAt = next + SLICE_BYTES
    await nextTurn()
  }
  return { elements, end: next }
}
