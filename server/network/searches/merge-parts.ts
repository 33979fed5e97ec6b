// Merges the parts of all instances, or names the first answer of another one that cannot be used.
import {
  type Engine,
  EngineFault,
  type InstancesMerge,
  type JsonBytes,
  type SearchContext,
} from '../../../engine/index.ts'
import { ApiError } from '../../errors/index.ts'
import { type ListedAnswer, readAnswers, refused } from '../calls/index.ts'
import { lacksIndex } from './absent-index.ts'
import type { Answer, Gathering } from './gather.ts'
import { type NetworkSearch, placesFor } from './network-search.ts'
import type { OwnPart } from './own-part.ts'
import type { SearchPlan } from './search-plan.ts'

/** The answer of an instance to one of its searches. */
type Part = { readonly answer: Answer; readonly bytes: Uint8Array }

/** An answer of another instance that cannot be used, and the error. */
export class UnusableAnswer {
  readonly answer: Answer
  readonly error: ApiError

  constructor(answer: Answer, error: ApiError) {
    this.answer = answer
    this.error = error
  }
}

/** Returns the merged answers, or the first invalid answer of another instance. */
export async function mergeAll(
  engine: Engine,
  searches: readonly NetworkSearch[],
  local: readonly OwnPart[],
  gathering: Gathering,
  plan: SearchPlan,
  context: SearchContext,
  sentAt: number,
): Promise<readonly (JsonBytes | null)[] | UnusableAnswer> {
  const isAlone = searches.length === 1
  // Without this, other owners would be called again for complete searches.
  const lacking = new Set(
    local.flatMap((part, place) => (!isAlone && part instanceof EngineFault ? [place] : [])),
  )
  const byPlace = searches.map((): Part[] => [])
  const faults = searches.map(() => new Map<string, ApiError>())
  for (const answer of gathering.answers) {
    const places = placesFor(searches, answer)
    const listed = readAnswers(answer.bytes, places.length)
    if (listed === null) return new UnusableAnswer(answer, badResponse(false))
    for (const [i, place] of places.entries()) {
      const fault = faultOf(listed[i]!)
      if (fault?.code === 'remote_remote_error') return new UnusableAnswer(answer, fault)
      if (plan.isSharded && fault !== null && lacksIndex(fault)) {
        if (isAlone) return new UnusableAnswer(answer, fault)
        lacking.add(place)
      }
      if (fault === null) byPlace[place]!.push({ answer, bytes: listed[i]!.bytes })
      else faults[place]!.set(answer.remote, fault)
    }
  }
  const merges = searches.map((one, place) => {
    if (lacking.has(place)) return null
    const part = local[place]!
    const own = part instanceof EngineFault ? null : part
    return merge(engine, one, own, byPlace[place]!, plan, context, sentAt, {
      ...gathering.errors,
      ...bodiesOf(faults[place]!),
    })
  })
  const merged: (JsonBytes | null)[] = []
  for (const one of await Promise.all(merges)) {
    if (one instanceof UnusableAnswer) return one
    merged.push(one)
  }
  return merged
}

async function merge(
  engine: Engine,
  { kind, queries, federation }: NetworkSearch,
  local: JsonBytes | null,
  parts: readonly Part[],
  { network: { self } }: SearchPlan,
  context: SearchContext,
  sentAt: number,
  remoteErrors: { readonly [remote: string]: unknown },
): Promise<JsonBytes | UnusableAnswer> {
  const own = local === null ? [] : [{ remote: self, bytes: local, isOwn: true }]
  const others = parts.map(({ answer, bytes }) => ({
    remote: answer.remote,
    bytes,
    isOwn: false,
  }))
  const merge: InstancesMerge = {
    federation,
    queries: queries.map(({ indexUid, request: { q }, queryPosition }, at) => {
      return { indexUid, q, position: queryPosition ?? at }
    }),
    kind,
    self,
    answers: [...own, ...others],
    remoteErrors,
  }
  try {
    return await engine.queries.mergeInstances(merge, context, sentAt)
  } catch (error) {
    if (!(error instanceof EngineFault) || error.detail?.kind !== 'answer') throw error
    const { at, lacksScores } = error.detail
    const part = parts[at - own.length]
    if (part === undefined) throw error
    return new UnusableAnswer(part.answer, badResponse(lacksScores))
  }
}

/** Returns the error of an answer, or null if it is successful. */
export const faultOf = ({ status, bytes }: ListedAnswer): ApiError | null =>
  status >= 200 && status < 300 ? null : refused(status, bytes, 'search')

const bodiesOf = (faults: ReadonlyMap<string, ApiError>): { readonly [remote: string]: unknown } =>
  Object.fromEntries([...faults].map(([name, fault]) => [name, fault.toBody()]))

const badResponse = (lacksScores: boolean): ApiError =>
  new ApiError(
    'remote_bad_response',
    (lacksScores
      ? 'remote hit does not contain `._federation.weightedScoreValues`\n'
      : 'could not parse response from the remote host as a federated search response\n') +
      '  - hint: check that the remote instance is a Svc instance running the same version',
  )
