// Writes hits as JSON: fields as stored, then the members that the search adds
// (docs/search-semantics.md#what-a-hit-shows).
import { BRACE, BRACE_END, COMMA } from '../../../format/bytes/index.ts'
import { RecordFields } from '../../../format/documents/index.ts'
import type { DocId, FieldId, IndexUid } from '../../../format/ids.ts'
import { floatText, type JsonBuffer, Members } from '../../../format/json/index.ts'
import type { SearchRequest } from '../../model/index.ts'
import { covers } from '../../settings/schema/index.ts'
import type { SortTree } from '../filter/index.ts'
import { distanceMetres } from '../geo/index.ts'
import type { SearchableView } from '../jobs/index.ts'
import { HitFormatter, Matcher, otherForms, renderDetails, Selection } from '../present/index.ts'
import type { QueryGraph } from '../query-graph/index.ts'
import { scaledScore } from '../rank/index.ts'
import type {
  ForeignIndexes,
  Hydrator,
  KeyPart,
  MergeKey,
  PlacedHit,
  Scales,
} from '../retrieval/index.ts'
import { DocumentVectorsWriter } from './document-vectors.ts'
import { writeJson } from './json-text.ts'
import type { FieldValues } from './partial-answer.ts'
import { sentSort } from './sent-number.ts'

/** Distances are shown only from a point written without exponents. */
const PLAIN_POINT = /^\s*_geoPoint\([\s\d.+-]*,[\s\d.+-]*\)/

type GeoTarget = { readonly latitude: number; readonly longitude: number }

export class HitWriter {
  readonly #view: SearchableView
  readonly #request: SearchRequest
  readonly #selection: Selection
  /** Null if the request asks for neither formatting nor match positions. */
  readonly #formatter: HitFormatter | null
  /** The point from which distances are shown, if the request sorts by one and `_geo` is shown. */
  readonly #target: GeoTarget | null
  readonly #geoField: number
  readonly #vectorsField: number
  /** Null if vectors are not shown. */
  readonly #vectors: DocumentVectorsWriter | null
  /** Replaces foreign keys with documents; null if the index has none. */
  readonly #hydrator: Hydrator | null
  /** Null if no document is scaled. */
  readonly #scales: Scales | null
  /** The words of the query that a document has only in another form. */
  readonly #otherForms: (id: DocId) => readonly string[]
  readonly #fields = new RecordFields()

  /** `graph`: the query graph after ranking, because ranking looks up words with typos. */
  constructor(
    view: SearchableView,
    request: SearchRequest,
    sort: SortTree,
    graph: QueryGraph | null,
    foreign: ForeignIndexes | null = null,
    scales: Scales | null = null,
  ) {
    this.#scales = scales
    this.#otherForms = otherForms(request.showRankingScoreDetails ? graph : null)
    this.#hydrator = foreign?.hydratorOf(view) ?? null
    this.#view = view
    this.#request = request
    const names = retrieved(view, request)
    this.#selection = new Selection(names, view.search.fields)
    this.#geoField = view.fieldId('_geo') ?? -1
    this.#vectorsField = view.fieldId('_vectors') ?? -1
    const withVectors = request.retrieveVectors && showsVectors(view)
    this.#vectors = withVectors ? new DocumentVectorsWriter(view) : null
    this.#formatter = needsFormatter(request)
      ? new HitFormatter(
          request,
          { displayed: displayedNames(view), retrieved: names, without: this.#vectorsField },
          Matcher.of(graph),
          view.search,
        )
      : null
    const target = sort.find(
      (key, i) => key.kind === 'geo' && PLAIN_POINT.test(request.sort?.[i] ?? ''),
    )
    this.#target = target?.kind === 'geo' && this.#selection.has('_geo') ? target : null
  }

  /**
   * Appends one hit. `origin` is the value of `_federation` as JSON if hits of several searches are
   * merged, else null. Returns the offset of that value in the hit, or -1 without one.
   */
  write(hit: PlacedHit, out: JsonBuffer, origin: string | null): number {
    const { id } = hit
    const record = this.#read(id)
    let count = 0
    let originAt = -1
    const start = out.length
    out.byte(BRACE)
    if (record !== null) {
      const { keys } = this.#view
      count = this.#selection.write(this.#fields, record, keys, this.#vectorsField, out)
    }
    const begin = (name: string): void => {
      if (count++ > 0) out.byte(COMMA)
      out.ascii(`"${name}":`)
    }
    if (record !== null && this.#target !== null) {
      const distance = this.#distance(record, this.#target)
      if (distance !== null) {
        begin('_geoDistance')
        out.ascii(String(distance))
      }
    }
    if (record !== null && this.#vectors !== null) {
      begin('_vectors')
      this.#vectors.write(id, this.#otherVectors(), out)
    }
    if (origin !== null) {
      begin('_federation')
      originAt = out.length - start
      writeJson(out, origin)
    }
    if (record !== null && this.#formatter !== null) {
      count += this.#formatted(record, this.#formatter, count, out)
    }
    if (this.#request.showRankingScore) {
      begin('_rankingScore')
      out.ascii(floatText(scaledScore(hit.scores, hit.scale)))
    }
    if (this.#request.showRankingScoreDetails) {
      begin('_rankingScoreDetails')
      writeJson(out, this.#details(hit))
    }
    out.byte(BRACE_END)
    return originAt
  }

  /**
   * Returns the record of a document, with documents in place of foreign keys where a field is
   * shown, or null if the document does not exist. Valid until the next call.
   */
  #read(id: DocId): Uint8Array | null {
    const record = this.#view.view.record(id)
    if (record === null) return null
    const fields = this.#fields
    fields.read(record)
    if (this.#hydrator === null) return record
    const isShown = (field: FieldId): boolean =>
      this.#formatter !== null || this.#selection.takes(field)
    const hydrated = this.#hydrator.record(fields, this.#view.search.fields, isShown)
    fields.read(hydrated)
    return hydrated
  }

  /** Appends `_formatted` and `_matchesPosition`; returns the number of members appended. */
  #formatted(record: Uint8Array, formatter: HitFormatter, before: number, out: JsonBuffer): number {
    const start = out.length
    if (before > 0) out.byte(COMMA)
    out.ascii('"_formatted":')
    let count = 1
    if (!formatter.writeFormatted(this.#fields, record, this.#view.keys, out)) {
      out.length = start
      count = 0
    }
    if (!this.#request.showMatchesPosition) return count
    if (before + count > 0) out.byte(COMMA)
    out.ascii('"_matchesPosition":')
    formatter.writeMatchesPosition(this.#fields, record, out)
    return count + 1
  }

  /** The stored `_vectors` of the record read last, even if the field is not shown. */
  #otherVectors(): Uint8Array | null {
    const i = this.#fields.indexOf(this.#vectorsField)
    return i < 0 ? null : this.#fields.value(i)
  }

  #details({ id, scores, pin, scale = 1 }: PlacedHit): string {
    if (pin !== undefined) return pinDetails(pin)
    const rules = this.#scales?.rulesOf(id) ?? []
    const boosts = this.#scales?.factors?.partsOf(id) ?? []
    const scaling = rules.length + boosts.length === 0 ? null : { rules, boosts, weight: scale }
    return renderDetails(scores, this.#detailOptions(id), scaling)
  }

  #detailOptions(id: DocId): Parameters<typeof renderDetails>[1] {
    const { rankingRules, displayedAttributes } = this.#view.settings
    return {
      otherForms: this.#otherForms(id),
      combinedAttribute: rankingRules.includes('attribute'),
      isDisplayed: (field) =>
        displayedAttributes === null || displayedAttributes.some((name) => covers(name, field)),
    }
  }

  /**
   * Returns the distance in whole metres from the target to the point of the record just read, or
   * null without one.
   */
  #distance(record: Uint8Array, target: GeoTarget): number | null {
    for (let i = 0; i < this.#fields.count; i++) {
      if (this.#fields.ids[i] !== this.#geoField) continue
      const place = readPlace(record, this.#fields.starts[i]!)
      if (place === null) return null
      const { latitude, longitude } = target
      return Math.round(distanceMetres(latitude, longitude, place.latitude, place.longitude))
    }
    return null
  }
}

/** `_federation` of a hit as JSON; `remote` is null if the instance has no name. */
export const originText = (
  indexUid: IndexUid,
  queriesPosition: number,
  weightedRankingScore: number,
  remote: string | null,
): string =>
  `{"indexUid":${JSON.stringify(indexUid)},"queriesPosition":${queriesPosition},` +
  `"weightedRankingScore":${floatText(weightedRankingScore)}` +
  `${remote === null ? '' : `,"remote":${JSON.stringify(remote)}`}}`

/** `_federation` of a hit for another instance, which merges the hit with others. */
export const proxiedOrigin = (
  indexUid: IndexUid,
  key: MergeKey,
  values: FieldValues,
  pin: number | null,
  isSemantic: boolean,
): object => ({
  indexUid,
  queriesPosition: key.position,
  weightedRankingScore: key.score,
  weightedScoreValues: pin === null ? key.parts.map(scoreValue) : [],
  extra_document: values,
  ...(pin === null ? {} : { pinnedPosition: pin }),
  ...(isSemantic ? { semantic: true } : {}),
})

/** A part of a key in the form that other instances read. */
export function scoreValue(part: KeyPart): object {
  if (part.kind === 'score') return { weightedScore: part.score }
  const { ascending: asc, isHidden = false } = part
  if (part.kind === 'geo') return { geoSort: { asc, distance: isHidden ? null : part.distance } }
  return { sort: { asc, value: isHidden ? null : sentSort(part.value) } }
}

/** A pinned hit has no scores, only its position. */
const pinDetails = (position: number): string => `{"pin":{"order":0,"position":${position}}}`

const needsFormatter = (request: SearchRequest): boolean =>
  request.showMatchesPosition ||
  request.attributesToHighlight !== null ||
  request.attributesToCrop !== null

/**
 * Returns true if hits may show `_vectors`. If documents contain the field, a list of displayed
 * fields shows it by not naming it: clients rely on that.
 */
function showsVectors({ settings, fieldId }: SearchableView): boolean {
  const displayed = settings.displayedAttributes
  if (displayed === null) return true
  return displayed.includes('_vectors') === (fieldId('_vectors') === null)
}

/** The names that may be shown, nested ones included; null means all. */
const displayedNames = ({ settings }: SearchableView): ReadonlySet<string> | null =>
  settings.displayedAttributes === null ? null : new Set(settings.displayedAttributes)

/** The names whose fields are shown: requested, displayed, and existing in the index. */
function retrieved(view: SearchableView, request: SearchRequest): readonly string[] {
  const shown = request.isForModel === true ? view.search.fields : displayedFields(view)
  const requested = request.attributesToRetrieve
  if (requested === null || requested.includes('*')) return shown
  const wanted = new Set(requested)
  return shown.filter((name) => wanted.has(name))
}

/** The names of existing fields that may be shown. */
function displayedFields({ settings, search, fieldId }: SearchableView): readonly string[] {
  const { displayedAttributes } = settings
  if (displayedAttributes === null) return search.fields
  return displayedAttributes.filter((name) => fieldId(name) !== null)
}

const LAT = Buffer.from('lat')
const LNG = Buffer.from('lng')

/** Reads `{lat, lng}` with numbers or numeric texts; returns null for any other value. */
function readPlace(record: Uint8Array, at: number): GeoTarget | null {
  if (record[at] !== BRACE) return null
  const members = new Members()
  members.scan(record, at)
  const latitude = coordinate(record, members, LAT)
  const longitude = coordinate(record, members, LNG)
  return latitude === null || longitude === null ? null : { latitude, longitude }
}

function coordinate(record: Uint8Array, members: Members, name: Uint8Array): number | null {
  const i = members.find(name)
  if (i < 0) return null
  const bytes = record.subarray(members.valueStart[i]!, members.valueEnd[i]!)
  const value: unknown = JSON.parse(Buffer.from(bytes).toString())
  const number = typeof value === 'string' ? Number(value) : value
  return typeof number === 'number' && Number.isFinite(number) ? number : null
}
