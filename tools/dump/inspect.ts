// `svc-tools dump inspect`: counts the content of a dump. Secrets are not shown: keys and headers
// are masked.

import { type DumpReader, inDump, type ReadIndex } from '../../engine/backup.ts'
import { expiryText, fileBytes, maskSecret } from '../../engine/index.ts'
import { NEWLINE } from '../../format/bytes/index.ts'
import type { IndexUid } from '../../format/ids.ts'
import { bytesText, countOf, countText, microsText, shorten, table } from '../terminal/index.ts'
import { type OpenedDump, type OpenOptions, withSoundDump } from './open.ts'

export type DumpSummary = {
  readonly file: string
  readonly bytes: number
  readonly unpackedBytes: number
  readonly version: string
  readonly release: string | null
  readonly date: string | null
  readonly instanceUid: string | null
  readonly indexes: readonly {
    readonly uid: IndexUid
    readonly primaryKey: string | null
    readonly documents: number
    readonly bytes: number
    readonly createdAt: string
    readonly updatedAt: string
    readonly embedders: readonly string[]
  }[]
  readonly tasks: {
    readonly total: number
    readonly statuses: { readonly [status: string]: number }
    /** Waiting imports with their documents. */
    readonly bodies: number
  }
  readonly batches: number
  readonly keys: readonly {
    readonly uid: string
    readonly name: string | null
    readonly actions: readonly string[]
    readonly indexes: readonly string[]
    readonly expiresAt: string | null
  }[]
  readonly features: readonly string[]
  readonly webhooks: readonly { readonly uuid: string; readonly url: string }[]
  readonly chats: readonly string[]
  readonly rules: number
  readonly remotes: readonly string[]
}

/** @throws ToolError, StorageError */
export const inspectDump = (file: string, options: OpenOptions): Promise<DumpSummary> =>
  withSoundDump(file, options, (dump) => summaryOf(file, dump))

async function summaryOf(
  file: string,
  { reader, bytes, unpackedBytes }: OpenedDump,
): Promise<DumpSummary> {
  const indexes: DumpSummary['indexes'][number][] = []
  for (const index of reader.indexes()) indexes.push(await indexSummary(reader, index))
  const features = Object.entries(reader.features())
  return {
    file,
    bytes,
    unpackedBytes,
    version: reader.version,
    release: reader.release,
    date: reader.date === null ? null : microsText(reader.date),
    instanceUid: reader.instanceUid,
    indexes,
    tasks: await tasksOf(reader),
    batches: await countAll(reader.batches()),
    keys: await keysOf(reader),
    features: features.filter(([, isOn]) => isOn === true).map(([name]) => name),
    webhooks: reader.webhooks().map(({ uuid, url }) => ({ uuid, url: withoutQuery(url) })),
    chats: reader.chats().map(([uid]) => uid),
    rules: await countAll(reader.rules()),
    remotes: [...(reader.network()?.remotes.keys() ?? [])],
  }
}

async function indexSummary(reader: DumpReader, index: ReadIndex) {
  const { uid, primaryKey, documents } = index
  return {
    uid,
    primaryKey,
    documents: documents === null ? 0 : await lineCount(reader, documents),
    bytes: documents === null ? 0 : (reader.files.sizes.get(documents) ?? 0),
    createdAt: microsText(index.createdAt),
    updatedAt: microsText(index.updatedAt),
    embedders: Object.keys(index.settings().embedders),
  }
}

/** Returns the number of non-empty lines, as documents are written. */
async function lineCount({ files }: DumpReader, path: string): Promise<number> {
  let lines = 0
  let last = NEWLINE
  for await (const chunk of fileBytes(files.fs, inDump(files, path))) {
    for (const byte of chunk) {
      if (byte === NEWLINE && last !== NEWLINE) lines++
      last = byte
    }
  }
  return last === NEWLINE ? lines : lines + 1
}

async function countAll(values: AsyncIterable<unknown>): Promise<number> {
  let count = 0
  for await (const _ of values) count++
  return count
}

async function tasksOf(reader: DumpReader): Promise<DumpSummary['tasks']> {
  const statuses: { [status: string]: number } = {}
  let total = 0
  let bodies = 0
  for await (const { task, body } of reader.tasks()) {
    total++
    if (body !== null) bodies++
    statuses[task.status] = (statuses[task.status] ?? 0) + 1
  }
  return { total, statuses, bodies }
}

async function keysOf(reader: DumpReader): Promise<DumpSummary['keys']> {
  const keys: DumpSummary['keys'][number][] = []
  for await (const { uid, name, actions, indexes, expiresAt } of reader.keys()) {
    const end = expiresAt === null ? null : expiryText(expiresAt)
    keys.push({ uid: maskSecret(uid), name, actions, indexes, expiresAt: end })
  }
  return keys
}

/** The query string of a URL may contain a token. */
const withoutQuery = (url: string): string => url.replace(/\?.*$/s, '?…')

export function inspectText(summary: DumpSummary): string {
  const { file, bytes, unpackedBytes, version, release, date, indexes, tasks, keys } = summary
  const made = [release === null ? null : `release ${release}`, date].filter((one) => one !== null)
  const parts = [
    `${file}: ${[`dump ${version}`, ...made].join(', ')}`,
    `${bytesText(bytes)}, ${bytesText(unpackedBytes)} unpacked`,
    '',
    countOf(indexes.length, 'index', 'indexes'),
    table(
      [
        { title: 'index' },
        { title: 'primary key' },
        { title: 'documents', align: 'right' },
        { title: 'size', align: 'right' },
        { title: 'updated' },
        { title: 'embedders' },
      ],
      indexes.map((index) => [
        index.uid,
        index.primaryKey ?? '–',
        countText(index.documents),
        bytesText(index.bytes),
        index.updatedAt,
        index.embedders.join(', '),
      ]),
    ),
    tasksText(tasks, summary.batches),
    '',
    countOf(keys.length, 'API key'),
    table(
      [{ title: 'uid' }, { title: 'name' }, { title: 'actions' }, { title: 'indexes' }],
      keys.map(({ uid, name, actions, indexes: patterns }) => [
        uid,
        shorten(name ?? '–', 40),
        shorten(actions.join(', '), 40),
        shorten(patterns.join(', '), 30),
      ]),
    ),
    ...smallText(summary),
  ]
  return `${parts.join('\n').replace(/\n+$/, '')}\n`
}

function tasksText({ total, statuses, bodies }: DumpSummary['tasks'], batches: number): string {
  const each = Object.entries(statuses).map(([status, count]) => `${countText(count)} ${status}`)
  const waiting = bodies === 0 ? '' : `; ${countOf(bodies, 'waiting import')} with documents`
  const list = each.length === 0 ? '' : ` (${each.join(', ')})`
  const known = batches === 0 ? '' : `; ${countText(batches)} in the list of batches`
  return `${countOf(total, 'task')}${list}${waiting}${known}`
}

function smallText({ features, webhooks, chats, rules, remotes }: DumpSummary): readonly string[] {
  const some = (title: string, values: readonly string[]): readonly string[] =>
    values.length === 0 ? [] : [`${title}: ${values.join(', ')}`]
  return [
    ...some('features that are on', features),
    ...some(
      'webhooks',
      webhooks.map(({ url }) => url),
    ),
    ...some('chat workspaces', chats),
    ...some('instances of the network', remotes),
    ...(rules === 0 ? [] : [countOf(rules, 'dynamic search rule')]),
  ]
}
