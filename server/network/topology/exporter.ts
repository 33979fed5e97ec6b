// Sends one remote the data of its new shards during a topology change: definitions of indexes if
// it or this instance is new, then documents, then a final message, each until it is accepted.
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import {
  areShardsSame,
  type Engine,
  type ImportSource,
  type Remote,
  settingsToSend,
  type TopologyChange,
  type Transfer,
  transferTo,
} from '../../../engine/index.ts'
import type { IndexUid } from '../../../format/ids.ts'
import { ApiError } from '../../errors/index.ts'
import { importHeaders, remoteCodeOf } from '../calls/index.ts'
import {
  ANSWER_BYTES_MAX as DIGEST_BYTES_MAX,
  differentShards,
  type ResyncCalls,
  type SendDefinition,
  sendDifferentDefinitions,
} from '../repair/index.ts'
import { type CallParts, callUntilAccepted, sendMessage } from './accepted-calls.ts'
import {
  type ExportedPart,
  type ExportPieces,
  keyOfBytes,
  type ReadPiece,
} from './export-pieces.ts'

const pack = promisify(gzip)
/** Compression helps on slow lines; level 1 costs a third of the default level. */
const PACKING = { level: 1 }

export type ExportParts = CallParts & { readonly engine: Engine; readonly pieces: ExportPieces }

type Target = { readonly name: string; readonly remote: Remote }

/**
 * Sends everything to one remote; the leader also sends definitions of indexes.
 * @throws ApiError if the remote refuses permanently, StorageError
 */
export async function exportTo(
  parts: ExportParts,
  change: TopologyChange,
  name: string,
): Promise<void> {
  const { engine } = parts
  const remote = change.after.remotes.get(name)!
  const self = change.after.self ?? change.before.self ?? ''
  const target = { name, remote }
  if (self === change.after.leader) {
    const isResynced = change.renewed.includes(name)
    const isNew = isResynced || !change.before.remotes.has(name)
    if (isNew) await untilReady(parts, change, target)
    const calls = resyncCalls(parts, change, target, self)
    if (isResynced && areShardsSame(change.before, change.after)) {
      await sendDifferentDefinitions(calls)
    } else {
      if (isResynced) await emptyRemote(parts, change, target, self)
      await sendDefinitions(parts, change, target, self, isNew)
    }
    if (isNew) await sendRules(parts, definitionSender(parts, change, remote, self))
    if (isResynced) await calls.sendMessage({ type: 'definitionsSentForRemote' })
  }
  const transfer = transferTo(change, self, name)
  const transfers = await transfersTo(parts, change, target, self, transfer)
  for (const [uid, moved] of transfers) {
    const index = engine.topology.open(uid, moved, parts.signal)
    if (index === null) continue
    try {
      if (joins(change)) await sendSettings(parts, change, target, self, uid)
      const read: ReadPiece = (after, bytesMax) => index.chunk(null, after, bytesMax, null)
      let after = -1
      for (;;) {
        const part = await parts.pieces.part(read, after)
        // A part without documents reports that this index has none for the remote. An instance
        // that is resynchronised or leaves may have indexes that the leader has deleted.
        const isUpToDate = change.after.remotes.has(self) && !change.renewed.includes(self)
        if (part.documents > 0 || (after < 0 && isUpToDate)) {
          const source = sourceOf(self, uid, part, transfers.size)
          const { primaryKey } = index
          await sendDocuments(parts, change, target, { uid, primaryKey }, part.ndjson, source)
        }
        if (part.last === null) break
        after = part.last
      }
    } finally {
      index.release()
    }
  }
  await sendMessage(parts, change, remote, { type: 'exportNoIndexForRemote', remote: self })
}

/** Returns whether this instance becomes a member. */
const joins = ({ before, after, isReturning }: TopologyChange): boolean =>
  isReturning || (after.self !== null && !before.remotes.has(after.self))

/**
 * Sends the settings of an index that a remote lacks. They create it there; if older tasks or the
 * leader have created it by then, its settings stay.
 */
async function sendSettings(
  parts: ExportParts,
  change: TopologyChange,
  { remote }: Target,
  self: string,
  uid: IndexUid,
): Promise<void> {
  const path = `/indexes/${encodeURIComponent(uid)}`
  if (await hasIndex(parts, remote, path)) return
  const send = definitionSender(parts, change, remote, self)
  await send('PATCH', `${path}/settings`, settingsToSend(parts.engine, uid))
}

/**
 * Announces one index more than there are: only the final message completes the import, also if an
 * interrupted export begins again with other parts.
 */
const sourceOf = (
  remoteName: string,
  indexName: string,
  { documents, total, key }: ExportedPart,
  indexes: number,
): ImportSource => ({
  remoteName,
  indexName,
  documentCount: documents,
  indexCount: indexes + 1,
  totalDocuments: total,
  key,
})

async function sendDocuments(
  parts: ExportParts,
  change: TopologyChange,
  { remote }: Target,
  { uid, primaryKey }: { readonly uid: IndexUid; readonly primaryKey: string | null },
  ndjson: Uint8Array,
  source: ImportSource,
): Promise<void> {
  const query = primaryKey === null ? '' : `?primaryKey=${encodeURIComponent(primaryKey)}`
  const isEmpty = ndjson.length === 0
  const body = isEmpty ? Buffer.from('[]') : await pack(ndjson, PACKING)
  const type = isEmpty
    ? { 'content-type': 'application/json' }
    : { 'content-type': 'application/x-ndjson', 'content-encoding': 'gzip' }
  await callUntilAccepted(parts, remote, {
    method: 'POST',
    path: `/indexes/${encodeURIComponent(uid)}/documents${query}`,
    body,
    headers: { ...type, ...importHeaders(source, change.origin) },
  })
}

/**
 * Returns the documents that move from each index. If all stay in their shards, an instance that is
 * renewed receives only the shards that differ.
 */
async function transfersTo(
  parts: ExportParts,
  change: TopologyChange,
  target: Target,
  self: string,
  transfer: Transfer | null,
): Promise<ReadonlyMap<IndexUid, Transfer>> {
  if (transfer === null) return new Map()
  const { engine } = parts
  const isResynced = change.renewed.includes(target.name)
  if (!isResynced || transfer.from === null || !areShardsSame(change.before, change.after)) {
    return new Map(engine.topology.indexUids().map((uid) => [uid, transfer]))
  }
  const calls = resyncCalls(parts, change, target, self)
  return differentShards(calls, change, self, { ...transfer, from: transfer.from })
}

const resyncCalls = (
  parts: ExportParts,
  change: TopologyChange,
  { name, remote }: Target,
  self: string,
): ResyncCalls => ({
  engine: parts.engine,
  signal: parts.signal,
  request: (path, requestMs = parts.times.requestMs) => {
    const times = { ...parts.times, requestMs }
    const limits = { times, answerBytesMax: DIGEST_BYTES_MAX }
    return callUntilAccepted(parts, remote, {
      method: 'GET',
      path,
      body: null,
      headers: {},
      ...limits,
    })
  },
  sendMessage: (message) => sendMessage(parts, change, remote, { ...message, remote: name }),
  send: definitionSender(parts, change, remote, self),
})

/**
 * Creates the indexes that an instance lacks, and sends settings to an instance that joins.
 * Documents of another exporter may have created an index before.
 */
async function sendDefinitions(
  parts: ExportParts,
  change: TopologyChange,
  { remote }: Target,
  self: string,
  isNew: boolean,
): Promise<void> {
  const { engine } = parts
  const part = definitionSender(parts, change, remote, self)
  for (const uid of engine.topology.indexUids()) {
    const path = `/indexes/${encodeURIComponent(uid)}`
    const isMissing = !(await hasIndex(parts, remote, path))
    // The settings create the index: at no moment does it refuse filters for lack of settings.
    if (isMissing || isNew) await part('PATCH', `${path}/settings`, settingsToSend(engine, uid))
    const { primaryKey } = engine.documents.index(uid)
    if (isMissing && primaryKey !== null) await part('PATCH', path, { primaryKey })
  }
}

/** Sends the search rules to an instance that joins or is resynchronised. */
async function sendRules(parts: ExportParts, part: SendDefinition): Promise<void> {
  const { engine } = parts
  const uids = engine.topology.indexUids()
  const hasRules =
    engine.administration.features.dynamicSearchRules &&
    engine.administration.rules().length + uids.length > 0
  if (!hasRules) return
  try {
    await part('DELETE', '/dynamic-search-rules', null)
    for (const rule of engine.administration.rules()) {
      const { uid, lastUpdatedAt: _at, lastUpdatedNanos: _nanos, ...members } = rule
      await part('PATCH', `/dynamic-search-rules/${encodeURIComponent(uid)}`, members)
    }
  } catch (error) {
    // An instance on which rules are disabled does not need them.
    if (!(error instanceof ApiError)) throw error
    parts.report('Search rules could not be handed over.', error)
  }
}

/** Returns a function that sends parts of an import without documents; see `SendDefinition`. */
function definitionSender(
  parts: ExportParts,
  change: TopologyChange,
  remote: Remote,
  self: string,
): SendDefinition {
  const indexCount = parts.engine.topology.indexUids().length + 1
  return (method, path, value, indexName) => {
    const body = value === null ? null : Buffer.from(JSON.stringify(value))
    const key = keyOfBytes(Buffer.from(`${method} ${path} ${body?.toString() ?? ''}`))
    const counts = { documentCount: 0, indexCount, totalDocuments: 0 }
    const source = { remoteName: self, indexName: indexName ?? null, ...counts, key }
    const type = body === null ? {} : { 'content-type': 'application/json' }
    const headers = { ...type, ...importHeaders(source, change.origin) }
    return callUntilAccepted(parts, remote, { method, path, body, headers })
  }
}

/**
 * Waits until an instance has deleted what is left there of an earlier membership. One that gets
 * its shards again has also run all tasks that are older than the change.
 */
const untilReady = (
  parts: ExportParts,
  change: TopologyChange,
  { name, remote }: Target,
): Promise<unknown> => sendMessage(parts, change, remote, { type: 'renewForRemote', remote: name })

/** Number of indexes per request of a remote's list. */
const INDEXES_AT_ONCE = 1000

/**
 * Deletes all indexes of an instance whose shards are sent again, missing ones included. Each
 * deletion counts once, so that a deletion repeated after a restart does not delete documents that
 * were sent since.
 */
async function emptyRemote(
  parts: ExportParts,
  change: TopologyChange,
  { remote }: Target,
  self: string,
): Promise<void> {
  const uids = new Set(parts.engine.topology.indexUids())
  for (let offset = 0; ; offset += INDEXES_AT_ONCE) {
    const path = `/indexes?limit=${INDEXES_AT_ONCE}&offset=${offset}`
    const list = await callUntilAccepted(parts, remote, {
      method: 'GET',
      path,
      body: null,
      headers: {},
    })
    const { results } = JSON.parse(Buffer.from(list).toString()) as IndexList
    for (const { uid } of results) uids.add(uid)
    if (results.length < INDEXES_AT_ONCE) break
  }
  const send = definitionSender(parts, change, remote, self)
  for (const uid of [...uids].sort()) {
    await send('DELETE', `/indexes/${encodeURIComponent(uid)}`, null)
  }
}

type IndexList = { readonly results: readonly { readonly uid: IndexUid }[] }

/** Returns true also if the key does not permit to read the index. */
async function hasIndex(parts: ExportParts, remote: Remote, path: string): Promise<boolean> {
  try {
    await callUntilAccepted(parts, remote, { method: 'GET', path, body: null, headers: {} })
    return true
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return remoteCodeOf(error) !== 'index_not_found'
  }
}
