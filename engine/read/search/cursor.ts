// Cursors: where a walk over the hits of a search goes on (docs/search-semantics.md#walks).
//
// If only values order the hits, a cursor is the place of the last hit in that order: its values and
// its document id. The next page begins behind that place, after changes as well, and costs
// the same at any depth. For other searches a cursor counts the hits so far, and holds only as long
// as the search finds the same documents.
//
// A cursor comes back from clients, so it is checked like any input.
import { type ExactNumber, xxh3 } from '../../../format/bytes/index.ts'
import type { DocId } from '../../../format/ids.ts'
import { EngineFault, type SearchRequest } from '../../model/index.ts'
import type { SearchableView } from '../jobs/index.ts'

/** The values of one hit in the order of the rules. */
export type PlaceValue = ExactNumber | string | null

export type Place = { readonly values: readonly PlaceValue[]; readonly id: DocId }
/**
 * `sequence`: the view; `found`: the documents that its filter found; `now`: the moment of boosts, in
 * milliseconds since 1970, absent if none decides.
 */
export type Count = {
  readonly seen: number
  readonly sequence: number
  readonly found: number
  readonly now?: number
}
export type Cursor = { readonly place: Place } | { readonly count: Count }

const VERSION = 1
/** Units of the longest text that is read: values of a few sorts, of 468 bytes each. */
const CURSOR_UNITS_MAX = 16_384

/** Returns the text of a cursor, for the same search only. */
export function cursorText(search: string, cursor: Cursor): string {
  const text = JSON.stringify([VERSION, search, ...contentOf(cursor)])
  return Buffer.from(`${hashOf(text)}${text}`).toString('base64url')
}

function contentOf(cursor: Cursor): readonly unknown[] {
  if ('place' in cursor) return [cursor.place.values.map(sent), cursor.place.id]
  const { seen, sequence, found, now } = cursor.count
  return now === undefined ? [seen, sequence, found] : [seen, sequence, found, now]
}

/** Reads a cursor of this search. @throws EngineFault invalid_search_search_after */
export function readCursor(text: string, search: string): Cursor {
  const content = listIn(text)
  if (content === null || content[0] !== VERSION)
    throw refusedCursor('is not a cursor of an answer')
  if (content[1] !== search) {
    throw refusedCursor(
      'comes from another search: only the page size and what hits show may differ',
    )
  }
  const [, , first, second, third, now] = content
  if (Array.isArray(first) && content.length === 4 && isCount(second)) {
    const values = first.map(received)
    if (!values.includes(undefined)) {
      return { place: { values: values as readonly PlaceValue[], id: second as DocId } }
    }
  }
  if (content.length <= 6 && isCount(first) && isCount(second) && isCount(third)) {
    const count = { seen: first, sequence: second, found: third }
    if (content.length === 5) return { count }
    if (isCount(now)) return { count: { ...count, now } }
  }
  throw refusedCursor('is not a cursor of an answer')
}

export const refusedCursor = (words: string): EngineFault =>
  new EngineFault('invalid_search_search_after', `Invalid value at \`.searchAfter\`: it ${words}.`)

/** Members that decide which hits a search finds, and their order. */
const DECIDING = [
  'q',
  'filter',
  'sort',
  'distinct',
  'matchingStrategy',
  'attributesToSearchOn',
  'rankingScoreThreshold',
  'locales',
  'hybrid',
  'vector',
  'inlineRule',
  'boosts',
] as const satisfies readonly (keyof SearchRequest)[]

/** Returns a text that is the same for searches with the same hits in the same order. */
export function searchKey({ ref, settings }: SearchableView, request: SearchRequest): string {
  const members = DECIDING.map((name) => plain(request[name]))
  const { attributeWeights, boostsNow, media } = request
  // Absent by default, so that cursors of earlier versions go on.
  const weights = attributeWeights === null ? [] : [attributeWeights]
  const moment = boostsNow === null ? [] : [{ boostsNow }]
  const medium = media === null ? [] : [{ media }]
  const scope = request.sortScope === 'match' ? [request.sortScope] : []
  const syntax = request.querySyntax === 'plain' ? [] : [request.querySyntax]
  const more = [...weights, ...scope, ...syntax, ...moment, ...medium]
  const parts = [ref.index, settings.rankingRules, ...members, ...more]
  return hashOf(
    JSON.stringify(parts, (_, value) => (typeof value === 'bigint' ? `${value}n` : value)),
  )
}

/** A filter may be given as the bytes of its JSON, a vector as a typed array. */
function plain(value: unknown): unknown {
  if (value instanceof Uint8Array) return JSON.parse(Buffer.from(value).toString())
  return value instanceof Float64Array ? [...value] : value
}

function hashOf(text: string): string {
  const bytes = Buffer.from(text)
  const hash = { high: 0, low: 0 }
  xxh3(new DataView(bytes.buffer, bytes.byteOffset, bytes.length), bytes.length, hash)
  const half = (value: number): string => value.toString(16).padStart(8, '0')
  return half(hash.high) + half(hash.low)
}
const HASH_UNITS = 16

function listIn(text: string): readonly unknown[] | null {
  if (text.length > CURSOR_UNITS_MAX) return null
  const whole = Buffer.from(text, 'base64url').toString()
  const json = whole.slice(HASH_UNITS)
  if (hashOf(json) !== whole.slice(0, HASH_UNITS)) return null
  try {
    const content: unknown = JSON.parse(json)
    return Array.isArray(content) ? content : null
  } catch {
    return null
  }
}

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= 0

/** JSON has no large whole numbers: they are sent as digits in a list. */
const sent = (value: PlaceValue): unknown => (typeof value === 'bigint' ? [String(value)] : value)

/** Returns undefined for a value that no cursor has. */
function received(value: unknown): PlaceValue | undefined {
  if (value === null || typeof value === 'string' || typeof value === 'number') return value
  if (!Array.isArray(value) || typeof value[0] !== 'string') return undefined
  return /^-?\d{1,20}$/.test(value[0]) ? BigInt(value[0]) : undefined
}
