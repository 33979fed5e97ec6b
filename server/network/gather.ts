// Asks the instances of a plan side by side. When one fails, other owners of its shards are asked
// in the time that is left; what no owner answers is named.
import type { Remote } from '../../engine/index.ts'
import { ApiError } from '../errors/index.ts'
import type { Availability } from './availability.ts'
import { isPassing } from './remote-call.ts'
import { type AskedShards, chosenOwner, type SearchPlan } from './search-plan.ts'

/** How long an instance may take that others can replace, or that rests after a failure. */
const FIRST_MS = 2000

export type Gathered = {
  readonly answers: readonly { readonly remote: string; readonly bytes: Uint8Array }[]
  /** By name in byte order: why shards, or an instance, are missing. */
  readonly errors: { readonly [remote: string]: unknown }
}

export type GatherParts = {
  readonly availability: Availability
  /** Time for all of it. */
  readonly searchMs: number
  /** Milliseconds of any clock. */
  readonly now: () => number
  /** Whether failures make an instance rest. */
  readonly marks: boolean
}

type Ask = (remote: Remote, shards: AskedShards, ms: number, name: string) => Promise<Uint8Array>

export async function gather(plan: SearchPlan, ask: Ask, parts: GatherParts): Promise<Gathered> {
  const { network, isSharded, remotes, unowned } = plan
  const { availability, searchMs, now, marks } = parts
  const end = now() + searchMs
  const answers: { remote: string; bytes: Uint8Array }[] = []
  const errors = new Map<string, ApiError>()
  for (const owner of unowned.values()) errors.set(owner, noOwner())

  const askOne = async (
    name: string,
    shards: AskedShards,
    tried: ReadonlySet<string>,
  ): Promise<void> => {
    const remote = network.remotes.get(name)
    const nowTried = new Set([...tried, name])
    const left = Math.max(1, end - now())
    const hasOthers =
      shards !== null &&
      shards.length > 0 &&
      shards.every((shard) => othersOf(shard, nowTried).length > 0)
    try {
      if (remote === undefined) throw unknown(name)
      const isTrial = isSharded && !availability.isAvailable(name)
      const ms = hasOthers || isTrial ? Math.min(FIRST_MS, left) : left
      answers.push({ remote: name, bytes: await ask(remote, shards, ms, name) })
      if (marks) availability.answered(name)
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      if (marks && isSharded && isPassing(error)) availability.failed(name)
      const others = new Map<string, string[]>()
      for (const shard of shards ?? []) {
        const mayHelp = error.code !== 'remote_bad_request' && end > now()
        const owner = mayHelp ? chosenOwner(othersOf(shard, nowTried), availability, others) : null
        if (owner !== null) others.set(owner, [...(others.get(owner) ?? []), shard])
      }
      // It is named also where another owner answers: the answer is whole, the instance is not.
      errors.set(name, error)
      await Promise.all([...others].map(([other, own]) => askOne(other, own, nowTried)))
    }
  }
  const othersOf = (shard: string, tried: ReadonlySet<string>): readonly string[] =>
    (network.shards.get(shard)?.remotes ?? []).filter((owner) => !tried.has(owner))

  await Promise.all([...remotes].map(([name, shards]) => askOne(name, shards, new Set())))
  answers.sort((a, b) => (a.remote < b.remote ? -1 : 1))
  return { answers, errors: errorBodies(errors) }
}

export const errorBodies = (
  errors: ReadonlyMap<string, ApiError>,
): { readonly [remote: string]: unknown } =>
  Object.fromEntries([...errors].sort().map(([name, error]) => [name, error.toBody()]))

const noOwner = (): ApiError =>
  new ApiError(
    'remote_could_not_send_request',
    'error sending request: no owner of a shard is available',
  )

const unknown = (name: string): ApiError =>
  new ApiError('unknown_remote', `Unknown remote \`${name}\``)
