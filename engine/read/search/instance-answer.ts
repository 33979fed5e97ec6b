// The answer of one instance to a federated search that another instance merges: JSON like that of
// any client, whose hits tell in `_federation` what merging has to know. Hits are not parsed: their
// bytes go on to the client, with another `_federation`.
import type { CorruptionCode } from '../../../format/errors.ts'
import { refuse } from '../../../format/errors.ts'
import {
  findFault,
  type JsonBuffer,
  Members,
  skipSpace,
  skipValue,
} from '../../../format/json/index.ts'
import {
  either,
  flag,
  isValid,
  list,
  mapOf,
  nothing,
  nullable,
  number,
  object,
  objectWith,
  open,
  type Schema,
  safeCount,
  text,
} from '../../../format/schema/index.ts'
import type { Facets } from './facets.ts'
import { originText } from './hits.ts'
import { INSTANCE_HEAD_BYTES_MAX as HEAD_BYTES_MAX, PARTIAL_HITS_MAX } from './limits.ts'
import type { KeyPart, MergeKey } from './merge-order.ts'
import type { HitList, PartialAnswer } from './partial-answer.ts'

const SECTION = 'answer of an instance'
const BRACKET = 0x5b
const BRACKET_END = 0x5d
const BRACE = 0x7b
const COMMA = 0x2c

type ScoreValue =
  | { readonly weightedScore: number }
  | { readonly sort: { readonly asc: boolean; readonly value: string | number | null } }
  | { readonly geoSort: { readonly asc: boolean; readonly distance: number | null } }

type FieldValue = string | number | boolean | null
/** Values of fields by which hits are told apart and facets counted. */
type FieldValues = { readonly [field: string]: FieldValue | readonly FieldValue[] }

const FIELD_VALUE: Schema<FieldValue> = either(text, number, flag, nothing)
const FIELD_VALUES: Schema<FieldValues> = mapOf(either(FIELD_VALUE, list(FIELD_VALUE)))

type HitOrigin = {
  readonly indexUid: string
  readonly queriesPosition: number
  readonly weightedRankingScore: number
  readonly weightedScoreValues: readonly ScoreValue[]
  readonly extra_document?: FieldValues
  readonly pinnedPosition?: number | null
  readonly semantic?: boolean
}

const known = <T extends object>(schema: Schema<T>): Schema<T> => open(schema)

const SCORE_VALUE: Schema<ScoreValue> = either(
  known(object<{ weightedScore: number }>({ weightedScore: number })),
  known(
    object<Extract<ScoreValue, { sort: object }>>({
      sort: known(
        object<{ asc: boolean; value: string | number | null }>({
          asc: flag,
          value: either(text, number, nothing),
        }),
      ),
    }),
  ),
  known(
    object<Extract<ScoreValue, { geoSort: object }>>({
      geoSort: known(
        object<{ asc: boolean; distance: number | null }>({
          asc: flag,
          distance: nullable(number),
        }),
      ),
    }),
  ),
)

const ORIGIN = open(
  objectWith<HitOrigin>(
    {
      indexUid: text,
      queriesPosition: safeCount,
      weightedRankingScore: number,
      weightedScoreValues: list(SCORE_VALUE),
    },
    { extra_document: FIELD_VALUES, pinnedPosition: nullable(safeCount), semantic: flag },
  ),
)

type SentFacets = {
  readonly distribution: { readonly [field: string]: { readonly [value: string]: number } }
  readonly stats: { readonly [field: string]: { readonly min: number; readonly max: number } }
}

type AnswerHead = {
  readonly processingTimeMs?: number
  readonly estimatedTotalHits?: number
  readonly totalHits?: number
  readonly facetsByIndex?: { readonly [indexUid: string]: SentFacets }
  readonly semanticHitCount?: number | null
  readonly queryVectors?: { readonly [query: string]: readonly number[] }
}

const FACETS = known(
  object<SentFacets>({
    distribution: mapOf(mapOf(safeCount)),
    stats: mapOf(known(object<{ min: number; max: number }>({ min: number, max: number }))),
  }),
)

const HEAD = open(
  objectWith<AnswerHead>(
    {},
    {
      processingTimeMs: number,
      estimatedTotalHits: safeCount,
      totalHits: safeCount,
      facetsByIndex: mapOf(FACETS),
      semanticHitCount: nullable(safeCount),
      queryVectors: mapOf(list(number)),
    },
  ),
)

const wrong = (code: CorruptionCode, expected: string, got: number | string): never =>
  refuse(SECTION, 0, code, expected, got)

const name = (member: string): Uint8Array => Buffer.from(member)
const SCORES = 'weightedScoreValues'
const HITS = name('hits')
const FEDERATION = name('_federation')

/** What is merged of one instance. */
export class InstanceAnswer implements PartialAnswer {
  readonly indexUid = ''
  readonly skipped = 0
  readonly degraded = false
  readonly hits: HitList
  readonly pinned: HitList
  readonly facetsByIndex: ReadonlyMap<string, Facets>
  readonly processingTimeMs: number
  /** Vectors were searched. */
  readonly isSemantic: boolean
  readonly queryVectors: { readonly [query: string]: readonly number[] }
  readonly #ranked: readonly Hit[]
  readonly #total: number

  /** Views of `bytes` are kept. @throws CorruptionError for anything but such an answer */
  constructor(bytes: Uint8Array, expected: Expected) {
    if (findFault(bytes) !== null) wrong('bad_value', 'JSON', 'other bytes')
    const members = new Members()
    const start = skipSpace(bytes, 0)
    if (bytes[start] !== BRACE) wrong('bad_value', 'an object', 'another value')
    members.scan(bytes, start)
    const at = members.find(HITS)
    if (at < 0) wrong('bad_value', 'hits', 'none')
    const [from, to] = [members.valueStart[at]!, members.valueEnd[at]!]
    const headBytes = bytes.length - (to - from)
    if (headBytes > HEAD_BYTES_MAX) wrong('bad_length', `${HEAD_BYTES_MAX} bytes`, headBytes)
    const rest = Buffer.concat([bytes.subarray(start, from), Buffer.from('[]'), bytes.subarray(to)])
    const head: unknown = JSON.parse(rest.toString())
    if (!isValid(HEAD, head)) wrong('bad_value', 'an answer', 'another object')
    const {
      processingTimeMs = 0,
      estimatedTotalHits,
      totalHits,
      facetsByIndex = {},
    } = head as AnswerHead
    this.processingTimeMs = processingTimeMs
    this.isSemantic = typeof (head as AnswerHead).semanticHitCount === 'number'
    this.queryVectors = (head as AnswerHead).queryVectors ?? {}
    this.#total = totalHits ?? estimatedTotalHits ?? 0
    const hits = readHits(bytes, from, expected)
    this.#ranked = hits.filter(({ pin }) => pin === null)
    this.hits = new InstanceHits(this.#ranked)
    this.pinned = new InstanceHits(hits.filter(({ pin }) => pin !== null))
    this.facetsByIndex = new Map(
      Object.entries(facetsByIndex).map(([uid, facets]) => [uid, facetsOf(facets)]),
    )
  }

  /** What was told of a hit. */
  facetsAt(at: number): Pick<Hit, 'indexUid' | 'facetValues'> {
    return this.#ranked[at]!
  }

  total(rejected: readonly number[]): number {
    return Math.max(0, this.#total - rejected.length)
  }

  /** They are merged index by index: `facetsByIndex`. */
  facets(): null {
    return null
  }
}

const facetsOf = ({ distribution, stats }: SentFacets): Facets => ({
  distribution: new Map(
    Object.entries(distribution).map(([field, counts]) => [field, new Map(Object.entries(counts))]),
  ),
  stats: new Map(Object.entries(stats)),
})

type Hit = {
  readonly key: MergeKey
  readonly document: number
  readonly pin: number | null
  readonly distinct: readonly string[]
  readonly isSemantic: boolean
  readonly indexUid: string
  /** Values of facets, and of the distinct field. */
  readonly facetValues: FieldValues
  /** Before `_federation`, its new value, and what follows. */
  readonly pieces: readonly Uint8Array[]
}

/** What an answer may hold, and what becomes of it. */
export type Expected = {
  /**
   * The name of the instance, which hits tell; null: they tell no name; undefined: hits stay as
   * they are, for another instance that merges them.
   */
  readonly remote: string | null | undefined
  readonly distinctOf: (indexUid: string) => string | null
  /** Hits that were asked for. */
  readonly hitsMax: number
  /** Indexes that were asked about. */
  readonly indexUids: ReadonlySet<string>
}

function readHits(bytes: Uint8Array, from: number, expected: Expected): readonly Hit[] {
  if (bytes[from] !== BRACKET) wrong('bad_value', 'a list of hits', 'another value')
  const hits: Hit[] = []
  const members = new Members()
  const hitsMax = Math.min(expected.hitsMax, PARTIAL_HITS_MAX)
  let originBytes = 0
  let at = skipSpace(bytes, from + 1)
  while (bytes[at] !== BRACKET_END) {
    if (hits.length === hitsMax) wrong('bad_length', 'fewer hits', hits.length)
    if (bytes[at] !== BRACE) wrong('bad_value', 'a hit', 'another value')
    const end = skipValue(bytes, at)
    members.scan(bytes, at)
    const origin = members.find(FEDERATION)
    if (origin < 0) wrong('bad_value', '`_federation`', 'none')
    originBytes += members.valueEnd[origin]! - members.valueStart[origin]!
    if (originBytes > HEAD_BYTES_MAX) wrong('bad_length', `${HEAD_BYTES_MAX} bytes`, originBytes)
    hits.push(readHit(bytes, [at, end], members, origin, hits.length, expected))
    at = skipSpace(bytes, end)
    if (bytes[at] === COMMA) at = skipSpace(bytes, at + 1)
  }
  return hits
}

function readHit(
  bytes: Uint8Array,
  [from, to]: readonly [number, number],
  members: Members,
  at: number,
  document: number,
  { remote, distinctOf, indexUids }: Expected,
): Hit {
  const [start, end] = [members.valueStart[at]!, members.valueEnd[at]!]
  const origin: unknown = JSON.parse(Buffer.from(bytes.subarray(start, end)).toString())
  const hasScores = typeof origin === 'object' && origin !== null && SCORES in origin
  if (!hasScores) return wrong('bad_value', `\`._federation.${SCORES}\``, 'none')
  if (!isValid(ORIGIN, origin)) return wrong('bad_value', 'an origin', 'another value')
  const { indexUid, queriesPosition, weightedRankingScore } = origin
  if (!indexUids.has(indexUid)) wrong('bad_value', 'an index that was asked about', 'another')
  const shown = originText(indexUid, queriesPosition, weightedRankingScore, remote ?? null)
  return {
    key: {
      parts: origin.weightedScoreValues.map(keyPart),
      score: weightedRankingScore,
      position: queriesPosition,
    },
    document,
    pin: origin.pinnedPosition ?? null,
    distinct: distinctTexts(origin.extra_document ?? {}, distinctOf(indexUid)),
    indexUid,
    facetValues: origin.extra_document ?? {},
    isSemantic: origin.semantic === true,
    pieces:
      remote === undefined
        ? [bytes.subarray(from, to)]
        : [bytes.subarray(from, start), Buffer.from(shown), bytes.subarray(end, to)],
  }
}

/** Distances are ordered as the search asks, unlike those of federated searches of one instance. */
function keyPart(value: ScoreValue): KeyPart {
  if ('weightedScore' in value) return { kind: 'score', score: value.weightedScore }
  if ('sort' in value) {
    return { kind: 'sort', ascending: value.sort.asc, value: value.sort.value }
  }
  return { kind: 'sort', ascending: value.geoSort.asc, value: value.geoSort.distance }
}

const distinctTexts = (document: FieldValues, field: string | null): readonly string[] => {
  const value = field === null ? undefined : document[field]
  if (value === undefined) return []
  const values: readonly unknown[] = Array.isArray(value) ? value : [value]
  return values.map((one) => `${typeof one}:${String(one)}`)
}

class InstanceHits implements HitList {
  readonly #hits: readonly Hit[]

  constructor(hits: readonly Hit[]) {
    this.#hits = hits
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
    return this.#hits[at]!.distinct
  }

  write(at: number, out: JsonBuffer): void {
    for (const piece of this.#hits[at]!.pieces) out.append(piece, 0, piece.length)
  }
}
