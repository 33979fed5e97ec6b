// Searches over one or more indexes whose hits are merged
// (docs/search-semantics.md#several-searches-in-one-list).
//
//   checks → a plan and a partial answer for each index → answer → JSON
//
// One thread does all of it, over views of the same moment. No search returns more hits than the
// page needs, so that merging is cheap compared with ranking.
import { KiB } from '../../../format/bytes/index.ts'
import type { InlineRuleOutcomes } from '../../model/index.ts'
import {
  type Answer,
  answerBuffer,
  encodePartial,
  FACETS_STEP,
  facetsByPart,
  hitsTookTooLong,
  isShown,
  MemberWriter,
  merge,
  mergedFacets,
  type PartFacets,
  type PartialAnswer,
  type PartialFacts,
  pageMembers,
  semanticHits,
  windowOf,
  writeFacets,
  writeHits,
  writeTexts,
  writeVector,
} from '../answers/index.ts'
import {
  DISTINCT_SENT_MAX,
  type FederatedJob,
  HITS_MS_MAX,
  type SearchableView,
  SearchControl,
  StepTimes,
  type Watch,
} from '../jobs/index.ts'
import type { Window } from '../rank/index.ts'
import {
  controlOf,
  type ForeignIndexes,
  inlineRuleOutcomes,
  metadataOf,
  type Plan,
  timeOfAll,
} from '../retrieval/index.ts'
import type { SearchRule } from '../search-rules/index.ts'
import { correctionOf } from '../suggest/index.ts'
import { execute } from './execute.ts'
import {
  type Checked,
  type ControlFor,
  checkFederated,
  type IndexMembers,
} from './federated-checks.ts'

/** Answers a federated search. @throws EngineFault, StorageError, Canceled */
export function runFederated(
  views: readonly SearchableView[],
  job: FederatedJob,
  rules: readonly SearchRule[],
  watch: Watch,
  foreign: ForeignIndexes | null,
): Uint8Array {
  const times = new StepTimes()
  times.add('wait in queue', Math.max(0, Date.now() - job.sentAt))
  const { federation } = job
  const page = windowOf(federation, Number.POSITIVE_INFINITY)
  const timeLeft = timeOfAll()
  const controlFor: ControlFor = (view) => controlOf(view, watch, timeLeft())
  const turn = new SearchControl(Number.POSITIVE_INFINITY, watch)
  const checked = checkFederated(views, job, { controlFor, turn }, foreign)
  times.done('federating > check')
  const distinctField = mergedDistinctField(checked, job)
  const keepsDuplicates = distinctField !== null
  const parts = checked.indexes.map((index) => {
    const plan = planOf(index, job, page, controlFor)
    return execute({ ...plan, keepsDuplicates, turn, rules, foreign, times }, index.view)
  })
  const answer = merge(parts, page)
  times.done('federating > merge')
  const facets = facetsByPart(answer)
  if (facets.length > 0) times.done(FACETS_STEP)
  const goOn = new SearchControl(HITS_MS_MAX, watch).checkpoint(HITS_MS_MAX, hitsTookTooLong)
  if (federation.merger?.form === 'partial') {
    return encodePartial(answer, facets, goOn, () => {
      const facts = partialFacts(job, checked, times)
      const documents = distinctField === null ? null : parts[0]!.representatives(DISTINCT_SENT_MAX)
      const isSent = distinctField !== null && documents !== null
      return isSent ? { ...facts, distinct: { field: distinctField, documents } } : facts
    })
  }
  const corrections = correctionsOf(checked, parts)
  const out = answerBuffer(16 * KiB)
  const members = new MemberWriter(out)
  writeHits(answer, members.begin('hits'), goOn)
  times.done('search > format hits')
  writeMembers(job, checked, { answer, facets, corrections, times }, members)
  return out.take()
}

/** Where hits carry what the merge needs. */
const DETAILS = { partial: 'beside', json: 'all' } as const

function planOf(
  { view, members, facets }: IndexMembers,
  { federation, features, searches }: FederatedJob,
  page: Window,
  controlFor: ControlFor,
): Omit<Plan, 'turn' | 'rules' | 'foreign' | 'times'> {
  const hitsMax = page.offset + page.limit
  const { maxTotalHits } = view.settings.pagination
  const { merger } = federation
  const isMerged = merger !== undefined
  const detail = isMerged ? DETAILS[merger.form] : 'place'
  const remote = federation.network?.self ?? null
  const origin = { remote, detail, hidesValues: merger?.by === 'stranger' } as const
  const isShared = isMerged && searches.length === 1
  return {
    queries: members.map(({ request, prepared, weight, position }) => {
      const step = `search > queries[${position}]`
      return { request, prepared, weight, position, origin, isShared, step }
    }),
    window: { offset: 0, limit: Math.min(hitsMax, maxTotalHits), finite: page.finite },
    hitsMax,
    withScores: true,
    isOfNetwork: isMerged,
    distinctField: isMerged ? (members[0]?.prepared.distinctField ?? null) : federation.distinct,
    facets,
    features,
    controlFor: () => controlFor(view),
  }
}

/**
 * The distinct field of which another instance counts each value once. Returns null if hits are not
 * distinct, are of several searches, or if totals are estimates.
 */
function mergedDistinctField(
  { indexes }: Checked,
  { federation }: Pick<FederatedJob, 'federation'>,
): string | null {
  const [index, ...others] = indexes
  const [member, ...more] = index?.members ?? []
  const isOne = others.length === 0 && more.length === 0
  const { finite } = windowOf(federation, Number.POSITIVE_INFINITY)
  const isCounted = isOne && finite && federation.merger?.form === 'partial'
  const field = isCounted ? (member?.prepared.distinctField ?? null) : null
  const isHidden = federation.merger?.by === 'stranger' && !isShown(index!.view, field ?? '')
  return isHidden ? null : field
}

function partialFacts(
  { searches }: FederatedJob,
  checked: Checked,
  times: StepTimes,
): PartialFacts {
  const areRequested = searches.some(({ request }) => request.retrieveVectors)
  const vectors = areRequested ? usedVectors(checked) : []
  const outcomes = outcomesOf(checked)
  return {
    processingTimeMs: times.elapsedMs(),
    ...(vectors.length === 0 ? {} : { queryVectors: Object.fromEntries(vectors) }),
    ...(isSemantic(checked) ? { isSemantic: true } : {}),
    ...(outcomes.size === 0 ? {} : { inlineRules: Object.fromEntries(outcomes) }),
  }
}

/** Query vectors by the position of their search. */
const usedVectors = ({ indexes }: Checked): readonly (readonly [number, readonly number[]])[] =>
  usedIn(indexes).map(({ position, prepared }) => [position, [...prepared.vector!]] as const)

type Found = {
  readonly answer: Answer
  readonly facets: readonly PartFacets[]
  /** By the position of their search. */
  readonly corrections: ReadonlyMap<string, string>
  readonly times: StepTimes
}

/** `parts`: the answers of the indexes, in their order. */
const correctionsOf = (
  { indexes }: Checked,
  parts: readonly PartialAnswer[],
): ReadonlyMap<string, string> =>
  new Map(
    indexes.flatMap(({ members, view }, i) =>
      members.flatMap(({ request, prepared, position }) => {
        const corrected = correctionOf(view, request, prepared, parts[i]!.hits)
        return corrected === null ? [] : [[String(position), corrected] as const]
      }),
    ),
  )

/** Writes the members after the hits. */
function writeMembers(
  job: FederatedJob,
  checked: Checked,
  { answer, facets, corrections, times }: Found,
  members: MemberWriter,
): void {
  const { federation, searches } = job
  if (corrections.size > 0) writeTexts(members.begin('correctedQueries'), corrections)
  if (searches.some(({ request }) => request.retrieveVectors)) writeQueryVectors(members, checked)
  members.value('processingTimeMs', times.elapsedMs())
  const pages = pageMembers(federation, answer.total)
  for (const [name, value] of Object.entries(pages)) members.value(name, value)
  if (facets.length > 0) writeAllFacets(members, job, checked, facets)
  members.value('requestUid', job.requestUid)
  if (job.queryUids !== null) members.value('metadata', metadata(job, checked, job.queryUids))
  if (isSemantic(checked)) members.value('semanticHitCount', semanticHits(answer))
  if (federation.showPerformanceDetails) {
    writeTexts(members.begin('performanceDetails'), times.texts())
  }
  if (federation.network !== undefined) {
    members.value('remoteErrors', federation.network.remoteErrors)
  }
  members.end()
}

/** Writes query vectors by the position of their search. */
function writeQueryVectors(members: MemberWriter, { indexes }: Checked): void {
  const used = usedIn(indexes)
  const vectors = new MemberWriter(members.begin('queryVectors'))
  for (const { position, prepared } of used) {
    writeVector(prepared.vector!, vectors.begin(String(position)))
  }
  vectors.end()
}

const usedIn = (indexes: Checked['indexes']): readonly IndexMembers['members'][number][] =>
  indexes
    .flatMap((index) => index.members)
    .filter(({ request, prepared }) => request.retrieveVectors && prepared.vector !== null)
    .sort((a, b) => a.position - b.position)

function writeAllFacets(
  members: MemberWriter,
  { federation }: FederatedJob,
  { orders }: Checked,
  all: readonly PartFacets[],
): void {
  const { mergeFacets } = federation
  if (mergeFacets !== null) {
    const each = all.map(({ facets }) => facets)
    writeFacets(members, mergedFacets(each, orders, mergeFacets.maxValuesPerFacet))
    return
  }
  const indexes = new MemberWriter(members.begin('facetsByIndex'))
  for (const { indexUid, facets } of all) {
    const index = new MemberWriter(indexes.begin(indexUid))
    writeFacets(index, facets, ['distribution', 'stats'])
    index.end()
  }
  indexes.end()
}

/** The outcomes of the rules that came with searches, by position. */
const outcomesOf = ({ indexes }: Checked): ReadonlyMap<number, InlineRuleOutcomes> =>
  new Map(
    indexes.flatMap(({ members }) =>
      members.flatMap(({ request, prepared, position }) => {
        const outcomes = inlineRuleOutcomes({ request, tree: prepared.tree })
        return outcomes === null ? [] : [[position, outcomes] as const]
      }),
    ),
  )

/** Metadata of each search, in order. */
function metadata(
  { searches, federation }: FederatedJob,
  checked: Checked,
  queryUids: readonly string[],
): readonly object[] {
  const { indexes } = checked
  const outcomes = outcomesOf(checked)
  const keys = new Map(indexes.map(({ view: { ref } }) => [ref.uid, ref.primaryKey]))
  return searches.map(({ indexUid, request, queryPosition }, at) =>
    metadataOf(
      indexUid,
      keys.get(indexUid) ?? null,
      request.q,
      queryUids[at]!,
      federation.network,
      outcomes.get(queryPosition ?? at) ?? null,
    ),
  )
}

const isSemantic = ({ indexes }: Checked): boolean =>
  indexes.some(({ members }) => members.some(({ prepared }) => prepared.kind !== 'keyword'))
