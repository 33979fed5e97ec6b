// Pages of documents of several instances as one page. Documents are not parsed: their bytes go on
// to the client without what only merging needs.
import { CorruptionError, refuse } from '../../../format/errors.ts'
import { findFault, Members, skipSpace, skipValue } from '../../../format/json/index.ts'
import { type KeyPart, type MergeKey, mergeLists } from './merge-order.ts'

const SECTION = 'documents of an instance'
const BRACE = 0x7b
const BRACKET = 0x5b
const BRACKET_END = 0x5d
const COMMA = 0x2c
const RESULTS = Buffer.from('results')
const TOTAL = Buffer.from('total')
const FEDERATION = Buffer.from('_federation')

export type DocumentsPage = { readonly offset: number; readonly limit: number }

type Placed = { readonly key: MergeKey; readonly bytes: Uint8Array }

export type ReadDocuments = { readonly total: number; readonly documents: readonly Placed[] }

const wrong = (expected: string): never =>
  refuse(SECTION, 0, 'bad_value', expected, 'another value')

/** The answer of one instance; `position`: the smaller one goes first. @throws CorruptionError */
export function readDocuments(bytes: Uint8Array, position: number): ReadDocuments {
  if (findFault(bytes) !== null) wrong('JSON')
  const members = new Members()
  const start = skipSpace(bytes, 0)
  if (bytes[start] !== BRACE) wrong('an object')
  members.scan(bytes, start)
  const [results, total] = [members.find(RESULTS), members.find(TOTAL)]
  if (results < 0 || total < 0) wrong('results and total')
  const count: unknown = JSON.parse(text(bytes, members, total))
  if (typeof count !== 'number' || !Number.isSafeInteger(count) || count < 0)
    return wrong('a count')
  let at = members.valueStart[results]!
  if (bytes[at] !== BRACKET) wrong('a list')
  at = skipSpace(bytes, at + 1)
  const documents: Placed[] = []
  while (bytes[at] !== BRACKET_END) {
    if (bytes[at] !== BRACE) wrong('a document')
    const end = skipValue(bytes, at)
    members.scan(bytes, at)
    documents.push(readDocument(bytes, at, end, members, position))
    at = skipSpace(bytes, end)
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1)
  }
  return { total: count, documents }
}

const text = (bytes: Uint8Array, members: Members, i: number): string =>
  Buffer.from(bytes.subarray(members.valueStart[i]!, members.valueEnd[i]!)).toString()

function readDocument(
  bytes: Uint8Array,
  from: number,
  to: number,
  members: Members,
  position: number,
): Placed {
  const at = members.find(FEDERATION)
  if (at < 0) return { key: { parts: [], score: 0, position }, bytes: bytes.subarray(from, to) }
  const origin = JSON.parse(text(bytes, members, at)) as { weightedScoreValues?: unknown } | null
  const values = origin?.weightedScoreValues
  if (!Array.isArray(values)) return wrong('score values')
  const key = { parts: values.map(partOf), score: 0, position }
  return { key, bytes: withoutMember(bytes, from, to, members, at) }
}

/** Sorts and distances alone order documents. */
function partOf(value: unknown): KeyPart {
  const { sort, geoSort } = (value ?? {}) as { readonly sort?: unknown; readonly geoSort?: unknown }
  const {
    asc,
    value: by,
    distance,
  } = (sort ?? geoSort ?? {}) as {
    readonly asc?: unknown
    readonly value?: unknown
    readonly distance?: unknown
  }
  const found = by ?? distance ?? null
  const isValue = found === null || typeof found === 'number' || typeof found === 'string'
  if (typeof asc !== 'boolean' || !isValue) return wrong('a sort value')
  return { kind: 'sort', ascending: asc, value: found }
}

function withoutMember(
  bytes: Uint8Array,
  from: number,
  to: number,
  members: Members,
  at: number,
): Uint8Array {
  const isFirst = at === 0
  // The name begins before its value: its quote, and the comma that goes with it.
  const begin = isFirst ? from + 1 : members.valueEnd[at - 1]!
  const end = members.valueEnd[at]!
  const rest = isFirst && members.count > 1 ? skipSpace(bytes, end) + 1 : end
  return Buffer.concat([bytes.subarray(from, begin), bytes.subarray(rest, to)])
}

/** `{results, offset, limit, total}`, then `remoteErrors` where there are any. */
export function mergeDocuments(
  answers: readonly ReadDocuments[],
  { offset, limit }: DocumentsPage,
  remoteErrors: { readonly [remote: string]: unknown },
): Uint8Array {
  const lists = answers.map(({ documents }) => documents)
  const page = mergeLists(lists, ({ key }) => key).slice(offset, offset + limit)
  const total = answers.reduce((sum, answer) => sum + answer.total, 0)
  const pieces: Uint8Array[] = [Buffer.from('{"results":[')]
  for (const [i, { bytes }] of page.entries()) {
    if (i > 0) pieces.push(Buffer.from(','))
    pieces.push(bytes)
  }
  const errors = Object.keys(remoteErrors).length === 0 ? {} : { remoteErrors }
  const tail = JSON.stringify({ offset, limit, total, ...errors })
  pieces.push(Buffer.from(`],${tail.slice(1)}`))
  return Buffer.concat(pieces)
}

export const isUnreadable = (error: unknown): boolean => error instanceof CorruptionError
