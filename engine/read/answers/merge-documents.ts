// Merges pages of documents of several instances into one page, and lists of similar documents in
// the same way. Documents are not parsed: their bytes are sent to the client, without the member
// that only the merge needs.
import { BRACE, BRACKET, BRACKET_END, COMMA, KiB } from '../../../format/bytes/index.ts'
import { CorruptionError, refuse } from '../../../format/errors.ts'
import { findFault, Members, skipSpace, skipValue } from '../../../format/json/index.ts'
import { Canceled, type DocumentsMerge, EngineFault } from '../../model/index.ts'
import { ANSWER_BYTES_MAX } from '../jobs/index.ts'
import { type KeyPart, type MergeKey, mergeLists } from '../retrieval/index.ts'
import { answerBuffer } from './answer.ts'
import { receivedNumber } from './sent-number.ts'

const SECTION = 'documents of an instance'
const RESULTS = Buffer.from('results')
const TOTAL = Buffer.from('total')
const ABOVE = Buffer.from('above')
const IS_CUT = Buffer.from('isCut')
const FEDERATION = Buffer.from('_federation')

type Placed = { readonly key: MergeKey; readonly bytes: Uint8Array }

type ReadDocuments = {
  readonly total: number
  /**
   * For similar documents: the number at or above the threshold, and whether there are others
   * below.
   */
  readonly above: number
  readonly isCut: boolean
  readonly documents: readonly Placed[]
}

const wrong = (expected: string): never =>
  refuse(SECTION, 0, 'bad_value', expected, 'another value')

/**
 * Reads the answer of one instance. `position` breaks ties: the smaller one comes first. @throws
 * CorruptionError
 */
function readDocuments(bytes: Uint8Array, position: number): ReadDocuments {
  if (findFault(bytes) !== null) wrong('JSON')
  const members = new Members()
  const start = skipSpace(bytes, 0)
  if (bytes[start] !== BRACE) wrong('an object')
  members.scan(bytes, start)
  const [results, total] = [members.find(RESULTS), members.find(TOTAL)]
  if (results < 0 || total < 0) wrong('results and total')
  const count = countAt(bytes, members, total)
  const [aboveAt, cutAt] = [members.find(ABOVE), members.find(IS_CUT)]
  const above = aboveAt < 0 ? 0 : countAt(bytes, members, aboveAt)
  const isCut = cutAt >= 0 && text(bytes, members, cutAt) === 'true'
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
  return { total: count, above, isCut, documents }
}

function countAt(bytes: Uint8Array, members: Members, i: number): number {
  const count: unknown = JSON.parse(text(bytes, members, i))
  if (typeof count === 'number' && Number.isSafeInteger(count) && count >= 0) return count
  return wrong('a count')
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
  const origin = JSON.parse(text(bytes, members, at)) as Origin | null
  const { weightedScoreValues: values, externalId } = origin ?? {}
  if (!Array.isArray(values)) return wrong('score values')
  const parts = values.map(partOf)
  const hasId = typeof externalId === 'string'
  // Ties between similar documents are broken by external id over all instances.
  const key = hasId ? { parts, score: 0, position: 0, externalId } : { parts, score: 0, position }
  return { key, bytes: withoutMember(bytes, from, to, members, at) }
}

type Origin = { readonly weightedScoreValues?: unknown; readonly externalId?: unknown }

type SentPart = {
  readonly sort?: unknown
  readonly geoSort?: unknown
  readonly weightedScore?: unknown
}

/** Reads one part of a sort key: a sort value or a distance, or a similarity. */
function partOf(value: unknown): KeyPart {
  const { sort, geoSort, weightedScore } = (value ?? {}) as SentPart
  if (typeof weightedScore === 'number') return { kind: 'score', score: weightedScore }
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
  const sent = found === null || typeof found === 'string' ? found : receivedNumber(found)
  if (typeof asc !== 'boolean' || (sent === null && found !== null)) return wrong('a sort value')
  return { kind: 'sort', ascending: asc, value: sent }
}

function withoutMember(
  bytes: Uint8Array,
  from: number,
  to: number,
  members: Members,
  at: number,
): Uint8Array {
  const isFirst = at === 0
  // Removes the member's name, which is before its value, and one adjacent comma.
  const begin = isFirst ? from + 1 : members.valueEnd[at - 1]!
  const end = members.valueEnd[at]!
  const rest = isFirst && members.count > 1 ? skipSpace(bytes, end) + 1 : end
  return Buffer.concat([bytes.subarray(from, begin), bytes.subarray(rest, to)])
}

/**
 * Returns `{results, offset, limit, total}` as JSON, or the members of an answer about similar
 * documents, and `remoteErrors` if there were errors.
 * @throws EngineFault with the position of an answer that cannot be read, Canceled
 */
export function runDocumentsMerge(request: DocumentsMerge, isCanceled: () => boolean): Uint8Array {
  const { offset, limit } = request.page
  const read = request.answers.map((bytes, at) => {
    if (isCanceled()) throw new Canceled()
    return readAnswer(bytes, at)
  })
  const lists = read.map(({ documents }) => documents)
  const page = mergeLists(lists, ({ key }) => key).slice(offset, offset + limit)
  const out = answerBuffer(16 * KiB, ANSWER_BYTES_MAX)
  const begin = request.similar === undefined ? BEGIN : BEGIN_SIMILAR
  out.append(begin, 0, begin.length)
  for (const [i, { bytes }] of page.entries()) {
    if (i > 0) out.append(SEPARATOR, 0, 1)
    out.append(bytes, 0, bytes.length)
  }
  const tail = Buffer.from(`],${JSON.stringify(membersAfter(request, read)).slice(1)}`)
  out.append(tail, 0, tail.length)
  return out.take()
}

/** Returns the members after the list. */
function membersAfter(
  { page, remoteErrors, similar }: DocumentsMerge,
  read: readonly ReadDocuments[],
): object {
  const { offset, limit } = page
  const total = read.reduce((sum, answer) => sum + answer.total, 0)
  const errors = Object.keys(remoteErrors).length === 0 ? {} : { remoteErrors }
  if (similar === undefined) return { offset, limit, total, ...errors }
  const { id, sentAt, totalMax, examinedMax, showPerformanceDetails } = similar
  const above = read.reduce((sum, answer) => sum + answer.above, 0)
  // As on a single instance: documents below the threshold do not count if one of them was read.
  const isCut = examinedMax !== null && above < examinedMax && read.some((answer) => answer.isCut)
  return {
    id,
    processingTimeMs: Math.max(0, Math.floor(Date.now() - sentAt)),
    limit,
    offset,
    estimatedTotalHits: Math.min(isCut ? above : total, totalMax),
    ...(showPerformanceDetails ? { performanceDetails: {} } : {}),
    ...errors,
  }
}

const BEGIN_SIMILAR = Buffer.from('{"hits":[')
const BEGIN = Buffer.from('{"results":[')
const SEPARATOR = Buffer.from(',')

function readAnswer(bytes: Uint8Array, at: number): ReadDocuments {
  try {
    return readDocuments(bytes, at)
  } catch (error) {
    if (!(error instanceof CorruptionError)) throw error
    throw new EngineFault('remote_bad_response', error.message, {
      kind: 'answer',
      at,
      lacksScores: false,
    })
  }
}
