// Partial answers as bytes, for another instance. This is checked JSON, not a format of `format/`:
// the bytes live as long as a request and are never stored, and instances of different releases
// speak to each other, which JSON with a version makes easy to look at and to extend.
//
//   head: one line of JSON, a line feed │ the hits of the head in their order, as finished JSON
//
// Hits stand apart from the head because their bytes go to the client unchanged: numbers beyond
// 2^53 and the order of members would not survive parsing. The head says how long each hit is.
import { type CorruptionCode, refuse, VersionError } from '../../../format/errors.ts'
import { findFault } from '../../../format/json/index.ts'
import type { FacetStats } from '../facets/index.ts'
import { answerBuffer } from './answer.ts'
import type { Facets } from './facets.ts'
import { PARTIAL_HITS_MAX, SEARCH_BYTES_MAX } from './limits.ts'
import type { KeyPart, MergeKey } from './merge-order.ts'
import type { HitList, PartialAnswer } from './partial-answer.ts'
import { type HitHead, type PartialHead, ReceivedAnswer } from './received-answer.ts'

const SECTION = 'partial answer'
const VERSION = 1
const LINE_FEED = 0x0a

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

/** @throws EngineFault for hits or facets that are too large, StorageError */
export function encodePartial(part: PartialAnswer): Uint8Array {
  const out = answerBuffer(16 * 1024)
  const headsOf = (list: HitList): HitHead[] =>
    Array.from({ length: list.length }, (_, at) => {
      const begin = out.length
      list.write(at, out)
      return {
        key: list.keyAt(at),
        document: list.documentAt(at),
        pin: list.pinAt(at),
        distinct: list.distinctAt(at),
        bytes: out.length - begin,
      }
    })
  const facets = part.facets([])
  const head = JSON.stringify({
    version: VERSION,
    indexUid: part.indexUid,
    total: part.total([]),
    degraded: part.degraded,
    hits: headsOf(part.hits),
    pinned: headsOf(part.pinned),
    facets: facets === null ? null : entriesOf(facets),
  })
  const line = Buffer.from(`${head}\n`)
  return Buffer.concat([line, out.view()])
}

/** Lists of entries: an object would put values whose names are numbers first. */
const entriesOf = ({ distribution, stats }: Facets): object => ({
  distribution: [...distribution].map(([field, counts]) => [field, [...counts]]),
  stats: [...stats].map(([field, { min, max }]) => [field, min, max]),
})

/** Takes a view of `bytes`. @throws CorruptionError, VersionError for bytes of any other kind */
export function decodePartial(bytes: Uint8Array): PartialAnswer {
  if (bytes.length > 2 * SEARCH_BYTES_MAX) wrong('bad_length', 'a shorter answer', bytes.length)
  const end = bytes.indexOf(LINE_FEED)
  if (end < 0) wrong('bad_length', 'a head and a line feed', bytes.length)
  const head = objectOf(parsed(bytes.subarray(0, end)))
  const version = countOf(head['version'])
  if (version !== VERSION) throw new VersionError(SECTION, version, VERSION, VERSION)
  const hits = listOf(head['hits']).map(hitOf)
  const pinned = listOf(head['pinned']).map(hitOf)
  if (hits.length + pinned.length > PARTIAL_HITS_MAX) {
    wrong('bad_length', `at most ${PARTIAL_HITS_MAX} hits`, hits.length + pinned.length)
  }
  const isPlaced = pinned.every(({ pin }) => pin !== null) && hits.every(({ pin }) => pin === null)
  if (!isPlaced) wrong('bad_value', 'positions of pinned hits alone', 'others')
  const decoded: PartialHead = {
    indexUid: textOf(head['indexUid']),
    total: countOf(head['total']),
    degraded: flagOf(head['degraded']),
    facets: head['facets'] === null ? null : facetsOf(objectOf(head['facets'])),
    hits,
    pinned,
  }
  const payloads = payloadsOf(bytes, end + 1, [...hits, ...pinned])
  return new ReceivedAnswer(decoded, payloads)
}

const wrong = (code: CorruptionCode, expected: string, got: number | string): never =>
  refuse(SECTION, 0, code, expected, got)

/** The bytes of each hit, which have to be objects and nothing else. */
function payloadsOf(
  bytes: Uint8Array,
  begin: number,
  hits: readonly HitHead[],
): readonly Uint8Array[] {
  let at = begin
  const payloads = hits.map(({ bytes: length }) => {
    const payload = bytes.subarray(at, at + length)
    if (payload.length !== length) wrong('bad_length', `${length} bytes of a hit`, payload.length)
    at += length
    if (payload[0] !== 0x7b) wrong('bad_value', 'an object', 'another value')
    const fault = findFault(payload)
    if (fault !== null) refuse(SECTION, at - length, 'bad_value', 'JSON', 'other bytes')
    return payload
  })
  if (at !== bytes.length) wrong('bad_length', `${at} bytes`, bytes.length)
  return payloads
}

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(decoder.decode(bytes))
  } catch (error) {
    // Not UTF-8, or not JSON.
    if (!(error instanceof TypeError || error instanceof SyntaxError)) throw error
    return wrong('bad_value', 'JSON', error.message)
  }
}

type JsonObject = { readonly [name: string]: unknown }

const objectOf = (value: unknown): JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as JsonObject)
    : wrong('bad_value', 'an object', typeof value)

const listOf = (value: unknown): readonly unknown[] =>
  Array.isArray(value) ? value : wrong('bad_value', 'a list', typeof value)

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : wrong('bad_value', 'a text', typeof value)

const flagOf = (value: unknown): boolean =>
  typeof value === 'boolean' ? value : wrong('bad_value', 'true or false', typeof value)

const numberOf = (value: unknown): number =>
  typeof value === 'number' && Number.isFinite(value)
    ? value
    : wrong('bad_value', 'a number', typeof value)

const countOf = (value: unknown): number =>
  Number.isSafeInteger(value) && (value as number) >= 0
    ? (value as number)
    : wrong('bad_value', 'a count', typeof value)

function hitOf(value: unknown): HitHead {
  const hit = objectOf(value)
  return {
    key: keyOf(objectOf(hit['key'])),
    document: countOf(hit['document']),
    pin: hit['pin'] === null ? null : countOf(hit['pin']),
    distinct: listOf(hit['distinct']).map(textOf),
    bytes: countOf(hit['bytes']),
  }
}

const keyOf = (key: JsonObject): MergeKey => ({
  parts: listOf(key['parts']).map((part) => keyPartOf(objectOf(part))),
  score: numberOf(key['score']),
  position: countOf(key['position']),
})

function keyPartOf(part: JsonObject): KeyPart {
  switch (part['kind']) {
    case 'score':
      return { kind: 'score', score: numberOf(part['score']) }
    case 'geo': {
      const { distance } = part
      return { kind: 'geo', distance: distance === null ? null : numberOf(distance) }
    }
    case 'sort': {
      const { value } = part
      const sorted = value === null || typeof value === 'string' ? value : numberOf(value)
      return { kind: 'sort', ascending: flagOf(part['ascending']), value: sorted }
    }
    default:
      return wrong('bad_value', 'a part of a key', typeof part['kind'])
  }
}

function facetsOf(facets: JsonObject): Facets {
  const distribution = listOf(facets['distribution']).map((entry) => {
    const [field, counts] = listOf(entry)
    return [textOf(field), new Map(listOf(counts).map(countEntryOf))] as const
  })
  const stats = listOf(facets['stats']).map((entry): readonly [string, FacetStats] => {
    const [field, min, max] = listOf(entry)
    return [textOf(field), { min: numberOf(min), max: numberOf(max) }]
  })
  return { distribution: new Map(distribution), stats: new Map(stats) }
}

function countEntryOf(entry: unknown): readonly [string, number] {
  const [value, count] = listOf(entry)
  return [textOf(value), countOf(count)]
}
