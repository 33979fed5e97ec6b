// The network that this instance is part of, as it describes it: its own name, the others, which
// of them holds which shard, and who leads. The manifest keeps it as JSON text.
import {
  decodedJson,
  entry,
  list,
  nullable,
  object,
  text,
  textLike,
  texts,
} from '../../format/schema/index.ts'

/** An instance of the network. Keys are kept and shown as they are. */
export type Remote = {
  readonly url: string
  readonly searchApiKey: string | null
  readonly writeApiKey: string | null
}

/** `remotes`: names of the instances that hold the shard, in byte order, each once. */
export type Shard = { readonly remotes: readonly string[] }

export type Network = {
  /** The name of this instance; null: it has none yet. */
  readonly self: string | null
  /** By name in byte order, like shards. */
  readonly remotes: ReadonlyMap<string, Remote>
  readonly shards: ReadonlyMap<string, Shard>
  /** null: nobody leads, and documents are not divided. */
  readonly leader: string | null
  /** A UUID of version 7 that every change renews. */
  readonly version: string
}

/** A network that nobody has described yet. */
export const NO_NETWORK: Network = {
  self: null,
  remotes: new Map(),
  shards: new Map(),
  leader: null,
  version: '00000000-0000-0000-0000-000000000000',
}

type StoredNetwork = Pick<Network, 'version' | 'self' | 'leader'> & {
  readonly remotes: readonly (readonly [
    name: string,
    url: string,
    searchApiKey: string | null,
    writeApiKey: string | null,
  ])[]
  readonly shards: readonly (readonly [name: string, remotes: readonly string[]])[]
}

/** Lists of pairs, not objects: names may be any text, and keep their order. */
const STORED = object<StoredNetwork>({
  version: textLike(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
  self: nullable(text),
  leader: nullable(text),
  remotes: list(entry([text, text, nullable(text), nullable(text)])),
  shards: list(entry([text, texts])),
})

const encoder = new TextEncoder()

export function encodeNetwork({ self, remotes, shards, leader, version }: Network): Uint8Array {
  const all = [...remotes].map(([name, { url, searchApiKey, writeApiKey }]) => [
    name,
    url,
    searchApiKey,
    writeApiKey,
  ])
  const parts = [...shards].map(([name, shard]) => [name, shard.remotes])
  return encoder.encode(JSON.stringify({ version, self, leader, remotes: all, shards: parts }))
}

/** @throws CorruptionError for anything that `encodeNetwork` does not write */
export function decodeNetwork(bytes: Uint8Array): Network {
  const { version, self, leader, remotes, shards } = decodedJson(STORED, bytes, 'network')
  const described = remotes.map(([name, url, searchApiKey, writeApiKey]): [string, Remote] => [
    name,
    { url, searchApiKey, writeApiKey },
  ])
  const held = shards.map(([name, of]): [string, Shard] => [name, { remotes: of }])
  return { self, remotes: new Map(described), shards: new Map(held), leader, version }
}
