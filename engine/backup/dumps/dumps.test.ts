// The parts of dumps, one by one: written parts are read again, faulty ones are refused with the
// place of the fault.
import fc from 'fast-check'
import roaring from 'roaring'
import { describe, expect, it } from 'vitest'
import { asBatchUid, asIndexUid, asTaskUid, asUuid } from '../../../format/ids.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { TASK_KINDS, type TaskContent, taskKinds } from '../../task-kinds/index.ts'
import type { Batch, Task } from '../../write/task-data/index.ts'
import { batchLine, readBatchLine } from './batch-lines.ts'
import { documentLines } from './document-lines.ts'
import { DumpError } from './dump-error.ts'
import { keyLine, readKeyLine } from './key-lines.ts'
import { dumpUidOf } from './layout.ts'
import { linesOf } from './lines.ts'
import { readMoment } from './moments.ts'
import { openDump } from './open-dump.ts'
import { roaringBytes, setOfRoaringBytes } from './roaring-bytes.ts'
import { readTaskLine, taskLine } from './task-lines.ts'
import { collected, lines, smallDump, unpackedFiles } from './test-dumps.ts'

const describeError = () => ({ type: 'invalid_request', link: 'https://x' })

async function* piecesOf(text: string, size: number): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const all: Uint8Array[] = []
  for await (const chunk of chunks) all.push(new Uint8Array(chunk))
  return Buffer.concat(all).toString()
}

describe('documents of waiting tasks', () => {
  it('are written one per line, with any blanks between their tokens', async () => {
    const object = fc.dictionary(fc.string({ maxLength: 4 }), fc.jsonValue(), { maxKeys: 4 })
    const space = fc.constantFrom('', ' ', '\n', '\r\n', ' \n\t')
    const documents = fc.array(fc.tuple(object, space, fc.constantFrom(0, 1, 3)), { maxLength: 6 })
    await fc.assert(
      fc.asyncProperty(documents, fc.integer({ min: 1, max: 40 }), async (all, size) => {
        const body = all
          .map(([value, between, indent]) => between + JSON.stringify(value, null, indent))
          .join('')
        const text = await textOf(documentLines(piecesOf(`${body}\n `, size)))
        const read = text
          .split('\n')
          .slice(0, -1)
          .map((line) => JSON.parse(line) as unknown)
        expect(read).toEqual(all.map(([value]) => JSON.parse(JSON.stringify(value))))
        expect(text === '' || text.endsWith('\n')).toBe(true)
      }),
      { numRuns: 200 },
    )
  })

  it('that are damaged are refused', async () => {
    const reading = textOf(documentLines(piecesOf('{"a":1} {"b":', 5)))
    await expect(reading).rejects.toMatchObject({ code: 'corrupt' })
  })
})

describe('sets of tasks', () => {
  it('have the bytes of an independent implementation, and are read from them', () => {
    const ids = fc.uniqueArray(fc.integer({ min: 0, max: 300_000 }), { maxLength: 300 })
    const run = fc.record({ at: fc.integer({ min: 0, max: 200_000 }), length: fc.nat(6000) })
    fc.assert(
      fc.property(ids, run, (some, { at, length }) => {
        const all = new Set([...some, ...Array.from({ length }, (_, i) => at + i)])
        const sorted = Uint32Array.from(all).sort()
        const set = IdSet.ofSorted(sorted.slice())
        const other = new roaring.RoaringBitmap32(sorted)
        expect(roaringBytes(set)).toEqual([...other.serialize('portable')])
        other.runOptimize()
        const read = setOfRoaringBytes([...other.serialize('portable')], 'x')
        expect(read.equals(set)).toBe(true)
      }),
      { numRuns: 20 },
    )
  })

  it('of many tasks with gaps are bits', () => {
    const ids = Uint32Array.from({ length: 5000 }, (_, i) => 65_536 + i * 3)
    const bytes = [...new roaring.RoaringBitmap32(ids).serialize('portable')]
    expect(bytes.length).toBeGreaterThan(8192)
    expect(setOfRoaringBytes(bytes, 'x').equals(IdSet.ofSorted(ids))).toBe(true)
    expect(() => setOfRoaringBytes(bytes.slice(0, -1), 'x')).toThrow('ends early')
  })

  it.each([
    [4096, 8192],
    [4097, 8192],
    [3000, 6000],
  ])('of %i tasks with gaps take %i bytes', (length, size) => {
    const ids = Uint32Array.from({ length }, (_, i) => i * 3)
    const set = IdSet.ofSorted(ids)
    const bytes = roaringBytes(set)
    expect(bytes.length).toBe(16 + size)
    expect(bytes).toEqual([...new roaring.RoaringBitmap32(ids).serialize('portable')])
    expect(setOfRoaringBytes(bytes, 'x').equals(set)).toBe(true)
  })

  it('are refused if they end early or are out of order', () => {
    const bytes = roaringBytes(IdSet.ofSorted(Uint32Array.of(1, 2, 70_000)))
    for (let length = 0; length < bytes.length; length++) {
      expect(() => setOfRoaringBytes(bytes.slice(0, length), 'x')).toThrow(DumpError)
    }
    const swapped = [...bytes]
    swapped[24] = 9
    expect(() => setOfRoaringBytes(swapped, 'x')).toThrow('out of order')
    const twoRuns = new roaring.RoaringBitmap32([5, 6, 7, 8, 10, 11, 12])
    twoRuns.runOptimize()
    const runs = [...twoRuns.serialize('portable')]
    expect(runs.slice(11)).toEqual([5, 0, 3, 0, 10, 0, 2, 0])
    const secondAt = (first: number) => setOfRoaringBytes(runs.with(15, first), 'x').toArray()
    expect([...secondAt(9)]).toEqual([5, 6, 7, 8, 9, 10, 11])
    expect(() => secondAt(8)).toThrow('out of order')
    expect(() => setOfRoaringBytes('no', 'x')).toThrow('a list is expected')
    for (const wrong of [256, -1, 1.5, '1', null, Number.NaN]) {
      const other = [...bytes.slice(0, -1), wrong]
      expect(() => setOfRoaringBytes(other, 'x')).toThrow('something else than bytes')
    }
    const cookie = [59, 48, 0, 0, 1]
    const again = [...cookie, 0, 0, 255, 255, 2, 0, 0, 0, 255, 255, 0, 0, 255, 255]
    expect(() => setOfRoaringBytes(again, 'x')).toThrow('out of order')
  })
})

const CONTENTS: readonly (readonly [TaskContent, Task['details']])[] = [
  [
    {
      kind: 'documentAdditionOrUpdate',
      method: 'update',
      body: { file: null, inline: new Uint8Array(2), bytes: 2, documents: 7 },
      primaryKey: 'id',
      skipCreation: false,
      allowIndexCreation: false,
    },
    { receivedDocuments: 7, indexedDocuments: null },
  ],
  [
    { kind: 'documentDeletion', by: 'ids', ids: ['a', 'b'] },
    { providedIds: 2, deletedDocuments: null, originalFilter: null },
  ],
  [
    { kind: 'documentDeletion', by: 'filter', filter: 'a = 1' },
    { providedIds: 0, deletedDocuments: null, originalFilter: '"a = 1"' },
  ],
  [{ kind: 'documentDeletion', by: 'all' }, { deletedDocuments: null }],
  [
    { kind: 'documentEdition', filter: ['a = 1'], context: { x: 1 }, function: 'doc.a = 1' },
    {
      editedDocuments: null,
      deletedDocuments: null,
      originalFilter: '["a = 1"]',
      context: { x: 1 },
      function: 'doc.a = 1',
    },
  ],
  [
    {
      kind: 'settingsUpdate',
      patch: { stopWords: ['the'], distinctAttribute: null },
      isDeletion: true,
      allowIndexCreation: true,
    },
    { stopWords: ['the'], distinctAttribute: null },
  ],
  [{ kind: 'indexCreation', primaryKey: null }, { primaryKey: null }],
  [
    { kind: 'indexUpdate', primaryKey: 'k', newUid: asIndexUid('new') },
    { primaryKey: 'k', oldIndexUid: 'books', newIndexUid: 'new' },
  ],
  [{ kind: 'indexUpdate', primaryKey: 'k', newUid: null }, { primaryKey: 'k' }],
  [{ kind: 'indexDeletion' }, { deletedDocuments: null }],
  [
    { kind: 'indexSwap', swaps: [{ indexes: [asIndexUid('a'), asIndexUid('b')], rename: true }] },
    { swaps: [{ indexes: ['a', 'b'], rename: true }] },
  ],
  [
    { kind: 'taskCancelation', query: '?uids=1', targets: IdSet.ofSorted(Uint32Array.of(1, 5)) },
    { matchedTasks: 2, canceledTasks: null, originalFilter: '?uids=1' },
  ],
  [
    { kind: 'taskDeletion', query: '?uids=1', targets: IdSet.empty },
    { matchedTasks: 0, deletedTasks: null, originalFilter: '?uids=1' },
  ],
  [{ kind: 'dumpCreation', keys: [{ uid: 'x' }], instanceUid: null }, { dumpUid: null }],
  [{ kind: 'snapshotCreation' }, null],
  [
    {
      kind: 'export',
      url: 'http://x',
      apiKey: null,
      payloadSize: '24 MiB',
      indexes: { '*': { filter: 'a = 1', overrideSettings: true } },
    },
    {
      url: 'http://x',
      payloadSize: '24 MiB',
      indexes: { '*': { filter: 'a = 1', overrideSettings: true } },
    },
  ],
  [
    { kind: 'upgradeDatabase', from: 'v1.12.0', to: 'v1.12.0' },
    { upgradeFrom: 'v1.12.0', upgradeTo: 'v1.50.0' },
  ],
  [{ kind: 'indexCompaction' }, {}],
  [
    { kind: 'networkTopologyChange', change: { a: 1 } },
    { movedDocuments: 0, message: 'm' },
  ],
  [
    { kind: 'dsrUpdate', uid: 'top', rule: { active: true } },
    { rule: { active: true }, updatedRules: 1 },
  ],
  [{ kind: 'dsrUpdate', uid: 'top', rule: null }, { updatedRules: 1 }],
  [{ kind: 'dsrClear' }, { deletedDocuments: null }],
]

const taskOf = (
  content: TaskContent,
  details: Task['details'],
  more: Partial<Task> = {},
): Task => ({
  uid: asTaskUid(4),
  batchUid: null,
  indexUid: asIndexUid('books'),
  status: 'enqueued',
  kind: content.kind,
  canceledBy: null,
  details,
  error: null,
  enqueuedAt: 1_700_000_000_123_456,
  startedAt: null,
  finishedAt: null,
  customMetadata: null,
  ...more,
})

const throughJson = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

describe('a task', () => {
  it('of every kind is among the samples below', () => {
    expect(new Set(CONTENTS.map(([{ kind }]) => kind))).toEqual(new Set(TASK_KINDS))
  })

  it.each(CONTENTS)('that waits is read as it was: %j', (content, details) => {
    const task = taskOf(content, details, { customMetadata: 'note' })
    const line = throughJson(taskLine(taskKinds.named(task.kind), task, content, describeError))
    const {
      names: _,
      count: __,
      content: read,
      documents,
      ...rest
    } = readTaskLine(taskKinds, line, 'x')
    expect(rest).toEqual(task)
    if (content.kind === 'documentAdditionOrUpdate') {
      expect(documents).toBe(7)
      expect(read).toEqual({ ...content, body: expect.anything() })
    } else if (content.kind === 'taskCancelation' && read?.kind === content.kind) {
      expect((read as typeof content).targets.toArray()).toEqual(content.targets.toArray())
    } else if (content.kind !== 'taskDeletion') expect(read).toEqual(content)
  })

  it.each(CONTENTS)('that has ended is read as it was, also if the log differs: %j', (...one) => {
    const [content, details] = one
    const task = taskOf(content, details, {
      status: 'failed',
      batchUid: asBatchUid(9),
      canceledBy: asTaskUid(3),
      startedAt: 1_700_000_000_200_000,
      finishedAt: 1_700_000_000_300_000,
      error: { code: 'index_not_found', message: 'gone' },
    })
    for (const known of [content, null]) {
      const line = throughJson(taskLine(taskKinds.named(task.kind), task, known, describeError))
      const {
        names: _,
        count: __,
        content: read,
        documents,
        ...rest
      } = readTaskLine(taskKinds, line, 'x')
      expect(rest).toEqual(task)
      expect([read, documents]).toEqual([null, null])
    }
  })

  const origin = { remoteName: 'a', taskUid: asTaskUid(7), networkVersion: 'v' }
  const source = { remoteName: 'b', indexName: null, documentCount: 3 }
  const lost = { indexCount: 0, totalDocuments: 0, key: null }
  const error = { message: 'm', code: 'remote_timeout', type: 'system', link: 'l' }
  it.each<Partial<Task>>([
    { network: { kind: 'origin', origin } },
    { network: { kind: 'import', source: { ...source, ...lost }, change: origin } },
    {
      network: { kind: 'leader', version: 'v', remotes: ['b', 'c'] },
      remoteResults: { b: { taskUid: asTaskUid(9), error: null }, c: { error, isFinal: true } },
    },
    { network: { kind: 'leader', version: 'v', remotes: [] }, remoteResults: {} },
  ])('that has ended keeps what it had to do with the network: %j', (parts) => {
    const [content, details] = CONTENTS[0]!
    const ended = {
      status: 'succeeded',
      startedAt: 1,
      finishedAt: 2,
      batchUid: asBatchUid(1),
    } as const
    const task = taskOf(content, details, { ...ended, ...parts })
    const kind = taskKinds.named(task.kind)
    const line = throughJson(taskLine(kind, task, content, describeError)) as object
    expect(readTaskLine(taskKinds, line, 'x')).toMatchObject(parts)
    const waiting = { ...line, status: 'enqueued' }
    expect(readTaskLine(taskKinds, waiting, 'x')).not.toHaveProperty('network')
    for (const network of [
      1,
      {},
      { origin: 1 },
      { remote_tasks: { b: 1 }, network_version: 'v' },
    ]) {
      expect(() => readTaskLine(taskKinds, { ...line, network }, 'x')).toThrow('x')
    }
  })

  it('shows no secret that its line has in clear', () => {
    const apiKey = 'sk-0123456789abcdef'
    const patch = { embedders: { one: { source: 'openAi', apiKey } } }
    const content = {
      kind: 'settingsUpdate',
      patch,
      isDeletion: false,
      allowIndexCreation: true,
    } as const
    const line = taskLine(
      taskKinds.named(content.kind),
      taskOf(content, { embedders: 'masked' }),
      content,
      describeError,
    )
    expect(JSON.stringify(line)).toContain(apiKey)
    const { details, content: read } = readTaskLine(taskKinds, throughJson(line), 'x')
    expect(JSON.stringify(details)).not.toContain(apiKey)
    expect(JSON.stringify(read)).toContain(apiKey)
  })

  it('that is faulty is refused with its place', () => {
    const [content, details] = CONTENTS[0]!
    const line = throughJson(
      taskLine(taskKinds.named(content.kind), taskOf(content, details), content, describeError),
    ) as object
    const wrong: readonly (readonly [object, string])[] = [
      [{ uid: -1 }, 'a number of a task'],
      [{ uid: 1.5 }, 'a number of a task'],
      [{ status: 'lost' }, 'its status is unknown'],
      [{ type: 'nothing' }, 'its type is unknown'],
      [{ type: { nothing: {} } }, 'its type is unknown'],
      [{ type: null }, 'an object is expected'],
      [{ indexUid: null }, 'it names no index'],
      [{ enqueuedAt: 'yesterday' }, 'a date is expected'],
      [{ enqueuedAt: undefined }, 'a text is expected'],
      [{ error: 'bad' }, 'an object is expected'],
      [{ details: [] }, 'an object is expected'],
    ]
    for (const [change, words] of wrong) {
      expect(() => readTaskLine(taskKinds, { ...line, ...change }, '`q`, line 3')).toThrow(
        `Corrupted dump: \`q\`, line 3: ${words}`,
      )
    }
  })
})

describe('a batch', () => {
  const batch: Batch = {
    uid: asBatchUid(3),
    progress: null,
    details: { receivedDocuments: 2, indexedDocuments: 2 },
    stats: {
      totalNbTasks: 2,
      status: { succeeded: 2 },
      types: { documentAdditionOrUpdate: 2 },
      indexUids: { books: 2 },
      progressTrace: { 'processing tasks': 8.25, 'processing tasks > indexing': 1500 },
      writeChannelCongestion: { attempts: 3, blocking_attempts: 0, blocking_ratio: 0 },
      internalDatabaseSizes: { documents: [16384, 16384], text: [2048, -1024] },
      embedderRequests: { total: 3, failed: 1, lastError: 'no' },
    },
    startedAt: 1_700_000_000_000_000,
    finishedAt: 1_700_000_001_000_000,
    nanos: { startedAt: 5, finishedAt: 0 },
    batchStrategy: 'batched all enqueued tasks',
  }

  it('is read as it was', () => {
    const line = throughJson(batchLine(batch, { first: 1_000_000, last: 2_000_000 }))
    expect(line).toMatchObject({ enqueuedAt: { earliest: '1970-01-01T00:00:02Z' } })
    const { strategy, ...read } = readBatchLine(TASK_KINDS, line, 'x')
    const { progress: _, batchStrategy, ...expected } = batch
    expect({ read, strategy }).toEqual({ read: expected, strategy: batchStrategy })
  })

  it('is read even if parts are missing or unknown', () => {
    const line = { uid: 1, startedAt: '2026-01-01T00:00:00Z', stats: { types: { brandNew: 4 } } }
    expect(readBatchLine(TASK_KINDS, line, 'x')).toMatchObject({
      uid: 1,
      stats: { types: {} },
      details: {},
    })
    expect(() => readBatchLine(TASK_KINDS, { uid: 1 }, 'x')).toThrow(DumpError)
  })
})

describe('a key', () => {
  it('is read as it was', () => {
    const key = {
      uid: asUuid('d0d0cafe-0000-4000-8000-000000000003'),
      name: 'Ünï',
      description: null,
      actions: ['search', 'documents.get'],
      indexes: ['b*'],
      expiresAt: { seconds: 4_000_000_000, nanos: 5, offsetMinutes: 60 },
      createdAt: 1_700_000_000_000_001,
      updatedAt: 1_700_000_000_000_002,
    }
    expect(readKeyLine(throughJson(keyLine(key)), 'x')).toEqual(key)
    const others = { ...keyLine(key), actions: ['search', 'dance'], expires_at: null }
    expect(readKeyLine(others, 'x')).toEqual({ ...key, actions: ['search'], expiresAt: null })
    expect(() => readKeyLine({ ...others, uid: 'me' }, 'x')).toThrow('a UUID is expected')
    expect(() => readKeyLine({ ...others, expires_at: 'soon' }, 'x')).toThrow('a date is expected')
  })
})

describe('moments', () => {
  it('are microseconds and remaining nanoseconds', () => {
    expect(readMoment('1970-01-01T00:00:01.000002003Z')).toEqual({ micros: 1_000_002, nanos: 3 })
    expect(readMoment('1970-01-01T02:00:01+02:00')).toEqual({ micros: 1_000_000, nanos: 0 })
    expect(['', '1960-01-01T00:00:00Z', '2026-01-01'].map(readMoment)).toEqual([null, null, null])
    expect(dumpUidOf(1_700_000_000_123_456)).toBe('20231114-221320123')
  })
})

const inBooks = (name: string): string => `indexes/books/${name}`

describe('a dump', () => {
  it('is read part by part', async () => {
    const files = unpackedFiles(smallDump({ 'indexes/.DS_Store': 'x' }))
    const dump = await openDump(files, taskKinds)
    expect(dump).toMatchObject({ version: 'V6', release: '1.50.0', instanceUid: null })
    const [index, ...others] = dump.indexes()
    expect(others).toEqual([])
    expect(index).toMatchObject({ uid: 'books', primaryKey: 'id' })
    expect(index!.settings().filterableAttributes).toEqual(['year'])
    expect(await collected(dump.tasks())).toEqual([])
    expect(await collected(dump.batches())).toEqual([])
    expect(await collected(linesOf(files, index!.documents!))).toHaveLength(2)
  })

  it.each([
    ['metadata.json', '', 'it is not JSON'],
    ['metadata.json', '{"dumpVersion":"V99"}', 'its version is unknown'],
    [
      'indexes/books/metadata.json',
      '{"uid":"../x","createdAt":"2024-05-01T00:00:00Z","updatedAt":"2024-05-01T00:00:00Z"}',
      'it names no index',
    ],
    ['indexes/books/metadata.json', '{"uid":7}', 'a text is expected at /'],
    ['indexes/more/metadata.json', smallDump()['indexes/books/metadata.json']!, 'is missing'],
  ])('with a wrong %s is refused: %s', async (path, text, words) => {
    const files = unpackedFiles(smallDump({ [path]: text }))
    await expect(openDump(files, taskKinds)).rejects.toThrow(words)
  })

  it('without its parts is refused', async () => {
    const without = (path: string) => {
      const { [path]: _, ...rest } = smallDump()
      return unpackedFiles(rest)
    }
    for (const path of ['metadata.json', ...['settings.json', 'documents.jsonl'].map(inBooks)]) {
      await expect(openDump(without(path), taskKinds), path).rejects.toThrow(
        `\`${path}\`: it is missing`,
      )
    }
    const { keys } = await openDump(without('keys.jsonl'), taskKinds)
    await expect(collected(keys())).rejects.toThrow('missing')
    const { tasks } = await openDump(without('tasks/queue.jsonl'), taskKinds)
    await expect(collected(tasks())).rejects.toThrow('missing')
  })

  it('with settings of the wrong shape is refused', async () => {
    for (const settings of [
      { stopWords: 7 },
      { filterableAttributes: [7] },
      { synonyms: { a: 'b' } },
      { typoTolerance: { enabled: 'yes' } },
    ]) {
      const text = JSON.stringify(settings)
      const dump = await openDump(
        unpackedFiles(smallDump({ [inBooks('settings.json')]: text })),
        taskKinds,
      )
      expect(() => dump.indexes()[0]!.settings(), text).toThrow('a setting does not have its form')
    }
  })

  it('with tasks out of order, or a waiting import without its documents, is refused', async () => {
    const [content, details] = CONTENTS[0]!
    const line = taskLine(
      taskKinds.named(content.kind),
      taskOf(content, details),
      content,
      describeError,
    )
    const queue = async (values: readonly unknown[], more = {}) => {
      const files = smallDump({ 'tasks/queue.jsonl': lines(values), ...more })
      return collected((await openDump(unpackedFiles(files), taskKinds)).tasks())
    }
    await expect(queue([line])).rejects.toThrow('`tasks/update_files/4.jsonl`: it is missing')
    const body = { 'tasks/update_files/4.jsonl': '{"id":1}\n' }
    expect(await queue([line], body)).toMatchObject([{ body: 'tasks/update_files/4.jsonl' }])
    await expect(queue([line, line], body)).rejects.toThrow('line 2: tasks are out of order')
    await expect(queue(['x'], body)).rejects.toThrow('line 1: an object is expected')
  })
})
