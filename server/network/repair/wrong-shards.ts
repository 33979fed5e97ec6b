// Decides which instance is wrong where owners of a shard have different documents: the leader is
// right, as all writes pass through it, else the majority of the owners. Where that does not
// decide, an operator does.
import {
  type IndexDigest,
  type Network,
  resyncable,
  type StaleRemote,
} from '../../../engine/index.ts'
import { asTaskUid, type IndexUid } from '../../../format/ids.ts'
import { ApiError } from '../../errors/index.ts'
import type { AllDigests } from './digests.ts'

/** Owners that differ, and it is unknown which of them is right. */
export type UnclearShard = {
  readonly index: IndexUid
  readonly shard: string
  readonly instances: readonly string[]
}

export type WrongShards = {
  /** Names of shards by instance; empty if only its definitions of indexes are wrong. */
  readonly wrong: ReadonlyMap<string, readonly string[]>
  readonly unclear: readonly UnclearShard[]
}

/** The names of shards travel in a header of a request. */
const NAMES_BYTES_MAX = 4096

/**
 * `named`: instances that are wrong where others differ from them. `stale`: instances that need
 * their shards again already.
 */
export function wrongShards(
  network: Network,
  all: AllDigests,
  stale: ReadonlyMap<string, StaleRemote>,
  named: readonly string[],
): WrongShards {
  const known = new Map<string, ReadonlyMap<IndexUid, IndexDigest>>()
  for (const [name, digest] of all) {
    if (digest instanceof ApiError) continue
    known.set(name, new Map(digest.indexes.map((index) => [index.uid, index])))
  }
  const leader = network.leader ?? ''
  const found = new Map<string, Place[]>()
  const unclear: UnclearShard[] = []
  for (const instance of otherDefinitions(known, leader)) found.set(instance, [])
  const uids = new Set([...known.values()].flatMap((indexes) => [...indexes.keys()]))
  for (const index of [...uids].sort()) {
    for (const [shard, { remotes: owners }] of network.shards) {
      const copies = owners.flatMap((instance) => {
        const indexes = known.get(instance)
        return indexes === undefined ? [] : [{ instance, sign: signOf(indexes.get(index), shard) }]
      })
      if (copies.every(({ sign }) => sign === copies[0]?.sign)) continue
      const right = rightSign(copies, owners.length, leader, named)
      const instances = copies.map(({ instance }) => instance)
      if (right === null) unclear.push({ index, shard, instances })
      else {
        for (const { instance } of copies.filter(({ sign }) => sign !== right)) {
          found.set(instance, [...(found.get(instance) ?? []), { index, shard, instances }])
        }
      }
    }
  }
  return repairable(network, found, stale, unclear)
}

type Place = UnclearShard
type Copy = { readonly instance: string; readonly sign: string }

/** Returns the sign of the right copies, or null if that is unclear. */
function rightSign(
  copies: readonly Copy[],
  owners: number,
  leader: string,
  named: readonly string[],
): string | null {
  const others = copies.filter(({ instance }) => !named.includes(instance))
  const [first] = others
  const areAgreed =
    others.length < copies.length && others.every(({ sign }) => sign === first?.sign)
  if (first !== undefined && areAgreed) return first.sign
  const counts = new Map<string, number>()
  for (const { sign } of copies) counts.set(sign, (counts.get(sign) ?? 0) + 1)
  const majority = [...counts].find(([, count]) => count * 2 > owners)?.[0] ?? null
  const ofLeader = copies.find(({ instance }) => instance === leader)?.sign
  if (ofLeader === undefined) return majority
  return majority === null || majority === ofLeader ? ofLeader : null
}

/** Returns the instances whose indexes or settings are not those of the leader. */
function otherDefinitions(
  known: ReadonlyMap<string, ReadonlyMap<string, IndexDigest>>,
  leader: string,
): readonly string[] {
  const definitions = (name: string): string =>
    JSON.stringify([...(known.get(name) ?? [])].map(([uid, { settings }]) => [uid, settings]))
  const right = definitions(leader)
  return [...known.keys()].filter((name) => definitions(name) !== right)
}

const signOf = (index: IndexDigest | undefined, shard: string): string => {
  const found = index?.shards.find((one) => one.shard === shard)
  return found === undefined ? '' : `${found.documents} ${found.digest}`
}

/**
 * Leaves out instances of which another one could not send the shards; and those beyond the limit,
 * which the next comparison finds.
 */
function repairable(
  network: Network,
  found: ReadonlyMap<string, readonly Place[]>,
  stale: ReadonlyMap<string, StaleRemote>,
  unclear: readonly UnclearShard[],
): WrongShards {
  const unchanged = { before: network, after: network, absent: [] }
  const marked = new Map(stale)
  const wrong = new Map<string, readonly string[]>()
  const unsourced: UnclearShard[] = []
  for (const [instance, places] of found) {
    const known = marked.get(instance)
    // It gets all its shards again.
    if (known !== undefined && known.shards === undefined) continue
    const names = [...new Set([...places.map(({ shard }) => shard), ...(known?.shards ?? [])])]
    const shards = names.sort().filter((_, i) => bytesOf(names.slice(0, i + 1)) <= NAMES_BYTES_MAX)
    const next = new Map(marked).set(instance, {
      reason: 'different',
      before: asTaskUid(0),
      shards,
    })
    const { renewed, renewedShards } = resyncable(unchanged, next)
    if (![...wrong.keys(), instance].every((name) => renewed.includes(name))) {
      unsourced.push(...places)
    } else if (wrong.size === 0 || bytesOf(Object.fromEntries(renewedShards)) <= NAMES_BYTES_MAX) {
      marked.set(instance, next.get(instance)!)
      wrong.set(instance, shards)
    }
  }
  return { wrong, unclear: [...unclear, ...unsourced] }
}

const bytesOf = (names: object): number => encodeURIComponent(JSON.stringify(names)).length
