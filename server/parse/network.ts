// Requests about the network of instances.
import {
  type NetworkPatch,
  type RemotePatch,
  readUuid,
  type ShardPatch,
} from '../../engine/index.ts'
import type { ErrorCode } from '../errors/index.ts'
import { exactBody, type WholeBody, wholeBody } from './body.ts'
import { isJsonObject, type Json } from './json-value.ts'
import { partial } from './object-schemas.ts'
import { misread, readUpTo, shownKind } from './place.ts'
import { withSchema } from './reader-schemas.ts'
import { anything, mapOf, nullable, type Schema, text, texts } from './schemas.ts'

/** As it was sent. `previous…` are said among instances alone. */
export type NetworkBody = NetworkPatch & {
  readonly previousRemotes?: unknown
  readonly previousShards?: unknown
}

const remote: Schema<RemotePatch> = partial<RemotePatch>(
  { url: nullable(text), searchApiKey: nullable(text), writeApiKey: nullable(text) },
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

const remotes = nullable(mapOf(nullable(remote)))

const network: Schema<NetworkBody> = partial<NetworkBody>(
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

/** @throws ApiError */
export const readNetworkPatch: WholeBody<NetworkBody> = wholeBody(network)

const MESSAGE = {
  type: 'object',
  properties: {
    origin: {
      type: 'object',
      properties: {
        remoteName: { type: 'string' },
        taskUid: { type: 'integer', minimum: 0 },
        networkVersion: { type: 'string', format: 'uuid' },
      },
      required: ['remoteName', 'taskUid', 'networkVersion'],
    },
    message: {
      type: 'object',
      properties: { type: { type: 'string' } },
      required: ['type'],
    },
  },
  required: ['origin', 'message'],
} as const

const ORIGIN = ['remoteName', 'taskUid', 'networkVersion'] as const

/** A message between instances has an origin and says what it is about. @throws ApiError */
export function checkNetworkMessage(body: Uint8Array): void {
  const value = exactBody(body)
  const { origin, message } = isJsonObject(value) ? value : {}
  if (origin === undefined) throw misread(body, 'missing field `origin`', body.length)
  const members = isJsonObject(origin) ? origin : {}
  const missing = ORIGIN.find((name) => members[name] === undefined)
  const end = readUpTo(body, ['origin'])
  if (missing !== undefined) throw misread(body, `missing field \`${missing}\``, end)
  checkVersion(members.networkVersion!, body)
  if (message === undefined) throw misread(body, 'missing field `message`', body.length)
  if (isJsonObject(message) && message.type !== undefined) return
  throw misread(body, 'missing field `type`', readUpTo(body, ['message']))
}

withSchema(checkNetworkMessage, () => MESSAGE)

function checkVersion(version: Json, body: Uint8Array): void {
  const end = readUpTo(body, ['origin', 'networkVersion'])
  if (typeof version !== 'string') {
    const problem = `invalid type: ${shownKind(version)}, expected a UUID string`
    throw misread(body, problem, end)
  }
  const read = readUuid(version)
  if (read.uid === null) throw misread(body, `UUID parsing failed: ${read.problem}`, end)
}
