// Partial answers as bytes, for another instance: PARTIAL-ANSWERS.md. This is checked JSON, not a
// format of `format/`: the bytes live as long as a request and are never stored, and instances of
// different releases speak to each other, which JSON with a version makes easy to look at and to
// extend.
import { KiB } from '../../../format/bytes/index.ts'
import { type CorruptionCode, refuse, VersionError } from '../../../format/errors.ts'
import { findFault } from '../../../format/json/index.ts'
import {
  checkedValue,
  decodedJson,
  either,
  entry,
  flag,
  list,
  type MemberSchemas,
  nothing,
  nullable,
  number,
  object,
  oneOf,
  open,
  type Schema,
  safeCount,
  text,
  texts,
} from '../../../format/schema/index.ts'
import { answerBuffer } from './answer.ts'
import type { Facets } from './facets.ts'
import { PARTIAL_HITS_MAX, SEARCH_BYTES_MAX } from './limits.ts'
import type { KeyPart, MergeKey } from './merge-order.ts'
import type { HitList, PartialAnswer } from './partial-answer.ts'
import { type HitHead, type PartialHead, ReceivedAnswer } from './received-answer.ts'

const SECTION = 'partial answer'
const VERSION = 1
const LINE_FEED = 0x0a

/** @throws EngineFault for hits or facets that are too large, StorageError */
export function encodePartial(part: PartialAnswer): Uint8Array {
  const out = answerBuffer(16 * KiB)
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

type SentFacets = {
  readonly distribution: readonly (readonly [
    field: string,
    counts: readonly (readonly [value: string, count: number])[],
  ])[]
  readonly stats: readonly (readonly [field: string, min: number, max: number])[]
}
type SentHead = Omit<PartialHead, 'facets'> & { readonly facets: SentFacets | null }

/** Other releases may say more: members that are not known are passed over. */
const known = <T extends object>(members: MemberSchemas<T>): Schema<T> => open(object<T>(members))

type PartOf<K extends KeyPart['kind']> = Extract<KeyPart, { kind: K }>

const KEY_PART: Schema<KeyPart> = either(
  known<PartOf<'score'>>({ kind: oneOf(['score']), score: number }),
  known<PartOf<'geo'>>({ kind: oneOf(['geo']), ascending: flag, distance: nullable(number) }),
  known<PartOf<'sort'>>({
    kind: oneOf(['sort']),
    ascending: flag,
    value: either(text, number, nothing),
  }),
)

/** `pin`: null, or the position of a pinned hit. */
const hitSchema = (pin: Schema<number | null>): Schema<HitHead> =>
  known<HitHead>({
    key: known<MergeKey>({ parts: list(KEY_PART), score: number, position: safeCount }),
    document: safeCount,
    pin,
    distinct: texts,
    bytes: safeCount,
  })

const HEAD = known<SentHead>({
  indexUid: text,
  total: safeCount,
  degraded: flag,
  hits: list(hitSchema(nothing)),
  pinned: list(hitSchema(safeCount)),
  facets: nullable(
    known<SentFacets>({
      distribution: list(entry([text, list(entry([text, safeCount]))])),
      stats: list(entry([text, number, number])),
    }),
  ),
})

const VERSIONED = known<{ readonly version: number }>({ version: safeCount })

/** Takes a view of `bytes`. @throws CorruptionError, VersionError for bytes of any other kind */
export function decodePartial(bytes: Uint8Array): PartialAnswer {
  if (bytes.length > 2 * SEARCH_BYTES_MAX) wrong('bad_length', 'a shorter answer', bytes.length)
  const end = bytes.indexOf(LINE_FEED)
  if (end < 0) wrong('bad_length', 'a head and a line feed', bytes.length)
  const sent = decodedJson(VERSIONED, bytes.subarray(0, end), SECTION)
  if (sent.version !== VERSION) throw new VersionError(SECTION, sent.version, VERSION, VERSION)
  const { facets, ...head } = checkedValue(HEAD, sent, SECTION)
  const hits = [...head.hits, ...head.pinned]
  if (hits.length > PARTIAL_HITS_MAX) {
    wrong('bad_length', `at most ${PARTIAL_HITS_MAX} hits`, hits.length)
  }
  const payloads = payloadsOf(bytes, end + 1, hits)
  return new ReceivedAnswer(
    { ...head, facets: facets === null ? null : facetsOf(facets) },
    payloads,
  )
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

function facetsOf({ distribution, stats }: SentFacets): Facets {
  const ranges = stats.map(([field, min, max]) => [field, { min, max }] as const)
  return {
    distribution: new Map(distribution.map(([field, counts]) => [field, new Map(counts)])),
    stats: new Map(ranges),
  }
}
