// Runs a search from request to answer: check the request, plan, execute, merge, write JSON.
//
//   checks (request, then index) → universe (filter) → plan → partial answer → answer → JSON
import { COMMA } from '../../../format/bytes/index.ts'
import { requestedFacets, type SearchRequest } from '../../model/index.ts'
import {
  type Answer,
  answerBuffer,
  countedFacets,
  FACETS_STEP,
  facetsByPart,
  hitsTookTooLong,
  MemberWriter,
  merge,
  type PartFacets,
  pageMembers,
  searchBuffer,
  semanticHits,
  takeAnswer,
  windowOf,
  writeFacets,
  writeHits,
  writeText,
  writeTexts,
  writeVector,
} from '../answers/index.ts'
import type { CountedFacet } from '../facets/index.ts'
import {
  HITS_MS_MAX,
  indexNotFound,
  ofQuery,
  othersWait,
  placing,
  type SearchableView,
  SearchControl,
  type SearchesJob,
  type SearchJob,
  StepTimes,
  type Watch,
} from '../jobs/index.ts'
import {
  controlOf,
  type ForeignIndexes,
  inlineRuleOutcomes,
  metadataOf,
  type Prepared,
  prepare,
  timeOfAll,
} from '../retrieval/index.ts'
import type { SearchRule } from '../search-rules/index.ts'
import { correctionOf } from '../suggest/index.ts'
import { execute } from './execute.ts'
import { checkGroups, writeGroups } from './groups.ts'
import { momentOf, Walk } from './walk.ts'

/** A search as its thread receives it. */
type SearchRun = Pick<SearchJob, 'request' | 'features' | 'requestUid' | 'queryUid' | 'sentAt'> & {
  /** Active rules in their order. */
  readonly rules: readonly SearchRule[]
  /** Null if the search may not follow foreign keys. */
  readonly foreign: ForeignIndexes | null
}

/** Answers a search. @throws EngineFault, StorageError, Canceled */
export function runSearch(
  view: SearchableView,
  job: SearchJob,
  rules: readonly SearchRule[],
  watch: Watch,
  foreign: ForeignIndexes | null,
): Uint8Array {
  const out = searchBuffer()
  const { request, features, requestUid, queryUid, sentAt } = job
  const search = { request, features, requestUid, queryUid, sentAt, rules, foreign }
  writeSearch(view, search, controlOf(view, watch), new MemberWriter(out))
  return takeAnswer(out)
}

/**
 * Answers several searches with objects separated by commas; each begins with the name of its
 * index.
 * @throws EngineFault with the position of the search, StorageError, Canceled
 */
export function runSearches(
  views: readonly SearchableView[],
  { searches, first, queryUids, ...job }: SearchesJob,
  rules: readonly SearchRule[],
  watch: Watch,
  foreign: ForeignIndexes | null,
): Uint8Array {
  const out = answerBuffer(16 * 1024 * searches.length)
  const timeLeft = timeOfAll()
  const turn = new SearchControl(Number.POSITIVE_INFINITY, watch)
  searches.forEach(({ indexUid, request }, i) => {
    turn.requireTurn(othersWait)
    if (i > 0) out.byte(COMMA)
    placing(ofQuery(first + i), '', () => {
      const view = views.find(({ ref }) => ref.uid === indexUid)
      if (view === undefined) throw indexNotFound(indexUid)
      // The first search waited for its thread; the time of later ones counts from here.
      const sentAt = i === 0 ? job.sentAt : Date.now()
      const queryUid = queryUids === null ? null : queryUids[i]!
      const members = new MemberWriter(out)
      writeText(members.begin('indexUid'), indexUid)
      const { features, requestUid } = job
      const search = { request, features, requestUid, queryUid, sentAt, rules, foreign }
      writeSearch(view, search, controlOf(view, watch, timeLeft()), members)
    })
  })
  return out.take()
}

function writeSearch(
  view: SearchableView,
  search: SearchRun,
  control: SearchControl,
  members: MemberWriter,
): void {
  const times = new StepTimes()
  times.add('wait in queue', Math.max(0, Date.now() - search.sentAt))
  const { request, features, rules, foreign } = search
  const now = momentOf(view, request)
  const dated = now === null ? request : { ...request, boostsNow: now }
  const prepared = prepare(view, dated, features, control, foreign)
  checkGroups({ request, prepared })
  const { maxTotalHits } = view.settings.pagination
  const walk = request.searchAfter === null ? null : new Walk(view, { ...search, now }, prepared)
  const window = walk?.windowOf(maxTotalHits) ?? windowOf(request, maxTotalHits)
  const { network } = request
  const origin =
    network === undefined
      ? null
      : ({ remote: network.self, detail: 'place', hidesValues: false } as const)
  const plan = {
    queries: [{ request, prepared, weight: 1, position: 0, origin, step: 'search' }] as const,
    window,
    ...walk?.restriction,
    hitsMax: window.limit,
    withScores: needsScores(request) || walk !== null,
    isOfNetwork: network !== undefined,
    distinctField: null,
    facets: facetsOf(view, request),
    controlFor: () => control,
    turn: control,
    rules,
    features,
    foreign,
    times,
  }
  const part = execute(plan, view)
  const answer = merge([part], window)
  const facets = facetsByPart(answer)
  if (facets.length > 0) times.done(FACETS_STEP)
  const goOn = control.checkpoint(HITS_MS_MAX, hitsTookTooLong)
  writeHits(answer, members.begin('hits'), goOn)
  times.done('search > format hits')
  if (request.hitsPerGroup !== null) {
    writeGroups(view, plan, answer, members.begin('groups'), goOn)
    times.done('search > groups')
  }
  const correction = correctionOf(view, request, prepared, part.hits)
  const cursor = walk?.cursorAfter(answer, window)
  const found = { prepared, answer, facets, correction, times, cursor }
  writeMembers(view, search, found, members)
}

const needsScores = (request: SearchRequest): boolean =>
  request.showRankingScore || request.showRankingScoreDetails || request.network !== undefined

/** The facets that are counted; null if none are shown. @throws EngineFault */
function facetsOf(view: SearchableView, request: SearchRequest): readonly CountedFacet[] | null {
  const requested = requestedFacets(request.facets, request.disjunctiveFacets)
  return requested.length === 0 ? null : countedFacets(view, requested)
}

type Found = {
  readonly prepared: Prepared
  readonly answer: Answer
  readonly facets: readonly PartFacets[]
  readonly correction: string | null
  readonly times: StepTimes
  /** Null at the end of a walk, undefined without one. */
  readonly cursor: string | null | undefined
}

/** Writes the members after the hits. */
function writeMembers(
  view: SearchableView,
  { request, requestUid, queryUid }: SearchRun,
  { prepared, answer, facets, correction, times, cursor }: Found,
  members: MemberWriter,
): void {
  writeText(members.begin('query'), request.q ?? '')
  if (correction !== null) writeText(members.begin('correctedQuery'), correction)
  if (request.retrieveVectors && prepared.vector !== null) {
    writeVector(prepared.vector, members.begin('queryVector'))
  }
  members.value('processingTimeMs', times.elapsedMs())
  const pages = pageMembers(request, answer.total)
  for (const [name, value] of Object.entries(pages)) members.value(name, value)
  if (cursor !== undefined) members.value('cursor', cursor)
  for (const one of facets) writeFacets(members, one.facets)
  members.value('requestUid', requestUid)
  if (queryUid !== null) {
    const { uid, primaryKey } = view.ref
    const outcomes = inlineRuleOutcomes({ request, tree: prepared.tree })
    const { q, network } = request
    members.value('metadata', metadataOf(uid, primaryKey, q, queryUid, network, outcomes))
  }
  if (request.showPerformanceDetails) {
    writeTexts(members.begin('performanceDetails'), times.texts())
  }
  if (request.network !== undefined) members.value('remoteErrors', request.network.remoteErrors)
  if (prepared.kind !== 'keyword') members.value('semanticHitCount', semanticHits(answer))
  members.end()
}
