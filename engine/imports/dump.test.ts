// Dumps end to end, on disks in memory: a dump and its import restore the same database. A canceled
// or failed dump leaves no files; neither does an import.

import { afterEach, describe, expect, it } from 'vitest'
import { MiB } from '../../format/bytes/index.ts'
import { asBatchUid, asIndexUid, asTaskUid, asUuid } from '../../format/ids.ts'
import type { Engine } from '../api/index.ts'
import { ArchiveError, readArchive } from '../backup/archive/index.ts'
import { DumpError } from '../backup/dumps/index.ts'
import { readTaskLine, taskLine } from '../backup/dumps/task-lines.ts'
import { diskWith, type Files, lines, smallDump } from '../backup/dumps/test-dumps.ts'
import { BODIES } from '../store/catalog/index.ts'
import type { FakeFileSystem } from '../store/storage/fake-file-system.ts'
import { FakeDisk, type FileSystem, fileBytes } from '../store/storage/index.ts'
import { taskKinds } from '../task-kinds/index.ts'
import type { DumpOptions } from '../task-kinds/kind/index.ts'
import {
  addDocuments,
  allTasks,
  changeSettings,
  documentsOf,
  EVERY_TASK,
  enqueue,
  openTestEngine,
  searchFor,
  type TestEngine,
} from '../testing/index.ts'
import { batchView, taskView } from '../write/task-lists/index.ts'
import { fillFromDump } from './import-dump.ts'

const open: TestEngine[] = []
afterEach(async () => {
  for (const engine of open.splice(0)) await engine.close()
})

type Scene = {
  readonly disk: FakeDisk
  readonly dumps: FakeDisk
  readonly target: FakeFileSystem
  readonly options: DumpOptions
  readonly engine: TestEngine
}

async function scene(batchTasksMax = Number.POSITIVE_INFINITY): Promise<Scene> {
  const disk = new FakeDisk()
  const dumps = new FakeDisk()
  const target = dumps.mount()
  const options: DumpOptions = {
    folder: '/dumps',
    fileSystem: target,
    describe: (code) => ({ type: 'invalid_request', link: `https://errors#${code}` }),
  }
  const engine = await openTestEngine(disk.mount(), { dumps: options, batchTasksMax })
  open.push(engine)
  return { disk, dumps, target, options, engine }
}

/** Creates a dump; returns the name of the file. */
async function dumped({ engine, target }: Scene): Promise<string> {
  const { uid } = await engine.tasks.enqueueDump()
  await engine.idle()
  const task = await engine.tasks.get(uid, null)
  expect(task, JSON.stringify(task?.error)).toMatchObject({ status: 'succeeded' })
  const name = `${task!.details!['dumpUid']}.dump`
  expect(target.list('')).toContain(name)
  return name
}

const importing = (name: string, dumpFileSystem: FileSystem) => ({
  path: '',
  version: '1.50.0',
  dump: { folder: '', name },
  indexWorker: null,
  indexingMemoryMax: 16 * MiB,
  indexingThreads: 1,
  say: () => undefined,
  progress: () => undefined,
  report: () => undefined,
  dumpFileSystem,
})

async function imported(name: string, source: FileSystem): Promise<TestEngine> {
  const disk = new FakeDisk()
  await fillFromDump(disk.mount(), importing(name, source))
  disk.kill()
  const engine = await openTestEngine(disk.mount())
  open.push(engine)
  return engine
}

const importedFiles = async (files: Files): Promise<TestEngine> =>
  imported('x.dump', await diskWith(files))

async function filesOf(fs: FileSystem, name: string): Promise<{ [path: string]: string }> {
  const files: { [path: string]: string } = {}
  for await (const { path, kind, content } of readArchive(fileBytes(fs, name))) {
    const chunks: Uint8Array[] = []
    for await (const chunk of content) chunks.push(new Uint8Array(chunk))
    if (kind === 'file') files[path] = Buffer.concat(chunks).toString()
  }
  return files
}

async function fill(engine: Engine & TestEngine): Promise<void> {
  await engine.administration.setFeatures({ containsFilter: true, dynamicSearchRules: true })
  await engine.keys.create({
    uid: asUuid('d0d0cafe-0000-4000-8000-000000000001'),
    name: 'reader',
    description: null,
    actions: ['search'],
    indexes: ['b*'],
    expiresAt: null,
  })
  await engine.webhooks.create({
    uuid: asUuid('d0d0cafe-0000-4000-8000-000000000002'),
    url: 'https://there',
    headers: { authorization: 'secret' },
  })
  await engine.chats.update('helper', { apiKey: 'sk-1', prompts: { system: 'Be brief.' } })
  await engine.network.update((network) => ({
    ...network,
    self: 'me',
    remotes: new Map([['me', { url: 'http://me', searchApiKey: 'k', writeApiKey: null }]]),
  }))
  await changeSettings(engine, 'books', {
    filterableAttributes: ['year'],
    stopWords: ['the'],
    embedders: { hand: { source: 'userProvided', dimensions: 2 } },
  })
  const vectors = { hand: [0.5, 1] }
  await addDocuments(engine, 'books', [
    { id: 1, title: 'The Old Sea', year: 1952, _vectors: vectors },
    { id: 2, title: 'Dragons', year: 1987, deep: { er: [1, null, 'x'] }, _vectors: vectors },
    { id: 3, title: 'Nemo', year: 1870, _vectors: { hand: null } },
  ])
  await addDocuments(engine, 'books', [{ title: 'no id' }])
  await enqueue(engine, 'empty', { kind: 'indexCreation', primaryKey: null })
  await enqueue(engine, '.meili_dsr', {
    kind: 'dsrUpdate',
    uid: 'top',
    rule: {
      description: 'first',
      conditions: { filter: { values: { year: 1987 } } },
      actions: [{ selector: { id: '3' }, action: { type: 'pin', position: 0 } }],
    },
  })
  await engine.idle()
  await enqueue(engine, 'books', { kind: 'documentDeletion', by: 'ids', ids: ['2', '9'] }, 'note')
  await engine.idle()
}

const batchesOf = async (engine: TestEngine) => {
  const page = { from: null, limit: 1000, reverse: true }
  return (await engine.tasks.batches(EVERY_TASK, page, null)).results
}

describe('a database that was dumped and imported', () => {
  it('equals the original', async () => {
    const made = await scene()
    await fill(made.engine)
    const name = await dumped(made)
    const other = await imported(name, made.target)

    expect(other.documents.listIndexes(null)).toEqual(made.engine.documents.listIndexes(null))
    for (const uid of ['books', 'empty']) {
      expect(other.documents.settings(asIndexUid(uid))).toEqual(
        made.engine.documents.settings(asIndexUid(uid)),
      )
      expect(await documentsOf(other, uid)).toEqual(await documentsOf(made.engine, uid))
    }
    for (const requested of [{ q: 'sea' }, { filter: 'year < 1900' }, { q: 'old' }]) {
      const [here, there] = await Promise.all([
        searchFor(other, 'books', { ...requested, showRankingScore: true }),
        searchFor(made.engine, 'books', { ...requested, showRankingScore: true }),
      ])
      expect(here.hits).toEqual(there.hits)
      expect(here.hits).toHaveLength(1)
    }
    expect(other.keys.list()).toEqual(made.engine.keys.list())
    expect(other.webhooks.list()).toEqual(made.engine.webhooks.list())
    expect(other.chats.get('helper')).toEqual(made.engine.chats.get('helper'))
    expect(other.administration.features).toEqual(made.engine.administration.features)
    expect(other.administration.rules()).toEqual(made.engine.administration.rules())
    expect(other.network.get()).toEqual({ ...made.engine.network.get(), self: null })

    const tasks = await allTasks(made.engine)
    const dump = tasks.at(-1)!
    const faked = { ...dump, batchUid: null, details: { dumpUid: null } }
    const times = { startedAt: expect.any(Number), finishedAt: expect.any(Number) }
    expect(await allTasks(other)).toEqual([...tasks.slice(0, -1), { ...faked, ...times }])
    const batches = await batchesOf(made.engine)
    const trace = { progressTrace: expect.any(Object) }
    const sizes = { internalDatabaseSizes: expect.toSatisfy(() => true) }
    expect(await batchesOf(other)).toEqual(
      batches.slice(0, -1).map((one) => ({ ...one, stats: { ...one.stats, ...trace, ...sizes } })),
    )

    const again = await addDocuments(other, 'books', [
      { id: 4, title: 'New', _vectors: { hand: null } },
    ])
    expect(again.uid).toBe(dump.uid + 1)
    await other.idle()
    expect(await other.tasks.get(again.uid, null)).toMatchObject({
      status: 'succeeded',
      batchUid: dump.batchUid,
    })
  })

  it('holds waiting tasks, which run afterwards', async () => {
    const made = await scene()
    await addDocuments(made.engine, 'books', [{ id: 1, title: 'x' }])
    await made.engine.idle()
    made.disk.gate = () => new Promise(() => undefined)
    made.disk.gate = () => Promise.resolve()
    // A dump has priority over all waiting tasks, so these wait while it runs.
    const dump = made.engine.tasks.enqueueDump()
    const receiver = made.engine.documents.receive({ kind: 'ndjson' })
    await receiver.write(Buffer.from('{"id":2,\n"title":"y"}{"id":3}\n\n'))
    const body = await receiver.finish()
    const waiting = made.engine.documents.enqueueDocuments(asIndexUid('books'), body, {
      method: 'update',
      primaryKey: null,
      skipCreation: false,
      allowIndexCreation: true,
      customMetadata: 'late',
    })
    const deletion = enqueue(made.engine, 'books', {
      kind: 'documentDeletion',
      by: 'ids',
      ids: ['1'],
    })
    await Promise.all([dump, waiting, deletion])
    await made.engine.idle()
    const name = made.target.list('')[0]!
    const files = await filesOf(made.target, name)
    expect(files['tasks/update_files/2.jsonl']).toBe('{"id":2, "title":"y"}\n{"id":3}\n')
    const other = await imported(name, made.target)
    await other.idle()
    expect(await documentsOf(other, 'books')).toEqual([{ id: 2, title: 'y' }, { id: 3 }])
    const [first, second] = (await allTasks(other)).slice(-2)
    expect(first).toMatchObject({ status: 'succeeded', customMetadata: 'late' })
    expect(second).toMatchObject({ status: 'succeeded', kind: 'documentDeletion' })
  })

  it.each([40_000, 100_000])(
    'holds a body of %i bytes without the rest of its file',
    async (size) => {
      const made = await scene()
      const line = JSON.stringify({ id: 1, text: 'x'.repeat(size) })
      const receiver = made.engine.documents.receive({ kind: 'ndjson' })
      await receiver.write(Buffer.from(line))
      const body = await receiver.finish()
      expect(made.disk.mount().list(BODIES)).toHaveLength(1)
      const waiting = {
        method: 'replace',
        primaryKey: null,
        skipCreation: false,
        allowIndexCreation: true,
        customMetadata: null,
      } as const
      const dump = made.engine.tasks.enqueueDump()
      const [, { uid }] = await Promise.all([
        dump,
        made.engine.documents.enqueueDocuments(asIndexUid('books'), body, waiting),
      ])
      await made.engine.idle()
      const files = await filesOf(made.target, made.target.list('')[0]!)
      expect(files[`tasks/update_files/${uid}.jsonl`]).toBe(`${line}\n`)
    },
  )

  it('survives the rewriting of the task log', async () => {
    const made = await scene()
    await fill(made.engine)
    const before = await allTasks(made.engine)
    await made.engine.tasks.compact()
    const other = await imported(await dumped(made), made.target)
    expect((await allTasks(other)).slice(0, -1)).toEqual(before)
    await other.tasks.compact()
    expect((await allTasks(other)).slice(0, -1)).toEqual(before)
  })
})

describe('a dump', () => {
  it('has the parts of the layout', async () => {
    const made = await scene()
    await fill(made.engine)
    const files = await filesOf(made.target, await dumped(made))
    expect(Object.keys(files).sort()).toEqual(
      [
        'metadata.json',
        'keys.jsonl',
        'chat-completions-settings/helper.json',
        'tasks/queue.jsonl',
        'batches/queue.jsonl',
        'webhooks.json',
        'network.json',
        ...['books', 'empty', '.meili_dsr'].flatMap((uid) =>
          ['metadata.json', 'settings.json', 'documents.jsonl'].map(
            (name) => `indexes/${uid}/${name}`,
          ),
        ),
        'experimental-features.json',
      ].sort(),
    )
    const settings = JSON.parse(files['indexes/books/settings.json']!)
    expect(settings).toMatchObject({ displayedAttributes: ['*'], stopWords: ['the'] })
    expect(files['indexes/books/documents.jsonl']!.split('\n')[0]).toBe(
      '{"id":1,"title":"The Old Sea","year":1952,' +
        '"_vectors":{"hand":{"embeddings":[[0.5,1.0]],"regenerate":false}}}',
    )
    expect(files['chat-completions-settings/helper.json']).toContain('"apiKey":"sk-1"')
    expect(files['tasks/queue.jsonl']).not.toContain('"dumpUid"')
  })

  it('reports its steps', async () => {
    const made = await scene()
    await addDocuments(made.engine, 'books', [{ id: 1 }])
    await dumped(made)
    const batch = (await batchesOf(made.engine)).at(-1)!
    const steps = Object.keys(batch.stats.progressTrace).filter(
      (path) => path.split('>').length < 3,
    )
    expect(steps.map((path) => path.split(' > ').at(-1))).toEqual([
      'start the dump creation',
      'dump the api keys',
      'dump the chat completion settings',
      'dump the tasks',
      'dump the batches',
      'dump the indexes',
      'dump the experimental features',
      'dump the webhooks',
      'dump dynamic search rules',
      'compress the dump',
      'processing tasks',
    ])
  })

  it('that is canceled leaves no files', async () => {
    const made = await scene()
    await addDocuments(made.engine, 'books', [{ id: 1 }])
    await made.engine.idle()
    let isHeld = false
    let release: () => void = () => undefined
    made.dumps.gate = () => {
      isHeld = true
      return new Promise((resolve) => {
        release = resolve
      })
    }
    const dump = await made.engine.tasks.enqueueDump()
    for (let i = 0; i < 2000 && !isHeld; i++) await new Promise((end) => setImmediate(end))
    expect(isHeld).toBe(true)
    const filter = { ...EVERY_TASK, uids: [dump.uid] }
    await made.engine.tasks.enqueueCancelation(filter, `?uids=${dump.uid}`, null)
    made.dumps.gate = () => Promise.resolve()
    release()
    await made.engine.idle()
    expect(await made.engine.tasks.get(dump.uid, null)).toMatchObject({
      status: 'canceled',
      details: { dumpUid: null },
    })
    expect(made.target.list('')).toEqual([])
    expect(made.disk.entries.has('dump')).toBe(false)
  })

  it('fails on a full disk, leaves no files, and works when there is space again', async () => {
    const made = await scene()
    await addDocuments(made.engine, 'books', [{ id: 1, text: 'x'.repeat(5000) }])
    await made.engine.idle()
    made.dumps.capacity = 300
    const dump = await made.engine.tasks.enqueueDump()
    await made.engine.idle()
    expect(await made.engine.tasks.get(dump.uid, null)).toMatchObject({
      status: 'failed',
      error: { code: 'no_space_left_on_device' },
      details: { dumpUid: null },
    })
    expect(made.target.list('')).toEqual([])
    expect(made.target.openFiles).toBe(0)
    made.dumps.capacity = Number.POSITIVE_INFINITY
    made.disk.fail({ on: 'write', errno: 'ENOSPC', path: 'dump/' })
    const second = await made.engine.tasks.enqueueDump()
    await made.engine.idle()
    expect(await made.engine.tasks.get(second.uid, null)).toMatchObject({ status: 'failed' })
    expect(made.disk.entries.has('dump')).toBe(false)
    await dumped(made)
  })

  it('of a killed process is removed at the next start', async () => {
    const made = await scene()
    await addDocuments(made.engine, 'books', [{ id: 1 }])
    await made.engine.idle()
    for (let after = 1; after < 40; after += 3) {
      const disk = made.disk
      made.dumps.powerOffAfter(after)
      disk.powerOffAfter(after + 3)
      await made.engine.tasks.enqueueDump().catch(() => undefined)
      await Promise.race([made.engine.idle().catch(() => undefined), pauses(200)])
      disk.kill()
      made.dumps.kill()
      const fileSystem = made.dumps.mount()
      const dumps = { ...made.options, fileSystem }
      const engine = await openTestEngine(disk.mount(), { dumps, batchTasksMax: 0 })
      expect(fileSystem.list('').filter((name) => !name.endsWith('.dump'))).toEqual([])
      expect(disk.entries.has('dump')).toBe(false)
      await engine.close()
      Object.assign(made, await reopened(made))
    }
  })
})

const pauses = async (count: number): Promise<void> => {
  for (let i = 0; i < count; i++) await new Promise((end) => setImmediate(end))
}

async function reopened(made: Scene): Promise<Partial<Scene>> {
  open.splice(0)
  const target = made.dumps.mount()
  const options = { ...made.options, fileSystem: target }
  const engine = await openTestEngine(made.disk.mount(), { dumps: options })
  open.push(engine)
  await engine.idle()
  return { engine, target, options }
}

describe('an import', () => {
  it('reads dumps of other writers', async () => {
    const engine = await importedFiles(smallDump())
    expect(await documentsOf(engine, 'books')).toHaveLength(2)
    expect(engine.documents.index(asIndexUid('books'))).toEqual({
      uid: 'books',
      primaryKey: 'id',
      createdAt: Date.parse('2026-01-02T03:04:05.123Z') * 1000 + 456,
      updatedAt: Date.parse('2026-01-03T03:04:05Z') * 1000,
    })
    expect((await searchFor(engine, 'books', { filter: 'year = 1950' })).hits).toHaveLength(1)
  })

  const refusals: readonly (readonly [string, Files, string])[] = [
    [
      'a document without its id',
      { 'indexes/books/documents.jsonl': '{"a":1}\n' },
      'Index `books`',
    ],
    [
      'a document that is none',
      { 'indexes/books/documents.jsonl': '{"id":1}\n7\n' },
      'expected a map',
    ],
    ['broken JSON', { 'indexes/books/documents.jsonl': '{"id":1}\n{"id"' }, 'Index `books`'],
    ['wrong settings', { 'indexes/books/settings.json': '{"rankingRules":["zzz"]}' }, 'zzz'],
    ['a wrong key', { 'keys.jsonl': '{"uid":1}\n' }, '`keys.jsonl`, line 1'],
    ['a wrong webhook', { 'webhooks.json': '{"webhooks":{"x":{}}}' }, 'webhooks.json'],
    ['a wrong workspace', { 'chat-completions-settings/x.json': '{}' }, 'source is unknown'],
    ['a wrong network', { 'network.json': '{"remotes":{"a":{"url":1}}}' }, 'network.json'],
    ['a wrong rule', { ...rulesIndex('{"uid":"x","active":true,"actions":7}\n') }, 'a list'],
    ['a wrong version', { 'metadata.json': '{"dumpVersion":"V7"}' }, 'its version is unknown'],
    ['a task without a type', { 'tasks/queue.jsonl': '{"uid":0}\n' }, 'tasks/queue.jsonl'],
  ]

  it.each(refusals)('refuses %s', async (_, files, words) => {
    const source = await diskWith(smallDump(files))
    const fs = new FakeDisk().mount()
    const filling = fillFromDump(fs, importing('x.dump', source))
    await expect(filling).rejects.toBeInstanceOf(DumpError)
    await expect(filling).rejects.toThrow(words)
    expect(fs.openFiles).toBe(0)
  })

  it('fails with the error of the disk, at whichever write it is full', async () => {
    const source = await diskWith(smallDump())
    const whole = new FakeDisk()
    await fillFromDump(whole.mount(), importing('x.dump', source))
    for (let part = 1; part < 12; part++) {
      const disk = new FakeDisk()
      disk.capacity = Math.floor((whole.usedBytes * part) / 12)
      const fs = disk.mount()
      const filling = fillFromDump(fs, importing('x.dump', source))
      await expect(filling).rejects.toMatchObject({ code: 'no_space' })
      expect(fs.openFiles).toBe(0)
    }
  })

  it('refuses an archive that is invalid or truncated', async () => {
    const whole = await diskWith(smallDump())
    const size = whole.size('x.dump')
    const cut = whole.open('x.dump', 'write')
    for (const bytes of [size - 1, size >> 1, 3]) {
      cut.truncate(bytes)
      const filling = fillFromDump(new FakeDisk().mount(), importing('x.dump', whole))
      await expect(filling).rejects.toBeInstanceOf(ArchiveError)
    }
  })

  it('keeps documents that are sent in several bodies', async () => {
    const many = Array.from({ length: 6000 }, (_, id) => ({ id, text: 'x'.repeat(1000) }))
    const engine = await importedFiles(smallDump({ 'indexes/books/documents.jsonl': lines(many) }))
    expect(await documentsOf(engine, 'books')).toHaveLength(6000)
  })
})

function rulesIndex(documents: string): Files {
  const small = smallDump()
  return {
    'indexes/.meili_dsr/metadata.json': small['indexes/books/metadata.json']!.replace(
      'books',
      '.meili_dsr',
    ),
    'indexes/.meili_dsr/settings.json': '{}',
    'indexes/.meili_dsr/documents.jsonl': documents,
  }
}

describe('times of imported tasks', () => {
  const date = (rest: string): string => `2026-01-02T03:04:05.${rest}Z`
  const times = { startedAt: date('123456789'), finishedAt: date('124085848') }
  const nanos = { enqueuedAt: 1, startedAt: 789, finishedAt: 848 }
  const files = smallDump({
    'tasks/queue.jsonl': lines([
      {
        uid: 0,
        batchUid: 0,
        indexUid: 'books',
        status: 'succeeded',
        type: { indexCreation: { primary_key: 'id' } },
        details: { IndexInfo: { primary_key: 'id' } },
        enqueuedAt: date('000000001'),
        ...times,
      },
    ]),
    'batches/queue.jsonl': lines([
      {
        uid: 0,
        details: {},
        stats: { totalNbTasks: 1, status: { succeeded: 1 }, types: { indexCreation: 1 } },
        ...times,
        stopReason: 'unspecified',
      },
    ]),
  })

  it('keep their nanoseconds, in answers and in the next dump', async () => {
    const engine = await importedFiles(files)
    const task = await engine.tasks.get(asTaskUid(0), null)
    expect(task!.nanos).toEqual(nanos)
    const shown = { ...times, duration: 'PT0.000629059S' }
    expect(taskView(task!, () => ({}))).toMatchObject({ ...shown, enqueuedAt: date('000000001') })
    const batch = await engine.tasks.batch(asBatchUid(0), null)
    expect(batchView(batch!)).toMatchObject(shown)
    const describe = () => ({ type: 'x', link: 'x' })
    const line = taskLine(taskKinds.named('indexCreation')!, task!, null, describe)
    expect(readTaskLine(taskKinds, JSON.parse(JSON.stringify(line)), 'x').nanos).toEqual(nanos)
  })
})
