// Sends an instance again only what differs: definitions of indexes, then shards. Senders compare
// their digests with those of the instance while writes wait, so an interrupted resync continues
// where it ended.
import {
  type Engine,
  type IndexDigest,
  senderOf,
  settingsToSend,
  type TopologyChange,
  type Transfer,
} from '../../../engine/index.ts'
import type { IndexUid } from '../../../format/ids.ts'
import { type InstanceDigest, readDigest } from './digests.ts'
import { REQUEST_MS } from './limits.ts'

/** Sends a part of an import without documents; `indexName`: the part concerns its documents. */
export type SendDefinition = (
  method: 'POST' | 'PATCH' | 'DELETE',
  path: string,
  value: unknown,
  indexName?: string,
) => Promise<unknown>

/** Calls of the instance that is resynchronised; each is repeated until it is accepted. */
export type ResyncCalls = {
  readonly engine: Engine
  readonly signal: AbortSignal
  /** `ms`: how long one try may take; absent: as long as other calls. */
  readonly request: (path: string, ms?: number) => Promise<Uint8Array>
  readonly sendMessage: (message: { readonly [member: string]: unknown }) => Promise<unknown>
  readonly send: SendDefinition
}

/**
 * Sends the definitions that differ. Only the leader calls this, when the instance has run all
 * tasks that are older than the change. @throws ApiError, StorageError
 */
export async function sendDifferentDefinitions(calls: ResyncCalls): Promise<void> {
  const { engine, signal, request, send } = calls
  const theirs = digestsByUid(readDigest(await request('/network/digests?documents=false')))
  const own = await engine.replication.digests(null, signal, false)
  const uids = new Set(own.map(({ uid }) => uid))
  for (const uid of theirs.keys()) {
    if (!uids.has(uid)) await send('DELETE', pathOf(uid), null)
  }
  for (const { uid, settings } of own) {
    const known = theirs.get(uid)
    if (known?.settings === settings) continue
    const { primaryKey } = engine.documents.index(uid)
    const hasSameKey = known !== undefined && (await primaryKeyOf(calls, uid)) === primaryKey
    if (known !== undefined && !hasSameKey) await send('DELETE', pathOf(uid), null)
    // They replace all settings in one task, and create the index: at no moment does it refuse
    // filters.
    await send('PATCH', `${pathOf(uid)}/settings`, settingsToSend(engine, uid))
    if (!hasSameKey && primaryKey !== null) await send('PATCH', pathOf(uid), { primaryKey })
  }
}

const pathOf = (uid: IndexUid): string => `/indexes/${encodeURIComponent(uid)}`

const digestsByUid = ({ indexes }: InstanceDigest): ReadonlyMap<IndexUid, IndexDigest> =>
  new Map(indexes.map((index) => [index.uid, index]))

async function primaryKeyOf({ request }: ResyncCalls, uid: IndexUid): Promise<unknown> {
  const answer = Buffer.from(await request(pathOf(uid))).toString()
  return (JSON.parse(answer) as { readonly primaryKey?: unknown }).primaryKey
}

/** A transfer of documents that stay in their shards. */
type ShardTransfer = Transfer & { readonly from: NonNullable<Transfer['from']> }

/**
 * Returns the part of the transfer that each index needs, after the instance has deleted its
 * documents of the shards that differ. @throws ApiError, StorageError
 */
export async function differentShards(
  { engine, signal, request, sendMessage, send }: ResyncCalls,
  change: TopologyChange,
  self: string,
  transfer: ShardTransfer,
): Promise<ReadonlyMap<IndexUid, Transfer>> {
  // The instance refuses this until its definitions are those of the leader.
  await sendMessage({ type: 'renewForRemote', documents: true })
  const theirs = digestsByUid(readDigest(await request('/network/digests', REQUEST_MS)))
  const own = new Map(
    (await engine.replication.digests(null, signal)).map((index) => [index.uid, index]),
  )
  const transfers = new Map<IndexUid, Transfer>()
  for (const uid of new Set([...own.keys(), ...theirs.keys()])) {
    const held: boolean[] = []
    for (const [i, shard] of transfer.from.names.entries()) {
      const mine = shardOf(own.get(uid), shard)
      const known = shardOf(theirs.get(uid), shard)
      const isDifferent = mine?.digest !== known?.digest || mine?.documents !== known?.documents
      const isSent = transfer.from.held[i]! && isDifferent
      held.push(isSent && mine !== undefined)
      // Only the owner that sends the shard knows which documents it has.
      const owners = change.before.shards.get(shard)?.remotes ?? []
      const isSender = owners.includes(self) && senderOf(change, shard, owners) === self
      if (!isSent || !isSender || known === undefined) continue
      const filter = `_shard = ${JSON.stringify(shard)}`
      await send('POST', `${pathOf(uid)}/documents/delete`, { filter }, uid)
    }
    if (held.includes(true)) {
      transfers.set(uid, { ...transfer, from: { names: transfer.from.names, held } })
    }
  }
  return transfers
}

/** Returns undefined for a shard without documents. */
const shardOf = (
  index: IndexDigest | undefined,
  shard: string,
): IndexDigest['shards'][number] | undefined => index?.shards.find((one) => one.shard === shard)
