// The groups of a search with `hitsPerGroup`: the hits that share a distinct value with a hit of the
// page (docs/search-semantics.md#groups).
import { BRACKET, BRACKET_END, COMMA } from '../../../format/bytes/index.ts'
import type { DocId, FieldId } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import type { JsonBuffer } from '../../../format/json/index.ts'
import { EngineFault } from '../../model/index.ts'
import { columnsLayer } from '../../store/layers/index.ts'
import { type Answer, MemberWriter, merge, writeHits } from '../answers/index.ts'
import { DistinctFilter } from '../facets/index.ts'
import { type SearchableView, StepTimes } from '../jobs/index.ts'
import type { Plan, QueryPlan } from '../retrieval/index.ts'
import { execute } from './execute.ts'

const refusedGroups = (words: string): EngineFault =>
  new EngineFault('invalid_search_hits_per_group', `Invalid value at \`.hitsPerGroup\`: ${words}`)

/** Hits of one group: each group is a ranking and a list of documents of its own. */
const HITS_PER_GROUP_MAX = 100

const ONE_INDEX = 'groups are of the hits of one index of one instance.'
const NO_VALUE =
  'hits have no groups without a distinct attribute.\n' +
  '  - Hint: send `distinct`, or set `distinctAttribute` of the index.'

/** @throws EngineFault if the hits of the search have no groups */
export function checkGroups({ request, prepared }: Pick<QueryPlan, 'request' | 'prepared'>): void {
  const { hitsPerGroup } = request
  if (hitsPerGroup === null) return
  if (hitsPerGroup < 1 || hitsPerGroup > HITS_PER_GROUP_MAX) {
    throw refusedGroups(`expected a number from 1 to ${HITS_PER_GROUP_MAX}.`)
  }
  if (request.network !== undefined) throw refusedGroups(ONE_INDEX)
  if (prepared.distinctField === null) throw refusedGroups(NO_VALUE)
}

/** @throws EngineFault if a federated query asks for groups */
export function refuseGroups(hitsPerGroup: number | null): void {
  if (hitsPerGroup !== null) throw refusedGroups(ONE_INDEX)
}

/**
 * Appends the array of the groups of the hits on the page, in their order: each is ranked as a
 * search of its own among the documents with its values. Calls `goOn` before each hit.
 * @throws StorageError, Canceled, EngineFault
 */
export function writeGroups(
  view: SearchableView,
  plan: Plan & { readonly queries: readonly [QueryPlan] },
  { hits, from, to }: Answer,
  out: JsonBuffer,
  goOn: () => void,
): void {
  const [query] = plan.queries
  const { request, prepared } = query
  const { distinctField, universe } = prepared
  const field = distinctField === null ? null : view.fieldId(distinctField)
  const window = { offset: 0, limit: request.hitsPerGroup ?? 0, finite: true }
  out.byte(BRACKET)
  for (let at = from; at < to; at++) {
    goOn()
    const among = universe.and(sharingValues(view, field, hits.documentAt(at)))
    const grouped = { ...query, prepared: { ...prepared, distinctField: null, universe: among } }
    const one = { ...plan, queries: [grouped], window, hitsMax: window.limit, facets: null }
    const group = merge([execute({ ...one, times: new StepTimes() }, view)], window)
    if (at > from) out.byte(COMMA)
    const members = new MemberWriter(out)
    members.value('totalHits', group.total)
    writeHits(group, members.begin('hits'), goOn)
    members.end()
  }
  out.byte(BRACKET_END)
}

/** The documents that share a value with `id`, and `id`. @throws CorruptionError */
function sharingValues({ view }: SearchableView, field: FieldId | null, id: DocId): IdSet {
  if (field === null) return IdSet.of([id])
  const values = new DistinctFilter(view.layer(columnsLayer), field)
  values.admit(id)
  return values.excluded().or(IdSet.of([id]))
}
