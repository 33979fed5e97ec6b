// Imports the small parts of a dump as values of the manifest: keys, features, webhooks,
// workspaces, the network, search rules.
import type { Change } from '../../format/manifest/index.ts'
import { type ApiKey, keyChanges } from '../admin/keys/index.ts'
import { webhookChanges } from '../admin/webhooks/index.ts'
import { chatChanges } from '../ai/chats/index.ts'
import type { DumpReader } from '../backup/dumps/index.ts'
import { FEATURES } from '../model/index.ts'
import { networkChange } from '../network/records/index.ts'
import { ruleValues, type SearchRule } from '../read/search-rules/index.ts'
import type { Manifest } from '../store/catalog/index.ts'
import { featureChange } from '../store/values/index.ts'
import { instanceUidChange } from '../task-kinds/database/index.ts'

/** Changes per edit. */
const CHANGES_MAX = 1000

/** @throws DumpError, EngineFault, StorageError */
export async function importValues(reader: DumpReader, manifest: Manifest): Promise<void> {
  const features = reader.features()
  const network = reader.network()
  const changes: Change[] = [
    ...(reader.instanceUid === null ? [] : [instanceUidChange(reader.instanceUid)]),
    ...FEATURES.filter((name) => features[name] === true).map((name) => featureChange(name, true)),
    ...webhookChanges(reader.webhooks()),
    ...chatChanges(reader.chats()),
    ...(network === null ? [] : [networkChange(network)]),
    ...ruleValues(await collected<SearchRule>(reader.rules())),
    ...keyChanges(inOneOrder(await collected<ApiKey>(reader.keys()))),
  ]
  for (let at = 0; at < changes.length; at += CHANGES_MAX) {
    await manifest.commit(changes.slice(at, at + CHANGES_MAX))
  }
}

async function collected<T>(values: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const value of values) all.push(value)
  return all
}

/**
 * Makes the creation times of keys distinct, because lists are sorted by them. A dump has the
 * newest first.
 */
function inOneOrder(keys: readonly ApiKey[]): readonly ApiKey[] {
  /** Creation of the key before, in the dump and as it was changed. */
  let [previous, last] = [-1, -1]
  return keys.toReversed().map((key) => {
    const isTaken = key.createdAt >= previous && key.createdAt <= last
    const createdAt = isTaken ? last + 1 : key.createdAt
    previous = key.createdAt
    last = createdAt
    return { ...key, createdAt, updatedAt: Math.max(key.updatedAt, createdAt) }
  })
}
