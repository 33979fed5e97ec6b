// Compares digests of all instances: each shard has the same documents on all its owners, settings
// are equal everywhere, and no instance has documents of foreign shards.
import type { IndexDigest, Network } from '../../../engine/index.ts'
import type { IndexUid } from '../../../format/ids.ts'
import { ApiError } from '../../errors/index.ts'
import type { AllDigests, InstanceDigest } from './digests.ts'

/** Largest number of reported differences. */
const DIFFERENCES_MAX = 1000

/**
 * equal: all instances agree. different: they differ and no task is pending. unsettled: a task
 * waits or runs. unreachable: an instance does not answer.
 */
export type Verdict = 'equal' | 'different' | 'unsettled' | 'unreachable'

/** `documents` is the count of the instance, or null if the difference concerns settings. */
export type Difference = {
  readonly index: IndexUid
  readonly shard: string | null
  readonly instance: string
  readonly problem: 'missingIndex' | 'settings' | 'documents' | 'foreignDocuments'
  readonly documents: number | null
  /** The count of the leader, or of another owner. */
  readonly expectedDocuments: number | null
}

export type ReplicaReport = {
  readonly verdict: Verdict
  readonly instances: {
    readonly [name: string]: {
      readonly isSettled: boolean | null
      readonly version: string | null
      readonly documents: number | null
      readonly error: string | null
    }
  }
  readonly differences: readonly Difference[]
}

export function compareDigests(network: Network, all: AllDigests): ReplicaReport {
  const known = new Map<string, InstanceDigest>()
  const instances: Record<string, ReplicaReport['instances'][string]> = {}
  for (const [name, digest] of all) {
    if (digest instanceof ApiError) {
      const error = digest.message
      instances[name] = { isSettled: null, version: null, documents: null, error }
      continue
    }
    known.set(name, digest)
    const { isSettled, version, indexes } = digest
    instances[name] = { isSettled, version, documents: countOf(indexes), error: null }
  }
  const differences = network.leader === null ? [] : differencesOf(network, known)
  const isSettled = [...known.values()].every(
    (one) => one.isSettled && one.version === network.version,
  )
  // Searches skip documents that a canceled change has left behind.
  const isDifferent = differences.some(({ problem }) => problem !== 'foreignDocuments')
  const verdict = isDifferent
    ? isSettled
      ? 'different'
      : 'unsettled'
    : known.size < all.size
      ? 'unreachable'
      : 'equal'
  return { verdict, instances, differences: differences.slice(0, DIFFERENCES_MAX) }
}

const countOf = (indexes: readonly IndexDigest[]): number =>
  indexes.reduce((sum, { shards }) => sum + documentsOf(shards), 0)

const documentsOf = (shards: IndexDigest['shards']): number =>
  shards.reduce((sum, { documents }) => sum + documents, 0)

type Has = ReadonlyMap<string, InstanceDigest>

function differencesOf(network: Network, known: Has): Difference[] {
  const uids = new Set([...known.values()].flatMap(({ indexes }) => indexes.map(({ uid }) => uid)))
  return [...uids].sort().flatMap((uid) => {
    const indexes = new Map<string, IndexDigest>()
    for (const [name, digest] of known) {
      const index = digest.indexes.find((one) => one.uid === uid)
      if (index !== undefined) indexes.set(name, index)
    }
    return [
      ...ofDefinitions(network, uid, known, indexes),
      ...ofDocuments(network, uid, known, indexes),
    ]
  })
}

type Indexes = ReadonlyMap<string, IndexDigest>

function ofDefinitions(
  { leader }: Network,
  index: IndexUid,
  known: Has,
  indexes: Indexes,
): Difference[] {
  const first = indexes.get(leader ?? '') ?? [...indexes.values()][0]
  return [...known.keys()].flatMap((instance) => {
    const settings = indexes.get(instance)?.settings
    if (settings === first?.settings) return []
    const problem = settings === undefined ? 'missingIndex' : 'settings'
    const nothing = { shard: null, documents: null, expectedDocuments: null }
    return [{ index, instance, problem, ...nothing } as const]
  })
}

function ofDocuments(
  { shards, leader }: Network,
  index: IndexUid,
  known: Has,
  indexes: Indexes,
): Difference[] {
  const found: Difference[] = []
  for (const [shard, { remotes: owners }] of shards) {
    const has = (instance: string) => heldOf(indexes.get(instance), shard)
    // The leader is right: all writes pass through it.
    const first = [...owners.filter((owner) => owner === leader), ...owners].find((owner) =>
      known.has(owner),
    )
    const expected = first === undefined ? null : has(first)
    for (const instance of known.keys()) {
      const { documents, digest } = has(instance)
      const isOwner = owners.includes(instance)
      const isRight = isOwner
        ? expected?.digest === digest && expected.documents === documents
        : documents === 0
      if (isRight) continue
      found.push({
        index,
        shard,
        instance,
        problem: isOwner ? 'documents' : 'foreignDocuments',
        documents,
        expectedDocuments: isOwner ? (expected?.documents ?? null) : 0,
      })
    }
  }
  return found
}

const NOTHING = { documents: 0, digest: '' }

const heldOf = (
  index: IndexDigest | undefined,
  shard: string,
): { readonly documents: number; readonly digest: string } =>
  index?.shards.find((one) => one.shard === shard) ?? NOTHING
