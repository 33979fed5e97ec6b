// Requests about chats and the network, as far as this release looks at them.
import { ApiError } from '../errors/index.ts'
import { exactBody, readBody } from './body.ts'
import { isJsonObject } from './json-value.ts'
import { anything, type Kind, nullable, partial, text } from './kinds.ts'

type NetworkPatch = {
  readonly self?: string | null
  readonly leader?: string | null
  readonly remotes?: unknown
  readonly shards?: unknown
  readonly addRemotes?: unknown
  readonly removeRemotes?: unknown
}

const network: Kind<NetworkPatch> = partial<NetworkPatch>(
  {
    self: nullable(text),
    leader: nullable(text),
    remotes: anything,
    shards: anything,
    addRemotes: anything,
    removeRemotes: anything,
  },
  {
    self: 'invalid_network_self',
    leader: 'invalid_network_leader',
    remotes: 'invalid_network_remotes',
    shards: 'invalid_network_shards',
    addRemotes: 'invalid_network_remotes',
    removeRemotes: 'invalid_network_remotes',
  },
)

/** @throws ApiError */
export const checkNetworkPatch = (body: Uint8Array): void => void readBody(body, network)

/** A message between instances has an origin. @throws ApiError */
export const checkNetworkMessage = (body: Uint8Array): void => checkMember(body, 'origin')

/** A request for a completion has messages. @throws ApiError */
export const checkCompletion = (body: Uint8Array): void => checkMember(body, 'messages')

function checkMember(body: Uint8Array, name: string): void {
  const value = exactBody(body)
  if (isJsonObject(value) && value[name] !== undefined) return
  const problem = `missing field \`${name}\` at line 1 column ${body.length}`
  throw new ApiError('bad_request', `Json deserialize error: ${problem}`)
}

type ChatSettings = { readonly [name in (typeof CHAT_MEMBERS)[number]]?: unknown }

const CHAT_MEMBERS = [
  ...['source', 'orgId', 'projectId', 'apiVersion', 'deploymentId', 'baseUrl', 'apiKey'],
  'prompts',
] as const

const chatSettings: Kind<ChatSettings> = partial<ChatSettings>({
  ...(Object.fromEntries(CHAT_MEMBERS.map((name) => [name, anything])) as {
    readonly [name in (typeof CHAT_MEMBERS)[number]]: Kind<unknown>
  }),
  source: nullable(text),
})

/** @throws ApiError */
export const checkChatSettings = (body: Uint8Array): void => void readBody(body, chatSettings)
