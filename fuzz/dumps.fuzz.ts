// Fuzzes the readers of dumps: lines of tasks, batches and keys, and whole dumps of every version
// in which one file has random content. Each gives a value or a readable error.
import { DumpError, openDump } from '../engine/backup/dumps/index.ts'
import { lines, smallDump, unpackedFiles } from '../engine/backup/dumps/test-dumps.ts'
import { EngineFault } from '../engine/model/index.ts'
import { taskKinds } from '../engine/task-kinds/index.ts'
import { assert } from '../format/errors.ts'
import type { FuzzTarget } from './target.ts'

const at = '2026-01-02T03:04:05.6Z'
const UUID = 'd0d0cafe-0000-4000-8000-000000000003'
const metadata = (dumpVersion: string): string =>
  JSON.stringify({ dumpVersion, dbVersion: '1.2.3', dumpDate: at, indexes: [{ uid: 'books' }] })

/**
 * By first byte of an input: the version of the dump, and the file that gets the input as content.
 */
const PLACES: readonly (readonly [version: string, path: string, seed: unknown])[] = [
  [
    'V6',
    'tasks/queue.jsonl',
    {
      uid: 1,
      indexUid: 'a',
      status: 'succeeded',
      type: { indexSwap: { swaps: [{ indexes: ['a', 'b'] }] } },
      details: { IndexSwap: { swaps: [] } },
      enqueuedAt: at,
    },
  ],
  [
    'V6',
    'tasks/queue.jsonl',
    {
      uid: 1,
      status: 'enqueued',
      type: {
        taskCancelation: {
          query: '',
          tasks: [58, 48, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 16, 0, 0, 0, 27, 0],
        },
      },
      enqueuedAt: at,
    },
  ],
  ['V6', 'batches/queue.jsonl', { uid: 1, startedAt: at, stats: { status: { succeeded: 1 } } }],
  [
    'V6',
    'keys.jsonl',
    { uid: UUID, actions: ['*'], indexes: ['*'], created_at: at, updated_at: at },
  ],
  [
    'V6',
    'indexes/books/settings.json',
    { embedders: { a: { source: 'userProvided', dimensions: 3 } } },
  ],
  ['V6', 'network.json', { remotes: { a: { url: 'x' } }, shards: { s: { remotes: ['a'] } } }],
  ['V6', 'webhooks.json', { webhooks: { [UUID]: { url: 'x', headers: { a: 'b' } } } }],
  ['V6', 'chat-completions-settings/x.json', { source: 'openAi', prompts: { system: 'x' } }],
  ['V6', 'metadata.json', { dumpVersion: 'V6' }],
  [
    'V5',
    'updates/data.jsonl',
    { id: 1, content: { IndexCreation: { index_uid: 'a' } }, events: [] },
  ],
  [
    'V4',
    'keys',
    { id: 'abcdefgh', actions: ['*'], indexes: ['*'], created_at: at, updated_at: at },
  ],
  [
    'V3',
    'updates/data.jsonl',
    { uuid: UUID, update: { status: 'enqueued', meta: 'ClearDocuments' } },
  ],
  ['V2', 'index_uuids/data.jsonl', { uid: 'a', uuid: UUID }],
  ['V1', 'books/updates.jsonl', { status: 'processed', type: { name: 'Settings' } }],
]

const OLDER = {
  [`indexes/${UUID}/meta.json`]: '{}',
  [`indexes/index-${UUID}/meta.json`]: '{}',
}
const older = lines([{ uid: 'books', uuid: UUID, index_meta: { uuid: UUID } }])

async function drained(values: AsyncIterable<unknown>): Promise<void> {
  for await (const value of values) assert(value !== null, 'a part is something')
}

export const target: FuzzTarget = {
  name: 'dumps',
  seeds: () =>
    PLACES.map(([, , seed], i) => new Uint8Array([i, ...Buffer.from(`${JSON.stringify(seed)}\n`)])),
  run: async (input) => {
    const [version, path] = PLACES[(input[0] ?? 0) % PLACES.length]!
    const text = Buffer.from(input.subarray(1)).toString()
    const files = {
      ...smallDump({ 'metadata.json': metadata(version), 'index_uuids/data.jsonl': older }),
      ...(version === 'V6' ? {} : OLDER),
      [path]: text,
    }
    const dump = await openDump(unpackedFiles(files), taskKinds)
    for (const index of dump.indexes()) index.settings()
    dump.network()
    dump.webhooks()
    dump.chats()
    await drained(dump.keys())
    await drained(dump.tasks())
    await drained(dump.batches())
    await drained(dump.rules())
  },
  allows: (error) => error instanceof DumpError || error instanceof EngineFault,
  inputBytesMax: 2048,
}
