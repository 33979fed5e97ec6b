// The network that this instance is part of, as it describes it: its own name, the others, which
// of them holds which shard, and who leads. The manifest keeps it as JSON text.
import { refuse } from '../../format/errors.ts'
import { valueJson } from '../store/catalog/index.ts'

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

const SECTION = 'network'
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/
const encoder = new TextEncoder()

/** Lists of pairs, not objects: names may be any text, and keep their order. */
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
  const value = valueJson(SECTION, bytes)
  if (typeof value !== 'object' || value === null) bad('an object', value)
  const { version, self, leader, remotes, shards, ...rest } = value as { [name: string]: unknown }
  if (Object.keys(rest).length > 0) bad('five members', rest)
  return {
    self: textOrNull(self),
    remotes: new Map(listOf(remotes).map(remoteOf)),
    shards: new Map(listOf(shards).map(shardOf)),
    leader: textOrNull(leader),
    version: UUID.test(textOf(version)) ? textOf(version) : bad('a version', version),
  }
}

function remoteOf(entry: unknown): readonly [string, Remote] {
  const [name, url, searchApiKey, writeApiKey, ...more] = listOf(entry)
  if (more.length > 0) bad('four values', more)
  const keys = { searchApiKey: textOrNull(searchApiKey), writeApiKey: textOrNull(writeApiKey) }
  return [textOf(name), { url: textOf(url), ...keys }]
}

function shardOf(entry: unknown): readonly [string, Shard] {
  const [name, remotes, ...more] = listOf(entry)
  if (more.length > 0) bad('two values', more)
  return [textOf(name), { remotes: listOf(remotes).map(textOf) }]
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : bad('a text', value)
}

const textOrNull = (value: unknown): string | null => (value === null ? null : textOf(value))

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : bad('a list', value)
}

const bad = (expected: string, found: unknown): never =>
  refuse(SECTION, 0, 'bad_value', expected, typeof found)
