// A partial answer received as bytes: its hits are finished JSON and its counts are fixed. Answers
// of other instances are validated; hits are not parsed, their bytes go to the client. Most hits of
// an answer are not on the page, so a hit is checked when it is written.
import { BRACE, COMMA, decoder, type ExactNumber } from '../../../format/bytes/index.ts'
import { type CorruptionCode, refuse, VersionError } from '../../../format/errors.ts'
import { asIndexUid, type IndexUid } from '../../../format/ids.ts'
import { findFault, type JsonBuffer } from '../../../format/json/index.ts'
import { checkedValue, decodedJson } from '../../../format/schema/index.ts'
import type { FacetRequest, Federation } from '../../model/index.ts'
import { countedFacet, type FacetStats, selects } from '../facets/index.ts'
import {
  DISTINCT_SENT_MAX,
  INSTANCE_HEAD_BYTES_MAX as HEAD_BYTES_MAX,
  PARTIAL_HITS_MAX,
} from '../jobs/index.ts'
import type { KeyPart, MergeKey } from '../retrieval/index.ts'
import type { Facets } from './facets.ts'
import { originText, proxiedOrigin } from './hits.ts'
import { writeJson } from './json-text.ts'
import type { FieldValues, HitList, PartialAnswer } from './partial-answer.ts'
import {
  type DistinctDocuments,
  keyPartOf,
  LENGTH_BYTES,
  NO_ORIGIN,
  PARTIAL_HEAD,
  PARTIAL_VERSION,
  type PartialHead,
  type SentStats,
  VERSIONED,
} from './partial-json.ts'
import { receivedNumber, type SentNumber, sentKey } from './sent-number.ts'

const SECTION = 'partial answer'
/** The section of an error about an answer without sort keys. */
export const SORT_KEYS = 'sort keys of a partial answer'
/**
 * In JSON these bytes occur only as a member of that name, because a quote inside a text is
 * escaped.
 */
const FEDERATION = Buffer.from(`"_federation":${NO_ORIGIN}`)
const NAME_BYTES = FEDERATION.length - NO_ORIGIN.length

const wrong = (code: CorruptionCode, expected: string, got: number | string): never =>
  refuse(SECTION, 0, code, expected, got)

/** Limits on an answer, and how its hits are written. */
export type Expected = {
  /** The name of its instance, shown in hits; null if it has no name. */
  readonly remote: string | null
  /** True if hits carry everything that another merging instance needs. */
  readonly withDetails: boolean
  /** True for bytes of this instance, which are not validated. */
  readonly isOwn: boolean
  readonly distinctOf: (indexUid: IndexUid) => string | null
  /** Number of hits requested. */
  readonly hitsMax: number
  /** Indexes that were requested. */
  readonly indexUids: ReadonlySet<IndexUid>
  /** Facets that were requested, as of `Federation`. */
  readonly facetsByIndex: Federation['facetsByIndex']
}

type Hit = {
  readonly key: MergeKey
  readonly document: number
  readonly pin: number | null
  readonly isSemantic: boolean
  readonly indexUid: IndexUid
  readonly values: FieldValues | null
  /** Where its bytes begin and end in those of the answer. */
  readonly begin: number
  readonly end: number
  /** Offset of its origin, from `begin`. */
  readonly originAt: number
}

const NONE = new Map<number, never>()

const mapOfPairs = <T>(
  pairs: readonly (readonly [number, T])[] | undefined,
): ReadonlyMap<number, T> => (pairs === undefined ? NONE : new Map<number, T>(pairs))

export class ReceivedAnswer implements PartialAnswer {
  readonly indexUid = asIndexUid('')
  readonly skipped = 0
  readonly degraded = false
  readonly hits: ReceivedHits
  readonly pinned: ReceivedHits
  readonly facetsByIndex: ReadonlyMap<IndexUid, Facets>
  /** Documents of which each distinct value counts once; null if they were not sent. */
  readonly distinct: DistinctDocuments | null
  readonly processingTimeMs: number
  /** True if vectors were searched. */
  readonly isSemantic: boolean
  readonly queryVectors: { readonly [query: string]: readonly number[] }
  readonly inlineRules: NonNullable<PartialHead['inlineRules']>
  readonly #total: number

  /** Holds views of `bytes`. @throws CorruptionError, VersionError for invalid bytes */
  constructor(bytes: Uint8Array, expected: Expected) {
    const { head, hitBytes } = readHead(bytes, expected)
    const hits = hitsOf(head, hitBytes, expected)
    const ranked = head.pins === undefined ? hits : hits.filter(({ pin }) => pin === null)
    this.hits = new ReceivedHits(ranked, bytes, expected)
    const pinned = ranked.length === hits.length ? [] : hits.filter(({ pin }) => pin !== null)
    this.pinned = new ReceivedHits(pinned, bytes, expected)
    this.#total = head.total
    this.processingTimeMs = head.processingTimeMs
    this.isSemantic = head.isSemantic === true
    this.queryVectors = head.queryVectors ?? {}
    this.inlineRules = head.inlineRules ?? {}
    if (!expected.isOwn) checkFacets(head, expected)
    this.facetsByIndex = facetsOf(head, expected)
    this.distinct = head.distinct ?? null
    const sent = this.distinct?.documents.length ?? 0
    if (sent > DISTINCT_SENT_MAX) {
      wrong('bad_length', `at most ${DISTINCT_SENT_MAX} distinct documents`, sent)
    }
  }

  /** At least zero, even if the sender counted fewer. */
  total(rejected: readonly number[]): number {
    return Math.max(0, this.#total - rejected.length)
  }

  /** Facets are merged by index: see `facetsByIndex`. */
  facets(): null {
    return null
  }

  /** Checks all hits, those that are not shown included. @throws CorruptionError */
  checkHits(): void {
    this.hits.check()
    this.pinned.check()
  }
}

type ReadHead = { readonly head: PartialHead; readonly hitBytes: number }

function readHead(bytes: Uint8Array, { isOwn }: Expected): ReadHead {
  const end = bytes.length - LENGTH_BYTES
  if (end < 0) wrong('bad_length', 'a length', bytes.length)
  const length = new DataView(bytes.buffer, bytes.byteOffset + end, LENGTH_BYTES).getUint32(0, true)
  if (length > HEAD_BYTES_MAX) wrong('bad_length', `a head of ${HEAD_BYTES_MAX} bytes`, length)
  const hitBytes = end - length
  if (hitBytes < 0) wrong('bad_length', `${length} bytes of a head`, end)
  // A copy, because decoders refuse shared memory.
  const text = Uint8Array.prototype.slice.call(bytes, hitBytes, end)
  if (isOwn) return { head: JSON.parse(decoder.decode(text)) as PartialHead, hitBytes }
  const sent = decodedJson(VERSIONED, text, SECTION)
  if (sent.version !== PARTIAL_VERSION) {
    throw new VersionError(SECTION, sent.version, PARTIAL_VERSION, PARTIAL_VERSION)
  }
  return { head: checkedValue(PARTIAL_HEAD, sent, SECTION), hitBytes }
}

/** Other facets would take the place of those of this instance. @throws CorruptionError */
function checkFacets({ facets = [] }: PartialHead, expected: Expected): void {
  for (const [indexUid, distribution, stats] of facets) {
    const requested = requestedOf(expected, indexUid)
    const other = [...distribution, ...stats].find(
      ([field]) => !requested.some((one) => selects(one, field)),
    )
    if (requested.length > 0 && other === undefined) continue
    wrong('bad_value', 'requested facets', `${indexUid}: ${other?.[0] ?? ''}`)
  }
}

const requestedOf = ({ facetsByIndex }: Expected, indexUid: IndexUid): readonly FacetRequest[] =>
  (Object.hasOwn(facetsByIndex, indexUid) ? facetsByIndex[indexUid] : null) ?? []

const facetsOf = (
  { facets = [], disjunctive = [] }: PartialHead,
  expected: Expected,
): ReadonlyMap<IndexUid, Facets> =>
  new Map(
    facets.map(([indexUid, distribution, stats]) => {
      const requested = requestedOf(expected, indexUid)
      const apart = new Set(disjunctive.find(([uid]) => uid === indexUid)?.[1])
      const fields = new Set([...distribution, ...stats].map(([field]) => field))
      const counted = [...fields].map((field) => {
        const isDisjunctive = apart.has(field)
        return [field, { ...countedFacet(requested, field), isDisjunctive }] as const
      })
      return [
        indexUid,
        {
          distribution: new Map(distribution.map(([field, counts]) => [field, new Map(counts)])),
          stats: new Map(stats.map((sent) => [sent[0], statsOf(sent)])),
          counted: new Map(counted),
        },
      ]
    }),
  )

function statsOf([, min, max, sum, count]: SentStats): FacetStats {
  const ends = { min: exactly(min), max: exactly(max) }
  return sum === undefined || count === undefined ? ends : { ...ends, sums: { sum, count } }
}

const exactly = (sent: SentNumber): ExactNumber =>
  receivedNumber(sent) ?? wrong('bad_value', 'a number', 'another value')

function hitsOf(head: PartialHead, hitBytes: number, expected: Expected): readonly Hit[] {
  const { lengths, origins, indexes, positions, scores, externalIds, indexUids } = head
  const keys = head.keys ?? refuse(SORT_KEYS, 0, 'bad_value', 'one for each hit', 'none')
  const count = lengths.length
  const hitsMax = Math.min(expected.hitsMax, PARTIAL_HITS_MAX)
  if (count > hitsMax) wrong('bad_length', `at most ${hitsMax} hits`, count)
  for (const list of [origins, indexes, positions, scores, externalIds, keys]) {
    if (list.length !== count) wrong('bad_length', `something of ${count} hits`, list.length)
  }
  const pins = mapOfPairs(head.pins)
  const scales = mapOfPairs(head.scales)
  const semantic = new Set(head.semantic)
  const values = mapOfPairs(head.values)
  let at = 0
  const hits = lengths.map((length, i): Hit => {
    const begin = at
    at += length
    if (at > hitBytes) wrong('bad_length', `${length} bytes of a hit`, hitBytes - begin)
    const indexUid = indexUids[indexes[i]!]
    if (indexUid === undefined || !expected.indexUids.has(indexUid)) {
      return wrong('bad_value', 'a requested index', 'another')
    }
    const parts = keys[i]!.map((part): KeyPart => {
      return keyPartOf(part) ?? wrong('bad_value', 'a part of a key', 'another value')
    })
    const scale = scales.get(i)
    return {
      key: {
        parts,
        score: scores[i]!,
        position: positions[i]!,
        externalId: externalIds[i]!,
        ...(scale === undefined ? {} : { scale }),
      },
      document: i,
      pin: pins.get(i) ?? null,
      isSemantic: semantic.has(i),
      indexUid,
      values: values.get(i) ?? null,
      begin,
      end: at,
      originAt: origins[i]!,
    }
  })
  if (at !== hitBytes) wrong('bad_length', `${at} bytes of hits`, hitBytes)
  return hits
}

/**
 * Checks that a hit is one JSON object with an empty origin at `originAt`, which can be replaced.
 */
function checkHit(hit: Uint8Array, originAt: number): void {
  if (hit[0] !== BRACE || findFault(hit) !== null) wrong('bad_value', 'an object', 'other bytes')
  const begin = originAt - NAME_BYTES
  const before = hit[begin - 1]
  const isMember = begin > 0 && (before === COMMA || before === BRACE)
  if (!isMember) wrong('bad_value', '`_federation`', 'none')
  for (let i = 0; i < FEDERATION.length; i++) {
    if (hit[begin + i] !== FEDERATION[i]) wrong('bad_value', '`_federation`', 'none')
  }
}

class ReceivedHits implements HitList {
  readonly #hits: readonly Hit[]
  /** Of the answer. */
  readonly #bytes: Uint8Array
  readonly #expected: Expected

  constructor(hits: readonly Hit[], bytes: Uint8Array, expected: Expected) {
    this.#hits = hits
    this.#bytes = bytes
    this.#expected = expected
  }

  /** @throws CorruptionError for an invalid hit of another instance */
  check(): void {
    for (const { begin, end, originAt } of this.#hits) this.#checked(begin, end, originAt)
  }

  #checked(begin: number, end: number, originAt: number): Uint8Array {
    const hit = this.#bytes.subarray(begin, end)
    if (!this.#expected.isOwn) checkHit(hit, originAt)
    return hit
  }

  get length(): number {
    return this.#hits.length
  }

  keyAt(at: number): MergeKey {
    return this.#hits[at]!.key
  }

  documentAt(at: number): number {
    return this.#hits[at]!.document
  }

  pinAt(at: number): number | null {
    return this.#hits[at]!.pin
  }

  isSemanticAt(at: number): boolean {
    return this.#hits[at]!.isSemantic
  }

  distinctAt(at: number): readonly string[] {
    const { indexUid, values } = this.#hits[at]!
    const field = this.#expected.distinctOf(indexUid)
    const value = field === null ? undefined : values?.[field]
    if (value === undefined) return []
    const all: readonly unknown[] = Array.isArray(value) ? value : [value]
    return all.map(sentKey)
  }

  externalIdAt(at: number): string {
    return this.#hits[at]!.key.externalId ?? ''
  }

  indexUidAt(at: number): IndexUid {
    return this.#hits[at]!.indexUid
  }

  valuesAt(at: number): FieldValues | null {
    return this.#hits[at]!.values
  }

  /** @throws CorruptionError for an invalid hit of another instance */
  write(at: number, out: JsonBuffer): number {
    const hit = this.#hits[at]!
    const { originAt } = hit
    const bytes = this.#checked(hit.begin, hit.end, originAt)
    out.append(bytes, 0, originAt)
    writeJson(out, this.#origin(hit))
    out.append(bytes, originAt + NO_ORIGIN.length, bytes.length)
    return originAt
  }

  #origin({ key, indexUid, values, pin, isSemantic }: Hit): string {
    const { remote, withDetails } = this.#expected
    return withDetails
      ? JSON.stringify(proxiedOrigin(indexUid, key, values ?? {}, pin, isSemantic))
      : originText(indexUid, key.position, key.score, remote)
  }
}
