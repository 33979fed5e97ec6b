// Requests about the network of instances.

import type { NetworkPatch, RemotePatch, ShardPatch } from '../../engine/index.ts'
import * as json from '../../format/schema/index.ts'
import type { ErrorCode } from '../errors/index.ts'
import {
  anything,
  decodePercent,
  headerText,
  mapOf,
  member,
  nullable,
  object,
  type ParameterReader,
  parameter,
  partial,
  query,
  rawFlag,
  rawTexts,
  readBody,
  type Schema,
  text,
  texts,
  type WholeBody,
  wholeBody,
  withSchema,
} from './schema/index.ts'

/** The unchecked body. Only instances send the `previous…` members. */
export type NetworkBody = NetworkPatch & {
  readonly previousRemotes?: unknown
  readonly previousShards?: unknown
}

const remoteWith = (key: Schema<string>): Schema<RemotePatch> =>
  partial<RemotePatch>(
    { url: nullable(text), searchApiKey: nullable(key), writeApiKey: nullable(key) },
    {
      url: 'invalid_network_url',
      searchApiKey: 'invalid_network_search_api_key',
      writeApiKey: 'invalid_network_write_api_key',
    },
  )

const shard: Schema<ShardPatch> = partial<ShardPatch>(
  { remotes: nullable(texts), addRemotes: nullable(texts), removeRemotes: nullable(texts) },
  {
    remotes: 'invalid_network_remotes',
    addRemotes: 'invalid_network_remotes',
    removeRemotes: 'invalid_network_remotes',
  },
)

const CODES: { readonly [K in keyof NetworkBody]-?: ErrorCode } = {
  remotes: 'invalid_network_remotes',
  shards: 'invalid_network_shards',
  previousShards: 'invalid_network_shards',
  self: 'invalid_network_self',
  leader: 'invalid_network_leader',
  previousRemotes: 'invalid_network_remotes',
  addRemotes: 'invalid_network_remotes',
  removeRemotes: 'invalid_network_remotes',
}

function networkWith(key: Schema<string>): Schema<NetworkBody> {
  const remotes = nullable(mapOf(nullable(remoteWith(key))))
  return partial<NetworkBody>(
    {
      remotes,
      shards: nullable(mapOf(nullable(shard))),
      previousShards: anything,
      self: nullable(text),
      leader: nullable(text),
      previousRemotes: anything,
      addRemotes: remotes,
      removeRemotes: nullable(texts),
    },
    CODES,
    { unlisted: ['addRemotes', 'removeRemotes'] },
  )
}

const ofClients = networkWith(headerText)
const ofInstances = networkWith(text)

/**
 * Reads a change. Instances send all remotes, also with keys that an older release has stored.
 * @throws ApiError
 */
export const readNetworkPatch: WholeBody<NetworkBody> = withSchema(
  (body) => {
    const found = readBody(body, ofInstances)
    return found.previousRemotes === undefined ? readBody(body, ofClients) : found
  },
  () => ofClients,
)

export type RepairBody = {
  /** Instances that are wrong where others differ from them. */
  readonly instances: readonly string[] | null
}

const repair: Schema<RepairBody> = object<RepairBody>({
  instances: member(nullable(texts), 'invalid_network_remotes', null),
})

/** @throws ApiError */
export const readNetworkRepair: WholeBody<RepairBody> = wholeBody(repair)

export type DigestsQuery = {
  /** Names of shards after a planned change, in byte order, or null without a change. */
  readonly shards: readonly string[] | null
  /** False: only the settings of indexes are read. */
  readonly documents: boolean
}

/** Each name is percent-encoded and preceded by a letter, because names may be empty. */
const rawNames: ParameterReader<readonly string[]> = withSchema(
  (raw) => rawTexts(raw).map((name) => decodePercent(name.slice(1))),
  () => json.texts,
)

/** Returns the text that `readDigestsQuery` reads. */
export const namesInQuery = (names: readonly string[]): string =>
  encodeURIComponent(names.map((name) => `s${encodeURIComponent(name)}`).join(','))

/** @throws ApiError */
export const readDigestsQuery = query<DigestsQuery>({
  shards: parameter(rawNames, 'invalid_network_shards', null),
  documents: parameter(rawFlag, 'bad_request', true),
})
