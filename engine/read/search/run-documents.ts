// Returns stored documents unchanged: one by its id, or pages of them, filtered and sorted.
// Displayed attributes do not restrict these answers.
import { BRACE, BRACE_END, BRACKET, BRACKET_END, COMMA, KiB } from '../../../format/bytes/index.ts'
import { RecordFields } from '../../../format/documents/index.ts'
import type { DocId } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { JsonBuffer } from '../../../format/json/index.ts'
import { type DocumentsRequest, EngineFault, type Features } from '../../model/index.ts'
import {
  answerBuffer,
  DocumentVectorsWriter,
  MemberWriter,
  scoreValue,
  writeValue,
} from '../answers/index.ts'
import { checkSortable, parseSort, type SortTree } from '../filter/index.ts'
import { ANSWER_BYTES_MAX, type SearchableView, SearchControl, type Watch } from '../jobs/index.ts'
import { Selection } from '../present/index.ts'
import { QueryGraph } from '../query-graph/index.ts'
import { bucketSort, placeholderRules, type ScoreDetail } from '../rank/index.ts'
import {
  controlOf,
  type ForeignIndexes,
  filtered,
  mergeKey,
  ofShards,
  readFilter,
  SortRules,
} from '../retrieval/index.ts'

/**
 * Returns `{results, offset, limit, total}` as JSON. @throws EngineFault, StorageError, Canceled
 */
export function runDocuments(
  view: SearchableView,
  request: DocumentsRequest,
  features: Features,
  watch: Watch,
  foreign: ForeignIndexes | null,
): Uint8Array {
  // Pages may be long, so the cutoff applies only to the filter.
  const filterControl = controlOf(view, watch)
  const control = new SearchControl(Number.POSITIVE_INFINITY, watch)
  const tree = readFilter(request.filter, 'documents', view.ref.uid, features, filterControl)
  const others = foreign?.filtersOf(view, filterControl) ?? null
  let found = filtered(view, tree, 'documents', filterControl, others)
  if (request.ids !== null) found = found.and(idsOf(view, request.ids))
  if (request.shards !== undefined) found = ofShards(view, request.shards, found)
  const sort = parseSort(request.sort ?? [], 'invalid_document_sort')
  checkSortable(sort, {
    code: 'invalid_document_sort',
    sortableAttributes: view.settings.sortableAttributes,
    displayedAttributes: null,
    rankingRules: null,
    indexUid: null,
  })
  const page = pageOf(view, found, sort, request, control)
  const out = answerBuffer(16 * KiB, ANSWER_BYTES_MAX)
  const members = new MemberWriter(out)
  const writer = new DocumentWriter(view, request.fields, request.retrieveVectors)
  members.begin('results').byte(BRACKET)
  for (let i = 0; i < page.length; i++) {
    if (i > 0) out.byte(COMMA)
    if (i % 256 === 255) control.isLate()
    const { id, scores } = page[i]!
    writer.write(id, out, request.merger !== undefined ? scores : null)
  }
  out.byte(BRACKET_END)
  members.value('offset', request.offset)
  members.value('limit', request.limit)
  members.value('total', found.size)
  members.end()
  return out.take()
}

/** Returns the document without an envelope. @throws EngineFault document_not_found */
export function runDocument(
  view: SearchableView,
  id: string,
  fields: readonly string[] | null,
  retrieveVectors: boolean,
): Uint8Array {
  const found = view.view.idOf(Buffer.from(id))
  if (found < 0) throw new EngineFault('document_not_found', `Document \`${id}\` not found.`)
  const out = new JsonBuffer(1024)
  new DocumentWriter(view, fields, retrieveVectors).write(found, out)
  return out.finish()
}

function idsOf({ view }: SearchableView, externalIds: readonly string[]): IdSet {
  const ids = externalIds.map((id) => view.idOf(Buffer.from(id)))
  return IdSet.of(ids.filter((id) => id >= 0))
}

function pageOf(
  view: SearchableView,
  found: IdSet,
  sort: SortTree,
  { offset, limit, merger }: DocumentsRequest,
  control: SearchControl,
): readonly PlacedDocument[] {
  if (sort.length === 0) {
    const ids = found.first(offset + limit).subarray(offset)
    return Array.from(ids, (id) => ({ id, scores: [] }))
  }
  const rules = placeholderRules(['sort'], new SortRules(view, sort))
  const never = () => {
    control.isLate()
    return false
  }
  const withScores = merger !== undefined
  const options = { offset, limit, withScores, threshold: null, distinct: null }
  const ranking = bucketSort(rules, found, new QueryGraph([], [], []), {
    ...options,
    isLate: never,
  })
  return ranking.hits
}

type PlacedDocument = { readonly id: DocId; readonly scores: readonly ScoreDetail[] }

class DocumentWriter {
  readonly #view: SearchableView
  readonly #selection: Selection
  readonly #vectorsField: number
  /** Null if vectors are not shown. */
  readonly #vectors: DocumentVectorsWriter | null
  readonly #fields = new RecordFields()

  constructor(view: SearchableView, names: readonly string[] | null, withVectors: boolean) {
    this.#view = view
    const existing = view.search.fields
    const chosen = names ?? existing
    this.#selection = new Selection(
      chosen.filter((name) => view.fieldId(name) !== null),
      existing,
    )
    this.#vectorsField = view.fieldId('_vectors') ?? -1
    this.#vectors = withVectors ? new DocumentVectorsWriter(view) : null
  }

  /** `scores`: written for another instance that merges pages; null to omit them. */
  write(id: DocId, out: JsonBuffer, scores: readonly ScoreDetail[] | null = null): void {
    out.byte(BRACE)
    let count = 0
    const record = this.#view.view.record(id)
    if (record !== null) {
      this.#fields.read(record)
      const { keys } = this.#view
      count = this.#selection.write(this.#fields, record, keys, this.#vectorsField, out)
      if (this.#vectors !== null) {
        if (count++ > 0) out.byte(COMMA)
        out.ascii('"_vectors":')
        this.#vectors.write(id, this.#otherVectors(), out)
      }
    }
    if (scores !== null) {
      if (count > 0) out.byte(COMMA)
      out.ascii('"_federation":')
      const { parts } = mergeKey(scores, 1, 0)
      writeValue(out, { weightedScoreValues: parts.map(scoreValue) })
    }
    out.byte(BRACE_END)
  }

  /** The stored `_vectors` of the record just read, if the field is shown. */
  #otherVectors(): Uint8Array | null {
    const i = this.#fields.indexOf(this.#vectorsField)
    return i < 0 || !this.#selection.has('_vectors') ? null : this.#fields.value(i)
  }
}
