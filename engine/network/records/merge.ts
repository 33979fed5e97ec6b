// Applies a client's change to the network: keeps, clears and replaces members, and checks the
// result in the order in which errors are reported.
import { compareText } from '../../../format/bytes/index.ts'
import { EngineFault, type FaultCode } from '../../model/index.ts'
import type { Network, Remote, Shard } from './network.ts'

/** An absent member is kept, null clears it (`url` cannot be cleared). */
export type RemotePatch = {
  readonly url?: string | null
  readonly searchApiKey?: string | null
  readonly writeApiKey?: string | null
}

/** Starts from `remotes`, or the current list if absent, then adds and removes names. */
export type ShardPatch = {
  readonly remotes?: readonly string[] | null
  readonly addRemotes?: readonly string[] | null
  readonly removeRemotes?: readonly string[] | null
}

type Named<T> = { readonly [name: string]: T | null } | null

/** An absent member is kept, null clears it. A null for a name removes that remote or shard. */
export type NetworkPatch = {
  readonly remotes?: Named<RemotePatch>
  readonly shards?: Named<ShardPatch>
  readonly self?: string | null
  readonly leader?: string | null
  /** Merged into `remotes`. */
  readonly addRemotes?: Named<RemotePatch>
  readonly removeRemotes?: readonly string[] | null
}

export type MergeOptions = {
  /** The version of the resulting network. */
  readonly version: string
  /** Returns the problem of a URL, or null if it is valid. */
  readonly urlProblem: (url: string) => string | null
}

/**
 * Returns the network after a client's change; a new leader has no identity yet.
 * @throws EngineFault
 */
export function mergeNetwork(from: Network, patch: NetworkPatch, options: MergeOptions): Network {
  const self = patch.self === undefined ? from.self : patch.self
  const leader = patch.leader === undefined ? from.leader : patch.leader
  checkLeads(from, self, leader)
  const remotes = mergedRemotes(from.remotes, patch, options.urlProblem)
  const gone = [...from.remotes.keys()].filter((name) => !remotes.has(name))
  const named = [...removedNames(patch), ...gone]
  const shards = mergedShards(from.shards, patch.shards, new Set(named))
  const leaderId = leader === null || leader !== from.leader ? null : from.leaderId
  const merged = { self, remotes, leader, leaderId, term: from.term, version: options.version }
  if (leader !== null) checkSharding(leader, remotes, shards)
  const kept = [...shards].filter(([, shard]) => shard.remotes.length > 0)
  return { ...merged, shards: new Map(kept) }
}

/**
 * Only the leader may set itself as leader, and it keeps its name; every instance may leave.
 * @throws EngineFault
 */
function checkLeads(from: Network, self: string | null, leader: string | null): void {
  if (leader === null) return
  if (leader !== self) throw notLeader(leader)
  if (from.self !== null && self !== from.self) throw renamed(from, self)
}

const renamed = ({ self: from }: Network, to: string | null): EngineFault =>
  fault(
    'invalid_network_self',
    'Renaming a remote is not supported when a leader is defined.\n' +
      `  - Note: applying this change would rename \`${from}\` to \`${to}\`.\n` +
      `  - Hint: Send this change to \`${to}\` if it already exists.`,
  )

/** Returns the fault of a write that only the leader accepts. */
export const notLeader = (leader: string): EngineFault =>
  fault(
    'not_a_leader',
    'This remote is not the leader of the network.\n' +
      `  - Note: only the leader \`${leader}\` can receive new tasks.`,
  )

function removedNames({ remotes, removeRemotes }: NetworkPatch): readonly string[] {
  const nulls = Object.entries(remotes ?? {}).filter(([, remote]) => remote === null)
  return [...nulls.map(([name]) => name), ...(removeRemotes ?? [])]
}

function mergedRemotes(
  from: ReadonlyMap<string, Remote>,
  patch: NetworkPatch,
  urlProblem: (url: string) => string | null,
): ReadonlyMap<string, Remote> {
  const remotes = new Map(patch.remotes === null ? [] : from)
  const changes = [
    ...Object.entries(patch.remotes ?? {}),
    ...Object.entries(patch.addRemotes ?? {}),
    ...(patch.removeRemotes ?? []).map((name) => [name, null] as const),
  ]
  for (const [name, change] of changes) {
    if (change === null) remotes.delete(name)
    else remotes.set(name, mergedRemote(name, remotes.get(name), change, urlProblem))
  }
  return sorted(remotes)
}

function mergedRemote(
  name: string,
  from: Remote | undefined,
  patch: RemotePatch,
  urlProblem: (url: string) => string | null,
): Remote {
  const place = `.remotes.${name}.url`
  if (from !== undefined && patch.url === null) {
    throw fault('invalid_network_url', `Field \`${place}\` cannot be set to \`null\``)
  }
  const url = patch.url ?? from?.url
  if (url === undefined) throw fault('missing_network_url', `Missing field \`${place}\``)
  const problem = typeof patch.url === 'string' ? urlProblem(patch.url) : null
  if (problem !== null) {
    throw fault('invalid_network_url', `Invalid \`${place}\` (\`${url}\`): ${problem}`)
  }
  const { searchApiKey = from?.searchApiKey ?? null, writeApiKey = from?.writeApiKey ?? null } =
    patch
  return { url, searchApiKey, writeApiKey }
}

/** `gone` are the removed remotes; they leave all shards unless the change names them again. */
function mergedShards(
  from: ReadonlyMap<string, Shard>,
  patch: NetworkPatch['shards'],
  gone: ReadonlySet<string>,
): ReadonlyMap<string, Shard> {
  const shards = new Map<string, Shard>()
  if (patch !== null) {
    for (const [name, { remotes }] of from) {
      shards.set(name, { remotes: remotes.filter((remote) => !gone.has(remote)) })
    }
  }
  for (const [name, change] of Object.entries(patch ?? {})) {
    if (change === null) {
      shards.delete(name)
      continue
    }
    const held = new Set(change.remotes ?? shards.get(name)?.remotes ?? [])
    for (const remote of change.addRemotes ?? []) held.add(remote)
    for (const remote of change.removeRemotes ?? []) held.delete(remote)
    shards.set(name, { remotes: [...held].sort(compareText) })
  }
  return sorted(shards)
}

/** Checks the requirements of a network with a leader. @throws EngineFault */
function checkSharding(
  leader: string,
  remotes: ReadonlyMap<string, Remote>,
  shards: ReadonlyMap<string, Shard>,
): void {
  if (!remotes.has(leader)) {
    throw fault('invalid_network_remotes', `leader \`${leader}\` is missing from remotes`)
  }
  const held = [...shards].filter(([, shard]) => shard.remotes.length > 0)
  if (held.length === 0) {
    throw fault(
      'invalid_network_shards',
      'there must be at least one shard owned by at least one remote',
    )
  }
  for (const [name, shard] of held) {
    const stranger = shard.remotes.find((remote) => !remotes.has(remote))
    if (stranger === undefined) continue
    throw fault('invalid_network_shards', `unknown remote \`${stranger}\` in \`.${name}.remotes\``)
  }
}

const sorted = <T>(map: ReadonlyMap<string, T>): ReadonlyMap<string, T> =>
  new Map([...map].sort(([a], [b]) => compareText(a, b)))

const fault = (code: FaultCode, message: string): EngineFault => new EngineFault(code, message)
