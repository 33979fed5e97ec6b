// A whole dump: its files, the progress that it reports, and what a reader finds in it.
import { beforeAll, describe, expect, it } from 'vitest'
import { asBatchUid, asIndexUid, asTaskUid, asUuid } from '../../../format/ids.ts'
import { DEFAULT_WORKSPACE, promptsOf } from '../../ai/chats/index.ts'
import { FEATURES, type Features } from '../../model/index.ts'
import { NO_NETWORK } from '../../network/records/index.ts'
import { defaultSettings } from '../../settings/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import { type TaskContent, taskKinds } from '../../task-kinds/index.ts'
import type { Batch, Task } from '../../write/task-data/index.ts'
import type { EveryTask } from '../../write/task-lists/index.ts'
import { SPOOL_CHUNK_BYTES } from './limits.ts'
import { openDump } from './open-dump.ts'
import { rulesIndexSettings } from './rules-index.ts'
import { dumpedSettings } from './settings-file.ts'
import { jsonLines, Spool } from './spool.ts'
import { collected, type Files, unpackedFiles } from './test-dumps.ts'
import { type DumpSource, type DumpStep, spoolDump, stepOf } from './write-dump.ts'

const SECOND = 1_000_000
const NOW = 1_700_000_000 * SECOND
const at = (seconds: number): number => NOW + seconds * SECOND
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString()
const bytes = (given: string): Uint8Array => new Uint8Array(Buffer.from(given))

async function* each<T>(...values: readonly T[]): AsyncGenerator<T> {
  yield* values
}

const importOf = (documents: number): TaskContent => ({
  kind: 'documentAdditionOrUpdate',
  method: 'replace',
  body: { file: null, inline: new Uint8Array(2), bytes: 2, documents },
  primaryKey: null,
  skipCreation: false,
  allowIndexCreation: true,
})

const entry = (uid: number, content: TaskContent, more: Partial<Task> = {}): EveryTask => ({
  task: {
    uid: asTaskUid(uid),
    batchUid: null,
    indexUid: asIndexUid('books'),
    status: 'enqueued',
    kind: content.kind,
    canceledBy: null,
    details: {},
    error: null,
    enqueuedAt: at(uid),
    startedAt: null,
    finishedAt: null,
    customMetadata: null,
    ...more,
  } as Task,
  content,
})
const ended = (batch: number): Partial<Task> => ({
  status: 'succeeded',
  batchUid: asBatchUid(batch),
  startedAt: at(20),
  finishedAt: at(21),
})
const batchOf = (uid: number): Batch => ({
  uid: asBatchUid(uid),
  progress: null,
  details: {},
  stats: {
    totalNbTasks: 2,
    status: { succeeded: 2 },
    types: { indexCreation: 2 },
    indexUids: { books: 2 },
    progressTrace: {},
    writeChannelCongestion: null,
    internalDatabaseSizes: null,
    embedderRequests: null,
  },
  startedAt: at(20),
  finishedAt: at(21),
  nanos: undefined,
  batchStrategy: 'unspecified',
})

const WEBHOOK = asUuid('d0d0cafe-0000-4000-8000-000000000003')
const INSTANCE = 'd0d0cafe-0000-4000-8000-00000000000a'
const REMOTE = { url: 'http://a', searchApiKey: 's', writeApiKey: null }
const workspace = {
  ...DEFAULT_WORKSPACE,
  source: 'mistral',
  apiKey: 'k',
  prompts: { ...DEFAULT_WORKSPACE.prompts, system: 'Be brief.' },
} as const
const rule = (uid: string, seconds: number) => ({
  uid,
  description: 'R',
  lastUpdatedAt: at(seconds) + 5,
  lastUpdatedNanos: 7,
  precedence: 3,
  active: false,
  conditions: { query: { words: 'x' }, filter: { values: { a: 1, b: [2] } } },
  actions: {},
})
const creation = { kind: 'indexCreation', primaryKey: null } as const

const SOURCE: DumpSource = {
  kinds: taskKinds,
  taskUid: asTaskUid(9),
  keys: [{ uid: 1 }, { uid: 2 }],
  instanceUid: INSTANCE,
  version: '1.50.0',
  now: NOW,
  chats: [['help', workspace]],
  tasks: each(
    entry(1, creation, ended(1)),
    entry(3, creation, ended(1)),
    // Its content is no longer in the log.
    { ...entry(4, importOf(7), ended(2)), content: null },
    entry(5, importOf(2), { status: 'processing', batchUid: asBatchUid(3) }),
    entry(6, importOf(0)),
    entry(7, importOf(1)),
    entry(9, { kind: 'dumpCreation', keys: [], instanceUid: null }, { indexUid: null }),
  ),
  batches: each(batchOf(1), batchOf(8)),
  body: (uid) => each(bytes(`{"of":${uid}}\n{"of"`), bytes(':0}')),
  indexes: [
    {
      uid: asIndexUid('books'),
      primaryKey: 'id',
      createdAt: at(1),
      updatedAt: at(2),
      settings: { ...defaultSettings(), stopWords: ['a'] },
      documentCount: 3,
      documents: () =>
        each(
          { ndjson: bytes('{"id":1}\n{"id":2}\n'), documents: 2 },
          { ndjson: bytes('{"id":3}\n'), documents: 1 },
        ),
    },
    {
      uid: asIndexUid('empty'),
      primaryKey: null,
      createdAt: at(3),
      updatedAt: at(4),
      settings: defaultSettings(),
      documentCount: 0,
      documents: () => each(),
    },
  ],
  features: Object.fromEntries(FEATURES.map((name) => [name, name === 'network'])) as Features,
  network: {
    ...NO_NETWORK,
    self: 'a',
    leader: 'a',
    leaderId: 'i',
    term: 4,
    version: '0193a7f0-0000-7000-8000-000000000000',
    remotes: new Map([['a', REMOTE]]),
    shards: new Map([['s', { remotes: ['a'] }]]),
  },
  webhooks: [{ uuid: WEBHOOK, url: 'http://w', headers: { 'X-A': 'b' } }],
  rules: [rule('r', 9), rule('q', 3)],
  describe: () => ({ type: 't', link: 'l' }),
}

/** Writes a dump; returns its files, its folders and the reported progress. */
async function written(source: DumpSource) {
  const spool = await Spool.open(new FakeDisk().mount(), 'parts')
  const steps: string[] = []
  await spoolDump(source, spool, (step, inside) => {
    const within = inside && `${inside.currentStep} ${inside.finished}/${inside.total}`
    steps.push(within === undefined ? step : `${step} > ${within}`)
  })
  const files: { [path: string]: string } = {}
  const folders: string[] = []
  for (const part of spool.entries()) {
    if (part.kind === 'folder') {
      folders.push(part.path)
      continue
    }
    const { content } = part
    const chunks: Uint8Array[] = []
    if (content instanceof Uint8Array) chunks.push(content)
    else for await (const chunk of content) chunks.push(chunk)
    files[part.path] = text(Buffer.concat(chunks))
    expect(Buffer.byteLength(files[part.path]!)).toBe(part.bytes)
  }
  spool.close()
  return { files: files as Files, folders, steps }
}

const values = (jsonl: string | undefined): unknown[] =>
  (jsonl ?? '')
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line) as unknown)

describe('a dump', () => {
  let dump: Awaited<ReturnType<typeof written>>
  beforeAll(async () => {
    dump = await written(SOURCE)
  })

  it('has these files and folders', () => {
    expect(Object.keys(dump.files)).toEqual([
      'metadata.json',
      'instance_uid.uuid',
      'keys.jsonl',
      'chat-completions-settings/help.json',
      'tasks/queue.jsonl',
      'tasks/update_files/5.jsonl',
      'tasks/update_files/7.jsonl',
      'batches/queue.jsonl',
      'indexes/books/metadata.json',
      'indexes/books/settings.json',
      'indexes/books/documents.jsonl',
      'indexes/empty/metadata.json',
      'indexes/empty/settings.json',
      'indexes/empty/documents.jsonl',
      'experimental-features.json',
      'network.json',
      'webhooks.json',
      'indexes/.meili_dsr/metadata.json',
      'indexes/.meili_dsr/settings.json',
      'indexes/.meili_dsr/documents.jsonl',
    ])
    expect(dump.folders).toEqual([
      './',
      'chat-completions-settings',
      'tasks',
      'tasks/update_files',
      'batches',
      'indexes',
      'indexes/books',
      'indexes/empty',
      'indexes/.meili_dsr',
    ])
  })

  it('shows a running task as waiting, and its own task as done', () => {
    const rows = values(dump.files['tasks/queue.jsonl']) as Record<string, unknown>[]
    const shown = rows.map(({ uid, status, batchUid }) => [uid, status, batchUid])
    expect(shown).toEqual([
      [1, 'succeeded', 1],
      [3, 'succeeded', 1],
      [4, 'succeeded', 2],
      [5, 'enqueued', null],
      [6, 'enqueued', null],
      [7, 'enqueued', null],
      [9, 'succeeded', null],
    ])
    const now = '2023-11-14T22:13:20Z'
    expect(rows.at(-1)).toMatchObject({ startedAt: now, finishedAt: now })
    expect(dump.files['tasks/update_files/5.jsonl']).toBe('{"of":5}\n{"of":0}\n')
    expect(dump.files['keys.jsonl']).toBe('{"uid":1}\n{"uid":2}\n')
  })

  it('shows when the tasks of a batch were enqueued, or else when the batch began', () => {
    const rows = values(dump.files['batches/queue.jsonl']) as Record<string, unknown>[]
    expect(rows.map(({ uid, enqueuedAt }) => [uid, enqueuedAt])).toEqual([
      [1, { earliest: '2023-11-14T22:13:23Z', oldest: '2023-11-14T22:13:21Z' }],
      [8, { earliest: '2023-11-14T22:13:40Z', oldest: '2023-11-14T22:13:40Z' }],
    ])
  })

  it('has settings in clear, all prompts of a workspace, and rules as documents', () => {
    const read = (path: string): unknown => JSON.parse(dump.files[path]!)
    expect(read('metadata.json')).toEqual({
      dumpVersion: 'V6',
      dbVersion: '1.50.0',
      dumpDate: '2023-11-14T22:13:20Z',
    })
    expect(read('chat-completions-settings/help.json')).toEqual({
      ...workspace,
      prompts: promptsOf(workspace),
    })
    expect(read('indexes/books/metadata.json')).toEqual({
      uid: 'books',
      primaryKey: 'id',
      createdAt: '2023-11-14T22:13:21Z',
      updatedAt: '2023-11-14T22:13:22Z',
    })
    expect(read('network.json')).toEqual({
      self: 'a',
      remotes: { a: REMOTE },
      shards: { s: { remotes: ['a'] } },
      leader: 'a',
      version: SOURCE.network.version,
    })
    expect(read('indexes/.meili_dsr/metadata.json')).toEqual({
      uid: '.meili_dsr',
      primaryKey: 'uid',
      createdAt: '2023-11-14T22:13:23.000005Z',
      updatedAt: '2023-11-14T22:13:29.000005Z',
    })
    expect(read('indexes/.meili_dsr/settings.json')).toEqual(dumpedSettings(rulesIndexSettings()))
    expect(values(dump.files['indexes/.meili_dsr/documents.jsonl'])[0]).toEqual({
      uid: 'r',
      description: 'R',
      lastUpdatedAt: '2023-11-14T22:13:29.000005007Z',
      precedence: 3,
      active: false,
      conditions: {
        query: { words: 'x' },
        filter: { values: { a: 1, b: [2] }, nbConstraints: 2 },
      },
      actions: {},
    })
  })

  it('reports its steps, and the progress inside them', () => {
    expect(dump.steps).toEqual([
      'start the dump creation',
      'dump the api keys',
      'dump the chat completion settings',
      ...[2, 4, 5, 6, 7, 8, 10].map((total, i) => `dump the tasks > task ${i}/${total}`),
      ...[0, 1].map((i) => `dump the tasks > update file ${i}/2`),
      'dump the batches',
      'dump the batches > batch 0/2',
      'dump the batches > batch 1/9',
      'dump the indexes',
      'dump the indexes > books 0/2',
      'dump the indexes > books 2/3',
      'dump the indexes > books 3/3',
      'dump the indexes > empty 1/2',
      'dump the experimental features',
      'dump the webhooks',
      'dump dynamic search rules',
    ])
    const total = 10
    expect(stepOf('start the dump creation')).toMatchObject({ finished: 0, total })
    const last: DumpStep = 'compress the dump'
    expect(stepOf(last)).toEqual({ currentStep: last, finished: 9, total })
  })

  it('is read back', async () => {
    const { 'keys.jsonl': _, ...files } = dump.files
    const read = await openDump(unpackedFiles(files), taskKinds)
    expect(read).toMatchObject({ release: '1.50.0', date: NOW, instanceUid: INSTANCE })
    expect(read.chats()).toEqual(SOURCE.chats)
    expect(read.indexes().map(({ uid }) => uid)).toEqual(['books', 'empty'])
    expect(read.indexes()[0]!.settings()).toEqual(SOURCE.indexes[0]!.settings)
    expect(read.features()).toEqual(SOURCE.features)
    // Another instance may import it: it has no name, and no instance leads.
    const alone = { self: null, leader: null, leaderId: null, term: 0 }
    expect(read.network()).toEqual({ ...SOURCE.network, ...alone })
    expect(read.webhooks()).toEqual(SOURCE.webhooks)
    expect(await collected(read.rules())).toEqual(SOURCE.rules)
    const tasks = await collected(read.tasks())
    expect(tasks.map(({ body }) => body).filter((body) => body !== null)).toEqual([
      'tasks/update_files/5.jsonl',
      'tasks/update_files/7.jsonl',
    ])
    expect((await collected(read.batches())).map(({ uid }) => uid)).toEqual([1, 8])
  })

  it('of an instance without uid and rules has no files for them', async () => {
    const source = {
      ...SOURCE,
      instanceUid: null,
      rules: [],
      tasks: each<EveryTask>(),
      batches: each<Batch>(),
    }
    const { files } = await written({ ...source, chats: [], indexes: [] })
    expect(Object.keys(files)).toEqual([
      'metadata.json',
      'keys.jsonl',
      'tasks/queue.jsonl',
      'batches/queue.jsonl',
      'experimental-features.json',
      'network.json',
      'webhooks.json',
    ])
  })
})

it('lines are collected into chunks, and a part is read in chunks', async () => {
  const value = 'x'.repeat(SPOOL_CHUNK_BYTES / 2 - 3)
  const chunks = await collected(jsonLines([value, value, value]))
  expect(chunks.map(({ length }) => length)).toEqual([SPOOL_CHUNK_BYTES, SPOOL_CHUNK_BYTES / 2])
  expect(await collected(jsonLines([]))).toEqual([])
  const spool = await Spool.open(new FakeDisk().mount(), 'parts')
  expect(await spool.large('a', each(bytes('first')))).toBe(5)
  expect(await spool.large('b', each(...chunks))).toBe(SPOOL_CHUNK_BYTES * 1.5)
  const [, part] = [...spool.entries()]
  if (part?.kind !== 'file' || part.content instanceof Uint8Array) throw new Error('not spooled')
  const read = await collected(part.content)
  expect(read.map(({ length }) => length)).toEqual([SPOOL_CHUNK_BYTES, SPOOL_CHUNK_BYTES / 2])
  expect(Buffer.concat(read).equals(Buffer.concat(chunks))).toBe(true)
  spool.close()
})
