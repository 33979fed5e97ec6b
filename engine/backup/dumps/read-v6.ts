// Reads the newest version. Layout: ./DUMPS.md
import { CorruptionError } from '../../../format/errors.ts'
import type { IndexUid } from '../../../format/ids.ts'
import {
  identifying,
  mapOf,
  nullable,
  objectWith,
  open,
  part,
  text,
  texts,
} from '../../../format/schema/index.ts'
import { uuidOf } from '../../admin/keys/index.ts'
import type { Webhook } from '../../admin/webhooks/index.ts'
import {
  CHAT_PROMPTS,
  CHAT_SOURCES,
  CHAT_TEXTS,
  type ChatWorkspace,
  DEFAULT_WORKSPACE,
  decodeWorkspace,
  encodeWorkspace,
  promptsOf,
} from '../../ai/chats/index.ts'
import { FEATURES, type Features } from '../../model/index.ts'
import {
  decodeNetwork,
  encodeNetwork,
  type Network,
  NO_NETWORK,
  type Remote,
} from '../../network/records/index.ts'
import { decodeRule, encodeRule, type SearchRule } from '../../read/search-rules/index.ts'
import type { TaskKinds } from '../../write/task-data/index.ts'
import type { ImportedBatch } from '../../write/tasks/index.ts'
import { readBatchLine } from './batch-lines.ts'
import { corrupted, type Members, membersOf, readAs, textOrNull } from './dump-error.ts'
import type { DumpedKind } from './dump-form.ts'
import type { DumpReader, ReadIndex, ReadTask } from './dump-reader.ts'
import { readKeyLine } from './key-lines.ts'
import {
  BATCH_QUEUE,
  CHATS,
  DOCUMENTS_FILE,
  FEATURES_FILE,
  INDEX_METADATA,
  INDEXES,
  INSTANCE_UID,
  KEYS,
  METADATA,
  NETWORK,
  RULES_INDEX,
  SETTINGS_FILE,
  TASK_QUEUE,
  updateFile,
  WEBHOOKS,
} from './layout.ts'
import { INDEX_UID } from './limits.ts'
import { type DumpFiles, linesOf, namesIn, smallFile, smallValue } from './lines.ts'
import { microsOf, readMoment } from './moments.ts'
import { ruleOfDocument } from './rules-index.ts'
import { settingsOf, settingsPatch } from './settings-file.ts'
import { readTaskLine } from './task-lines.ts'

export function readV6(
  files: DumpFiles,
  metadata: Members,
  kinds: TaskKinds<DumpedKind>,
): DumpReader {
  const { dbVersion, dumpDate } = metadata
  const all = indexFolders(files)
  return {
    files,
    version: 'V6',
    release: textOrNull(dbVersion, METADATA),
    date: typeof dumpDate === 'string' ? (readMoment(dumpDate)?.micros ?? null) : null,
    instanceUid: uuidOf(smallFile(files, INSTANCE_UID)?.trim() ?? ''),
    keys: () => keysOf(files),
    chats: () => chatsOf(files),
    tasks: () => tasksOf(files, kinds),
    batches: () => batchesOf(files, kinds.names),
    indexes: () => all.filter(({ uid }) => uid !== RULES_INDEX),
    features: () => featuresOf(files),
    network: () => networkOf(files),
    webhooks: () => webhooksOf(files),
    rules: () => rulesOf(files, all.find(({ uid }) => uid === RULES_INDEX)?.documents ?? null),
  }
}

/** Returns a part that every dump must have. */
function needed(files: DumpFiles, path: string): string {
  return files.sizes.has(path) ? path : corrupted(`\`${path}\``, 'it is missing')
}

async function* keysOf(files: DumpFiles): ReturnType<DumpReader['keys']> {
  for await (const { value, place } of linesOf(files, needed(files, KEYS))) {
    yield readKeyLine(value, place)
  }
}

async function* tasksOf(files: DumpFiles, kinds: TaskKinds<DumpedKind>): AsyncGenerator<ReadTask> {
  let last = -1
  for await (const { value, place } of linesOf(files, needed(files, TASK_QUEUE))) {
    const task = readTaskLine(kinds, value, place)
    if (task.uid <= last) corrupted(place, 'tasks are out of order')
    last = task.uid
    const body = updateFile(task.uid)
    const hasBody = task.documents !== null && files.sizes.has(body)
    if ((task.documents ?? 0) > 0 && !hasBody) corrupted(`\`${body}\``, 'it is missing')
    yield { task, body: hasBody ? body : null }
  }
}

async function* batchesOf(
  files: DumpFiles,
  kinds: readonly string[],
): AsyncGenerator<ImportedBatch> {
  if (!files.sizes.has(BATCH_QUEUE)) return
  let last = -1
  for await (const { value, place } of linesOf(files, BATCH_QUEUE)) {
    const batch = readBatchLine(kinds, value, place)
    if (batch.uid <= last) corrupted(place, 'batches are out of order')
    last = batch.uid
    yield batch
  }
}

/** Uids come from the metadata files, not from the names of folders; plain files are ignored. */
function indexFolders(files: DumpFiles): readonly ReadIndex[] {
  const indexes = new Map<string, ReadIndex>()
  for (const name of namesIn(files, INDEXES)) {
    const folder = `${INDEXES}/${name}`
    if (files.sizes.has(folder)) continue
    const index = indexOf(files, folder)
    if (indexes.has(index.uid)) corrupted(`\`${folder}\``, `\`${index.uid}\` occurs twice`)
    indexes.set(index.uid, index)
  }
  return [...indexes.values()]
}

type IndexMetadata = {
  readonly uid: IndexUid
  readonly createdAt: string
  readonly updatedAt: string
  readonly primaryKey?: string | null
}
const INDEX = open(
  objectWith<IndexMetadata>(
    { uid: identifying<IndexUid>(text), createdAt: text, updatedAt: text },
    { primaryKey: nullable(text) },
  ),
)

function indexOf(files: DumpFiles, folder: string): ReadIndex {
  const place = `\`${folder}/${INDEX_METADATA}\``
  const value = smallValue(files, needed(files, `${folder}/${INDEX_METADATA}`))
  const { uid, primaryKey = null, createdAt, updatedAt } = readAs(INDEX, value, place)
  if (uid !== RULES_INDEX && !INDEX_UID.test(uid)) corrupted(place, 'it names no index')
  const settings = needed(files, `${folder}/${SETTINGS_FILE}`)
  return {
    uid,
    primaryKey,
    createdAt: microsOf(createdAt, place),
    updatedAt: microsOf(updatedAt, place),
    settings: () => {
      const patch = withPooling(settingsPatch(smallValue(files, settings), `\`${settings}\``))
      return settingsOf(patch, `\`${settings}\``)
    },
    documents: needed(files, `${folder}/${DOCUMENTS_FILE}`),
  }
}

/** Embedders of a local model without `pooling` are older than that setting: adds its old value. */
function withPooling(patch: ReturnType<typeof settingsPatch>): typeof patch {
  if (patch.embedders === undefined || patch.embedders === null) return patch
  const embedders = Object.entries(patch.embedders).map(([name, embedder]) => {
    const isOld = embedder?.source === 'huggingFace' && (embedder.pooling ?? null) === null
    return [name, isOld ? { ...embedder, pooling: 'forceMean' as const } : embedder] as const
  })
  return { ...patch, embedders: Object.fromEntries(embedders) }
}

function chatsOf(files: DumpFiles): readonly (readonly [string, ChatWorkspace])[] {
  return namesIn(files, CHATS).map((name) => {
    const path = `${CHATS}/${name}`
    const uid = name.replace(/\.json$/, '')
    if (!INDEX_UID.test(uid)) corrupted(`\`${path}\``, 'it names no workspace')
    return [uid, workspaceOf(smallValue(files, path), `\`${path}\``)] as const
  })
}

/** Built-in prompts are not stored: a later release may have better ones. */
function workspaceOf(value: unknown, place: string): ChatWorkspace {
  const told = membersOf(value, place)
  const source = CHAT_SOURCES.find((name) => name === told['source'])
  const prompts = membersOf(told['prompts'] ?? {}, place)
  const builtIn = promptsOf(DEFAULT_WORKSPACE)
  const workspace = {
    source: source ?? corrupted(place, 'its source is unknown'),
    ...Object.fromEntries(CHAT_TEXTS.map((name) => [name, textOrNull(told[name], place)])),
    prompts: Object.fromEntries(
      CHAT_PROMPTS.map((name) => {
        const text = textOrNull(prompts[name], place)
        return [name, text === builtIn[name] ? null : text]
      }),
    ),
  } as ChatWorkspace
  return checked(place, () => decodeWorkspace(encodeWorkspace(workspace)))
}

function featuresOf(files: DumpFiles): Partial<Features> {
  const told = membersOf(smallValue(files, FEATURES_FILE) ?? {}, FEATURES_FILE)
  return Object.fromEntries(FEATURES.map((name) => [name, told[name] === true]))
}

type DumpedRemote = Pick<Remote, 'url'> & Partial<Remote>
type DumpedShard = { readonly remotes?: readonly string[] | null }
type Named<T> = { readonly [name: string]: T }
type DumpedNetwork = {
  readonly version?: string | null
  readonly remotes?: Named<DumpedRemote> | null
  readonly shards?: Named<DumpedShard> | null
}
const REMOTE = open(
  objectWith<DumpedRemote>(
    { url: text },
    { searchApiKey: nullable(text), writeApiKey: nullable(text) },
  ),
)
const SHARD = open(part<DumpedShard>({ remotes: nullable(texts) }))
const DUMPED_NETWORK = open(
  part<DumpedNetwork>({
    version: nullable(text),
    remotes: nullable(mapOf(REMOTE)),
    shards: nullable(mapOf(SHARD)),
  }),
)

/** After an import no instance leads, and this one has no name: it may be a different instance. */
function networkOf(files: DumpFiles): Network | null {
  const value = smallValue(files, NETWORK)
  if (value === undefined || value === null) return null
  const { version, remotes, shards } = readAs(DUMPED_NETWORK, value, NETWORK)
  const network: Network = {
    self: null,
    leader: null,
    leaderId: null,
    term: 0,
    version: version ?? NO_NETWORK.version,
    remotes: new Map(Object.entries(remotes ?? {}).map(([name, one]) => [name, remoteOf(one)])),
    shards: new Map(
      Object.entries(shards ?? {}).map(([name, one]) => [name, { remotes: one.remotes ?? [] }]),
    ),
  }
  return checked(NETWORK, () => decodeNetwork(encodeNetwork(network)))
}

const remoteOf = ({ url, searchApiKey = null, writeApiKey = null }: DumpedRemote): Remote => ({
  url,
  searchApiKey,
  writeApiKey,
})

type DumpedWebhook = { readonly url: string; readonly headers?: Named<string> }
type DumpedWebhooks = { readonly webhooks?: Named<DumpedWebhook> | null }
const DUMPED_WEBHOOKS = open(
  part<DumpedWebhooks>({
    webhooks: nullable(
      mapOf(open(objectWith<DumpedWebhook>({ url: text }, { headers: mapOf(text) }))),
    ),
  }),
)

function webhooksOf(files: DumpFiles): readonly Webhook[] {
  const { webhooks } = readAs(DUMPED_WEBHOOKS, smallValue(files, WEBHOOKS) ?? {}, WEBHOOKS)
  return Object.entries(webhooks ?? {}).map(([name, { url, headers = {} }]) => {
    const uuid = uuidOf(name) ?? corrupted(WEBHOOKS, 'a UUID is expected')
    return { uuid, url, headers }
  })
}

async function* rulesOf(files: DumpFiles, path: string | null): AsyncGenerator<SearchRule> {
  if (path === null) return
  for await (const { value, place } of linesOf(files, path)) {
    const rule = ruleOfDocument(value, place)
    if (!INDEX_UID.test(rule.uid)) corrupted(place, 'it names no rule')
    yield checked(place, () => decodeRule(rule.uid, encodeRule(rule)))
  }
}

/** Refuses values that cannot be read back. @throws DumpError */
function checked<T>(place: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    if (!(error instanceof CorruptionError)) throw error
    return corrupted(place, `${error.expected} is expected`)
  }
}
