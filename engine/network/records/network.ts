// The network that this instance is part of: its own name, the instances, the owners of each shard
// and the leader. The manifest stores it as JSON text.
import { encoder } from '../../../format/bytes/index.ts'
import {
  decodedJson,
  entry,
  list,
  nullable,
  objectWith,
  safeCount,
  text,
  textLike,
  texts,
} from '../../../format/schema/index.ts'

/** An instance of the network. Its API keys are stored and shown in clear. */
export type Remote = {
  readonly url: string
  readonly searchApiKey: string | null
  readonly writeApiKey: string | null
}

/** `remotes` are the names of the shard's owners, in byte order and without duplicates. */
export type Shard = { readonly remotes: readonly string[] }

export type Network = {
  /** The name of this instance, or null before it has one. */
  readonly self: string | null
  /** By name in byte order, like `shards`. */
  readonly remotes: ReadonlyMap<string, Remote>
  readonly shards: ReadonlyMap<string, Shard>
  /** The name of the leader, or null; without a leader documents are not divided into shards. */
  readonly leader: string | null
  /** The identity of the leader; null without a leader, or if an older release elected it. */
  readonly leaderId: string | null
  /** Number of times that the leadership has passed to another instance, as known here. */
  readonly term: number
  /** A UUID of version 7; every change sets a new one. */
  readonly version: string
}

/** The network of an instance that is not part of one. */
export const NO_NETWORK: Network = {
  self: null,
  remotes: new Map(),
  shards: new Map(),
  leader: null,
  leaderId: null,
  term: 0,
  version: '00000000-0000-0000-0000-000000000000',
}

type StoredNetwork = Pick<Network, 'version' | 'self' | 'leader'> &
  Partial<Pick<Network, 'leaderId' | 'term'>> & {
    readonly remotes: readonly (readonly [
      name: string,
      url: string,
      searchApiKey: string | null,
      writeApiKey: string | null,
    ])[]
    readonly shards: readonly (readonly [name: string, remotes: readonly string[]])[]
  }

/** Lists of pairs instead of objects: a name may be any text, and lists keep the order. */
const STORED = objectWith<StoredNetwork>(
  {
    version: textLike(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
    self: nullable(text),
    leader: nullable(text),
    remotes: list(entry([text, text, nullable(text), nullable(text)])),
    shards: list(entry([text, texts])),
  },
  { leaderId: nullable(text), term: safeCount },
)

export function encodeNetwork({ remotes, shards, ...plain }: Network): Uint8Array {
  const { version, self, leader, leaderId, term } = plain
  const all = [...remotes].map(([name, { url, searchApiKey, writeApiKey }]) => [
    name,
    url,
    searchApiKey,
    writeApiKey,
  ])
  const parts = [...shards].map(([name, shard]) => [name, shard.remotes])
  return encoder.encode(
    JSON.stringify({ version, self, leader, leaderId, term, remotes: all, shards: parts }),
  )
}

/** @throws CorruptionError for anything that `encodeNetwork` does not write */
export function decodeNetwork(bytes: Uint8Array): Network {
  const {
    remotes,
    shards,
    leaderId = null,
    term = 0,
    ...plain
  } = decodedJson(STORED, bytes, 'network')
  const described = remotes.map(([name, url, searchApiKey, writeApiKey]): [string, Remote] => [
    name,
    { url, searchApiKey, writeApiKey },
  ])
  const held = shards.map(([name, of]): [string, Shard] => [name, { remotes: of }])
  return { ...plain, leaderId, term, remotes: new Map(described), shards: new Map(held) }
}
