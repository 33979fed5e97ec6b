// Partial answers as bytes, described in PARTIAL-ANSWERS.md. Written by an instance for the
// instance that merges, which also encodes its own part this way. This is validated JSON rather
// than a format of `format/`: the bytes exist only during a request and are never stored.
import { KiB } from '../../../format/bytes/index.ts'
import type { IndexUid } from '../../../format/ids.ts'
import type { JsonBuffer } from '../../../format/json/index.ts'
import {
  either,
  entry,
  flag,
  identifying,
  list,
  mapOf,
  nothing,
  number,
  object,
  objectWith,
  oneOf,
  open,
  type Schema,
  safeCount,
  text,
  texts,
} from '../../../format/schema/index.ts'
import type { InlineRuleOutcomes } from '../../model/index.ts'
import type { KeyPart } from '../retrieval/index.ts'
import { answerBuffer, searchBuffer, takeAnswer } from './answer.ts'
import { writeJson } from './json-text.ts'
import type { Answer, PartFacets } from './merge.ts'
import type { FieldValues, HitList } from './partial-answer.ts'
import {
  receivedNumber,
  SENT_NUMBER,
  type SentNumber,
  sentNumber,
  sentSort,
} from './sent-number.ts'

export const PARTIAL_VERSION = 2

/** A partial answer ends with the length of its head, in this many bytes. */
export const LENGTH_BYTES = 4

/**
 * The value of `_federation` in sent hits; the merging instance knows the name of the sender and
 * writes the origin there.
 */
export const NO_ORIGIN = '{}'

/** A number is a score; a list is the direction and value of a sort or distance. */
type SentKeyPart = number | readonly [kind: number, by: string | SentNumber | null]

const SORT_ASCENDING = 0
const SORT_DESCENDING = 1
const GEO_ASCENDING = 2
const GEO_DESCENDING = 3

type SentFacets = readonly [
  indexUid: IndexUid,
  distribution: readonly (readonly [
    field: string,
    counts: readonly (readonly [value: string, count: number])[],
  ])[],
  stats: readonly SentStats[],
]

type SentFields = readonly [indexUid: IndexUid, fields: readonly string[]]

/** Sum and number of the numbers are present if they were requested. */
export type SentStats =
  | readonly [field: string, min: SentNumber, max: SentNumber, sum?: never, count?: never]
  | readonly [field: string, min: SentNumber, max: SentNumber, sum: number, count: number]

/** Documents found of which each distinct value counts once; values are those of hits. */
export type DistinctDocuments = {
  readonly field: string
  readonly documents: readonly DistinctDocument[]
}
export type DistinctDocument = readonly [externalId: string, values: FieldValues]

/**
 * Lists about hits have one element for each hit, in order; lists of pairs name a hit by its
 * position.
 */
export type PartialHead = {
  readonly version: number
  readonly processingTimeMs: number
  readonly total: number
  readonly indexUids: readonly IndexUid[]
  /** Bytes of each hit, and the offset of its origin. */
  readonly lengths: readonly number[]
  readonly origins: readonly number[]
  /** Positions in `indexUids`. */
  readonly indexes: readonly number[]
  readonly positions: readonly number[]
  readonly scores: readonly number[]
  readonly externalIds: readonly string[]
  /** Absent if the hits were merged already, so that they cannot be merged again. */
  readonly keys?: readonly (readonly SentKeyPart[])[]
  readonly pins?: readonly (readonly [at: number, position: number])[]
  readonly scales?: readonly (readonly [at: number, scale: number])[]
  readonly semantic?: readonly number[]
  readonly values?: readonly (readonly [at: number, values: FieldValues])[]
  readonly distinct?: DistinctDocuments
  readonly facets?: readonly SentFacets[]
  /** Facets that were counted over other documents than those of `total`. */
  readonly disjunctive?: readonly SentFields[]
  readonly isSemantic?: boolean
  readonly queryVectors?: { readonly [query: string]: readonly number[] }
  /** Outcomes of the conditions of sent rules, by the position of their query. */
  readonly inlineRules?: { readonly [query: string]: InlineRuleOutcomes }
}

const FIELD_VALUE = either(text, SENT_NUMBER, flag, nothing)

const FIELD_VALUES: Schema<FieldValues> = mapOf(either(FIELD_VALUE, list(FIELD_VALUE)))

const SENT_KEY_PART: Schema<SentKeyPart> = either(
  number,
  entry<Exclude<SentKeyPart, number>>([safeCount, either(text, SENT_NUMBER, nothing)]),
)

type Outcomes = InlineRuleOutcomes
type MissingWord = Extract<Outcomes['satisfiesQueryWordsCondition'], object>
type MissingFacet = Extract<Outcomes['satisfiesFilterCondition'], object>

const SATISFIED = oneOf<'satisfied'>(['satisfied'])

const INLINE_OUTCOMES: Schema<Outcomes> = open(
  objectWith<Outcomes>(
    { satisfiesActiveCondition: flag },
    {
      satisfiesTimeCondition: oneOf(['satisfied', 'tooEarly', 'tooLate']),
      satisfiesQueryEmptyCondition: oneOf(['satisfied', 'queryNotEmpty', 'queryEmpty']),
      satisfiesQueryWordsCondition: either(
        SATISFIED,
        object<MissingWord>({ missingWord: object<MissingWord['missingWord']>({ word: text }) }),
      ),
      satisfiesFilterCondition: either(
        SATISFIED,
        object<MissingFacet>({
          missingFacet: object<MissingFacet['missingFacet']>({ facet: text }),
        }),
      ),
    },
  ),
)

export const PARTIAL_HEAD: Schema<PartialHead> = open(
  objectWith<PartialHead>(
    {
      version: safeCount,
      processingTimeMs: number,
      total: safeCount,
      indexUids: list(identifying<IndexUid>(text)),
      lengths: list(safeCount),
      origins: list(safeCount),
      indexes: list(safeCount),
      positions: list(safeCount),
      scores: list(number),
      externalIds: texts,
    },
    {
      keys: list(list(SENT_KEY_PART)),
      pins: list(entry<readonly [number, number]>([safeCount, safeCount])),
      scales: list(entry<readonly [number, number]>([safeCount, number])),
      semantic: list(safeCount),
      values: list(entry<readonly [number, FieldValues]>([safeCount, FIELD_VALUES])),
      distinct: open(
        object<DistinctDocuments>({
          field: text,
          documents: list(entry<DistinctDocument>([text, FIELD_VALUES])),
        }),
      ),
      facets: list(
        entry<SentFacets>([
          identifying<IndexUid>(text),
          list(entry([text, list(entry([text, safeCount]))])),
          list(
            either(
              entry<readonly [string, SentNumber, SentNumber]>([text, SENT_NUMBER, SENT_NUMBER]),
              entry([text, SENT_NUMBER, SENT_NUMBER, number, safeCount]),
            ),
          ),
        ]),
      ),
      disjunctive: list(entry<SentFields>([identifying<IndexUid>(text), texts])),
      isSemantic: flag,
      queryVectors: mapOf(list(number)),
      inlineRules: mapOf(INLINE_OUTCOMES),
    },
  ),
)

export const VERSIONED: Schema<{ readonly version: number }> = open(
  object<{ readonly version: number }>({ version: safeCount }),
)

/**
 * Encodes the answer of an instance that merged the whole network although only its part was
 * requested. It has no keys, so that the receiver refuses to merge it again.
 */
export function encodeMerged({ total }: Pick<Answer, 'total'>): Uint8Array {
  const { keys: _, ...members } = new HitHeads().members()
  const out = answerBuffer(KiB)
  writeHead(out, { version: PARTIAL_VERSION, total, ...members, processingTimeMs: 0 })
  return out.take()
}

/** Facts about the answer beside hits and facets. */
export type PartialFacts = Pick<
  PartialHead,
  'processingTimeMs' | 'queryVectors' | 'isSemantic' | 'distinct' | 'inlineRules'
>

/**
 * Encodes the page of an answer. `goOn` is called before each hit, `facts` after the last one.
 * @throws EngineFault for hits or facets that are too large, StorageError, errors of `goOn`
 */
export function encodePartial(
  { hits, from, to, total }: Pick<Answer, 'hits' | 'from' | 'to' | 'total'>,
  facets: readonly PartFacets[],
  goOn: () => void,
  facts: () => PartialFacts,
): Uint8Array {
  const out = searchBuffer()
  const heads = new HitHeads()
  for (let at = from; at < to; at++) {
    goOn()
    const begin = out.length
    const origin = hits.write(at, out)
    heads.add(hits, at, out.length - begin, origin)
  }
  const disjunctive = facets.flatMap(disjunctiveFields)
  writeHead(out, {
    version: PARTIAL_VERSION,
    total,
    ...heads.members(),
    ...(facets.length === 0 ? {} : { facets: facets.map(sentFacets) }),
    ...(disjunctive.length === 0 ? {} : { disjunctive }),
    ...facts(),
  })
  return takeAnswer(out)
}

function writeHead(out: JsonBuffer, head: PartialHead): void {
  const begin = out.length
  writeJson(out, JSON.stringify(head))
  const length = new Uint8Array(LENGTH_BYTES)
  new DataView(length.buffer).setUint32(0, out.length - begin, true)
  out.append(length, 0, LENGTH_BYTES)
}

/** Lists of entries, because an object would put values whose names are numbers first. */
const sentFacets = ({ indexUid, facets: { distribution, stats } }: PartFacets): SentFacets => [
  indexUid,
  [...distribution].map(([field, counts]) => [field, [...counts]] as const),
  [...stats].map(([field, { min, max, sums }]): SentStats => {
    const [low, high] = [sentNumber(min), sentNumber(max)]
    return sums === undefined ? [field, low, high] : [field, low, high, sums.sum, sums.count]
  }),
]

const disjunctiveFields = ({ indexUid, facets }: PartFacets): readonly SentFields[] => {
  const all = [...facets.counted.values()].filter(({ isDisjunctive }) => isDisjunctive)
  return all.length === 0 ? [] : [[indexUid, all.map(({ field }) => field)]]
}

/** Collects the head's lists, one hit at a time. */
class HitHeads {
  readonly #indexUids: IndexUid[] = []
  readonly #lengths: number[] = []
  readonly #origins: number[] = []
  readonly #indexes: number[] = []
  readonly #positions: number[] = []
  readonly #scores: number[] = []
  readonly #externalIds: string[] = []
  readonly #keys: (readonly SentKeyPart[])[] = []
  readonly #pins: [number, number][] = []
  readonly #scales: [number, number][] = []
  readonly #semantic: number[] = []
  readonly #values: [number, FieldValues][] = []

  add(hits: HitList, at: number, length: number, origin: number): void {
    const { parts, position, score, scale } = hits.keyAt(at)
    const place = this.#lengths.length
    const pin = hits.pinAt(at)
    const values = hits.valuesAt(at)
    this.#lengths.push(length)
    this.#origins.push(origin)
    this.#indexes.push(this.#indexOf(hits.indexUidAt(at)))
    this.#positions.push(position)
    this.#scores.push(score)
    this.#externalIds.push(hits.externalIdAt(at))
    // Pinned hits have no rule results.
    this.#keys.push(pin === null ? parts.map(sentKeyPart) : [])
    if (pin !== null) this.#pins.push([place, pin])
    if (scale !== undefined) this.#scales.push([place, scale])
    if (hits.isSemanticAt(at)) this.#semantic.push(place)
    if (values !== null) this.#values.push([place, values])
  }

  members(): HitMembers {
    return {
      indexUids: this.#indexUids,
      lengths: this.#lengths,
      origins: this.#origins,
      indexes: this.#indexes,
      positions: this.#positions,
      scores: this.#scores,
      externalIds: this.#externalIds,
      keys: this.#keys,
      ...(this.#pins.length === 0 ? {} : { pins: this.#pins }),
      ...(this.#scales.length === 0 ? {} : { scales: this.#scales }),
      ...(this.#semantic.length === 0 ? {} : { semantic: this.#semantic }),
      ...(this.#values.length === 0 ? {} : { values: this.#values }),
    }
  }

  #indexOf(uid: IndexUid): number {
    const existing = this.#indexUids.lastIndexOf(uid)
    return existing < 0 ? this.#indexUids.push(uid) - 1 : existing
  }
}

type HitMembers = Omit<
  PartialHead,
  'version' | 'total' | 'facets' | 'disjunctive' | keyof PartialFacts
>

function sentKeyPart(part: KeyPart): SentKeyPart {
  if (part.kind === 'score') return part.score
  if (part.kind === 'sort') {
    const kind = part.ascending ? SORT_ASCENDING : SORT_DESCENDING
    return [kind, part.isHidden === true ? null : sentSort(part.value)]
  }
  const kind = part.ascending ? GEO_ASCENDING : GEO_DESCENDING
  return [kind, part.isHidden === true ? null : part.distance]
}

/**
 * Distances become sorts with a direction, unlike in federated searches within one instance.
 * Returns undefined for an unknown kind or number.
 */
export function keyPartOf(sent: SentKeyPart): KeyPart | undefined {
  if (typeof sent === 'number') return { kind: 'score', score: sent }
  const [kind, by] = sent
  const value = typeof by === 'object' ? by && receivedNumber(by) : by
  if (kind > GEO_DESCENDING || (value === null && by !== null)) return undefined
  return { kind: 'sort', ascending: kind === SORT_ASCENDING || kind === GEO_ASCENDING, value }
}
