// Decisions of the start: the options of the engine, the reasons why it fails, the progress of an
// import, which routes change something, and writes that wait for their task.
import { availableParallelism, hostname } from 'node:os'
import { describe, expect, test } from 'vitest'
import { Canceled, StorageError, type Task } from '../../engine/index.ts'
import { GiB, MiB } from '../../format/bytes/index.ts'
import { readConfig } from '../config/index.ts'
import type { Route } from '../http/messages/index.ts'
import { Log } from '../log/index.ts'
import { changes } from './acknowledge.ts'
import { banner } from './banner.ts'
import {
  engineOptions,
  followOptions,
  indexingThreads,
  launchFeatures,
  publishOptions,
} from './engine-options.ts'
import { importBar } from './import-bar.ts'
import { folderFailure, listenFailure } from './start-failure.ts'
import { withWriteWait } from './write-wait.ts'

type Variables = { readonly [name: string]: string }
const configOf = (variables: Variables = {}) =>
  readConfig(
    new Map(),
    Object.fromEntries(Object.entries(variables).map(([name, value]) => [`SVC_${name}`, value])),
  )
const STORE: Variables = {
  OBJSTORE_BUCKET_URL: 'http://store',
  OBJSTORE_BUCKET_REGION: 'r',
  OBJSTORE_BUCKET_NAME: 'b',
  OBJSTORE_SNAPSHOT_PREFIX: 'p',
  OBJSTORE_ACCESS_KEY: 'a',
  OBJSTORE_SECRET_KEY: 's',
}
const linesOf = () => {
  const lines: string[] = []
  const log = new Log({
    level: 'DEBUG',
    mode: 'human',
    write: (line) => lines.push(line),
    now: () => 0,
  })
  return { log, lines }
}

describe('the options of the engine', () => {
  const optionsOf = async (variables: Variables = {}) =>
    engineOptions(await configOf(variables), '1.2.3', {} as never, linesOf().log)

  test('are those of the launch options, in their units', async () => {
    const processors = availableParallelism()
    const plain = await optionsOf()
    expect(plain).toMatchObject({
      version: '1.2.3',
      searchThreads: processors,
      indexingThreads: Math.max(1, Math.floor(processors / 2)),
      keepsSearchReserve: true,
      warmUpMs: 4000,
    })
    expect(plain).not.toHaveProperty('taskCountMax')
    expect(indexingThreads()).toBeGreaterThan(0)
    const set = await optionsOf({
      DB_PATH: 'some/where',
      DUMP_DIR: '/dumps',
      EXPERIMENTAL_NB_SEARCHES_PER_CORE: '3',
      EXPERIMENTAL_SEARCH_QUEUE_SIZE: '7',
      EXPERIMENTAL_DROP_SEARCH_AFTER: '9',
      EXPERIMENTAL_NO_SEARCH_WARM_UP: 'true',
      EXPERIMENTAL_REPLICATION_PARAMETERS: 'true',
      EXPERIMENTAL_REST_EMBEDDER_TIMEOUT_SECONDS: '11',
      EXPERIMENTAL_REST_EMBEDDER_MAX_RETRY_DURATION_SECONDS: '13',
      EXPERIMENTAL_NO_SNAPSHOT_COMPACTION: 'true',
      MAX_INDEXING_THREADS: '1',
      HTTP_PAYLOAD_SIZE_LIMIT: '1 GiB',
    })
    expect(set).toMatchObject({
      searchesAtOnce: 3 * processors,
      searchQueueMax: 7,
      searchDropAfterMs: 9000,
      warmUpMs: 0,
      taskCountMax: Number.POSITIVE_INFINITY,
      indexingThreads: 1,
      embedding: { requestMs: 11_000, pauseMsMax: 13_000 },
      snapshots: { name: 'where', compact: false },
      dumps: { folder: '/dumps' },
      exportBytes: GiB - MiB,
    })
    expect(set.snapshots).not.toHaveProperty('store')
  })

  test('have bounds', async () => {
    const set = await optionsOf({
      EXPERIMENTAL_DROP_SEARCH_AFTER: '9999999',
      HTTP_PAYLOAD_SIZE_LIMIT: '1 MiB',
    })
    expect([set.searchDropAfterMs, set.exportBytes]).toEqual([2 ** 31 - 1, 20 * MiB])
  })

  test('report to the log, and describe errors of dumps', async () => {
    const { log, lines } = linesOf()
    const options = engineOptions(await configOf(STORE), '1', {} as never, log)
    options.note?.('a note')
    options.report?.('a report', new Error('the cause'))
    options.report?.('another', 'text')
    expect(lines[0]).toMatch(/ WARN .*a note/)
    expect(lines[1]).toMatch(/ ERROR .*a report.*the cause/)
    expect(lines[2]).toMatch(/another.*text/)
    expect(options.dumps?.describe('index_not_found')).toEqual({
      type: 'invalid_request',
      link: expect.stringContaining('index_not_found'),
    })
    expect(options.snapshots?.store).toMatchObject({ bucket: 'b' })
  })

  test.each<[Variables, boolean]>([
    [{}, false],
    [STORE, false],
    [{ ...STORE, OBJSTORE_PUBLISH_INTERVAL: '3' }, true],
    [{ ...STORE, OBJSTORE_PUBLISH: 'sync' }, true],
  ])('of publishing with %j: %s', async (variables, isOn) => {
    const config = await configOf(variables)
    const { log } = linesOf()
    const options = engineOptions(config, '1', {} as never, log)
    const { publish } = publishOptions(config, options, log, null)
    expect(publish !== undefined).toBe(isOn)
    if (publish === undefined) return
    const seconds = Number(variables['OBJSTORE_PUBLISH_INTERVAL'] ?? 1)
    expect(publish).toMatchObject({ intervalMs: seconds * 1000, writer: hostname() })
    expect(publish).not.toHaveProperty('lease')
    expect(publish).not.toHaveProperty('replaces')
  })

  test('of publishing with a lease', async () => {
    const { log, lines } = linesOf()
    const lease = {} as never
    const config = await configOf(STORE)
    const options = engineOptions(config, '1', {} as never, log)
    const { publish } = publishOptions(config, options, log, lease)
    expect(publish?.lease).toBe(lease)
    publish?.say?.('warn', 'words')
    publish?.report?.('failed', new Error('why'))
    expect(lines).toEqual([expect.stringContaining('words'), expect.stringContaining('why')])
    expect(publishOptions(await configOf(), {} as never, log, lease)).toEqual({})
  })

  test('of a follower', async () => {
    const { log } = linesOf()
    expect(followOptions(await configOf(), '1', log)).toBeNull()
    const config = await configOf({ ...STORE, FOLLOW: 'objstore:films', FOLLOW_POLL_INTERVAL: '3' })
    expect(followOptions(config, '1.2.3', log)).toMatchObject({
      place: { prefix: 'p', name: 'films' },
      source: 'the database `films` in the bucket `b`',
      pollMs: 3000,
      version: '1.2.3',
      name: expect.stringMatching(/^[0-9a-f-]{36}$/),
    })
  })

  test('of features', async () => {
    expect(launchFeatures(await configOf())).toEqual([])
    const all = {
      EXPERIMENTAL_CONTAINS_FILTER: 'true',
      EXPERIMENTAL_ENABLE_LOGS_ROUTE: 'true',
      EXPERIMENTAL_ENABLE_METRICS: 'true',
    }
    expect(launchFeatures(await configOf(all))).toEqual(['containsFilter', 'logsRoute', 'metrics'])
  })
})

describe('a start that fails', () => {
  const systemError = (code: string, path?: string): Error =>
    Object.assign(new Error('the reason'), { code, ...(path === undefined ? {} : { path }) })

  test.each([
    ['EADDRINUSE', 80, 'a:80 is in use by another program (EADDRINUSE): stop it, or choose'],
    ['EADDRNOTAVAIL', 80, 'a:80 is not an address of this machine (EADDRNOTAVAIL): choose'],
    ['ENOTFOUND', 80, 'the host `a` of --http-addr has no address (ENOTFOUND): check'],
    ['EAI_AGAIN', 80, 'the host `a` of --http-addr has no address (EAI_AGAIN): check'],
    ['EACCES', 1023, 'ports below 1024 need the capability CAP_NET_BIND_SERVICE'],
    ['EPERM', 1024, 'may not listen on a:1024 (EPERM): choose another address with --http-addr'],
    ['EOTHER', 80, 'cannot listen on a:80: the reason; choose another address'],
  ])('to listen with %s on port %i', (code, port, words) => {
    const failure = listenFailure(systemError(code), { host: 'a', port }) as Error
    expect(failure.message).toContain(words)
  })

  test('names IPv6 addresses in brackets, and passes other errors on', () => {
    const failure = listenFailure(systemError('EADDRINUSE'), { host: '::1', port: 7700 }) as Error
    expect(failure.message).toMatch(/^\[::1\]:7700 is in use/)
    const other = new Error('other')
    expect(listenFailure(other, { host: 'a', port: 1 })).toBe(other)
    expect(listenFailure('text', { host: 'a', port: 1 })).toBe('text')
  })

  test.each([
    ['EACCES', 'give this user rights to the folder (chown)'],
    ['EPERM', 'The server runs as user'],
    ['EROFS', 'Mount the file system writable'],
    ['ENOTDIR', 'every parent is a folder'],
    ['EEXIST', 'Choose the path of a folder'],
    ['ENOENT', 'The system does not allow folders there'],
    ['ENOSPC', 'Free space'],
    ['EDQUOT', 'Free space'],
  ])('to open its folder with %s', (code, advice) => {
    const cause = systemError(code, '/a b')
    const error = new StorageError('permission', 'db', 'cannot open', { cause })
    const failure = folderFailure(error) as Error
    expect(failure.message).toContain(': "/a b". ')
    expect(failure.message).toContain(advice)
  })

  test('for another reason is reported as it is', () => {
    const storage = (cause: Error) => new StorageError('permission', 'db', 'cannot open', { cause })
    for (const error of [
      new Error('x'),
      storage(new Error('y')),
      storage(systemError('EACCES')),
      storage(systemError('EIO', '/a')),
    ]) {
      expect(folderFailure(error)).toBe(error)
    }
  })
})

describe('the progress of an import', () => {
  function shown(isWatched: boolean) {
    const written: string[] = []
    const { log, lines } = linesOf()
    let ms = 1000
    const write = (text: string): void => void written.push(text)
    const bar = importBar({ isWatched, write, log, now: () => ms })
    const at = (after: number, done: number, total: number): void => {
      ms += after
      bar.at({ step: 'tasks', done, total })
    }
    return { bar, at, written, lines }
  }

  test('is a line on a terminal, rewritten ten times a second', () => {
    const { bar, at, written, lines } = shown(true)
    bar.clear()
    at(99, 1, 4)
    expect(written).toEqual([])
    at(1, 1, 4)
    at(99, 2, 4)
    at(1, 3, 4)
    at(100, 9, 4)
    at(100, 0, 0)
    bar.clear()
    bar.clear()
    const line = (cells: number, percent: number): string =>
      `\r\x1b[K[${'='.repeat(cells).padEnd(24)}] ${percent} % · tasks`
    expect(written).toEqual([line(6, 25), line(18, 75), line(24, 100), line(24, 100), '\r\x1b[K'])
    expect(lines).toEqual([])
  })

  test('is a line of the log each ten seconds elsewhere', () => {
    const { bar, at, written, lines } = shown(false)
    at(9999, 1, 3)
    at(1, 2, 3)
    at(100, 3, 3)
    bar.clear()
    expect(written).toEqual([])
    expect(lines).toEqual([expect.stringContaining('importing: tasks, 66 %')])
  })
})

test('the banner shows the scheme, and its notices in colours on a terminal', async () => {
  const at = { host: 'h', port: 1 }
  const tls = { SSL_CERT_PATH: 'c', SSL_KEY_PATH: 'k' }
  expect(banner(await configOf(tls), at, false)).toContain('"https://h:1"')
  expect(banner(await configOf({ SSL_CERT_PATH: 'c' }), at, false)).toContain('"http://h:1"')
  const safe = banner(await configOf({ MASTER_KEY: 'k'.repeat(32) }), at, true)
  expect(safe).not.toContain('\u001b')
  expect(safe).toContain('Config file path:\t"none"\n')
  expect(safe).toContain('Environment:\t\t"development"\n')
})

test.each<[Partial<Route>, boolean]>([
  [{}, true],
  [{ method: 'DELETE', permits: 'documents.delete' }, true],
  [{ method: 'GET' }, false],
  [{ method: 'HEAD' }, false],
  [{ permits: null }, false],
  [{ permits: 'tasks.get' }, false],
  [{ permits: 'search' }, false],
  [{ permits: 'chatCompletions' }, false],
  [{ permits: 'fields.post' }, false],
  [{ path: '/network/foreign' }, false],
  [{ path: '/network/plan' }, false],
  [{ path: '/network/search' }, false],
  [{ path: '/network/similar' }, false],
  [{ path: '/render-template' }, false],
  [{ path: '/network' }, true],
])('a route with %j changes something: %s', (more, expected) => {
  const route = { method: 'POST', path: '/x', permits: 'documents.add', ...more } as Route
  expect(changes(route)).toBe(expected)
})

describe('a write that waits', () => {
  type World = {
    readonly task?: Partial<Task> | null
    readonly body?: unknown
    readonly isVisible?: boolean
    readonly isEverywhere?: boolean
    readonly get?: () => Promise<never>
    readonly method?: Route['method']
  }
  async function write(query: string, world: World = {}) {
    const asked: unknown[] = []
    const times = { enqueuedAt: 0, startedAt: null, finishedAt: null }
    const facts = { uid: 3, batchUid: null, indexUid: 'a', status: 'succeeded', kind: 'x' }
    const whole = { ...facts, ...times, canceledBy: null, details: null, error: null }
    const task = world.task === null ? null : { ...whole, ...world.task }
    const parts = {
      engine: {
        tasks: { get: world.get ?? (() => Promise.resolve(task)) },
        visibility: {
          hasEnded: () => true,
          until: (uid: number, hasEnded: () => boolean, { ms }: { ms: number }) => {
            asked.push(['until', uid, hasEnded(), Math.ceil(ms / 10_000)])
            return Promise.resolve(world.isVisible ?? true)
          },
        },
      },
      instances: {
        contained: {
          others: ({ uid, indexes }: { uid: number; indexes: () => unknown }) => {
            asked.push(['others', uid, indexes()])
            return Promise.resolve(world.isEverywhere ?? true)
          },
        },
      },
    }
    const handle = (request: { query: string }) => {
      asked.push(request.query)
      return Promise.resolve({ status: 202, body: world.body ?? { taskUid: 3 } })
    }
    const method = world.method ?? 'POST'
    const made = { method, path: '/x', permits: 'documents.add', handle } as unknown as Route
    const [route] = withWriteWait([made], parts as never)
    const reply = await route!.handle({ query, signal: new AbortController().signal } as never)
    return { reply, asked }
  }
  const ACCEPTED = { status: 202, body: { taskUid: 3 } }

  test('is answered with its task when all instances show it', async () => {
    const { reply, asked } = await write('a=1&wait=searchable&b&timeout=30000')
    expect(reply).toMatchObject({ status: 200, body: { uid: 3, status: 'succeeded' } })
    expect(asked).toEqual(['a=1&b', ['until', 3, true, 3], ['others', 3, ['a']]])
  })

  test.each([
    ['', ''],
    ['timeout=30000', 'timeout=30000'],
    ['waited=1', 'waited=1'],
    ['primaryKey=wait', 'primaryKey=wait'],
    ['wait=', ''],
  ])('or not at all: %j', async (query, handled) => {
    const run = write(query)
    if (query === 'wait=') await expect(run).rejects.toMatchObject({ code: 'invalid_task_wait' })
    else expect(await run).toEqual({ reply: ACCEPTED, asked: [handled] })
  })

  test('is answered like another where there is nothing to wait for, or no time', async () => {
    const wait = 'wait=searchable'
    const replyIn = async (world: World) => (await write(wait, world)).reply
    expect(await replyIn({ task: null })).toEqual(ACCEPTED)
    expect(await replyIn({ isVisible: false })).toEqual(ACCEPTED)
    expect(await replyIn({ isEverywhere: false })).toEqual(ACCEPTED)
    expect(await replyIn({ get: () => Promise.reject(new Error('disk')) })).toEqual(ACCEPTED)
    expect(await replyIn({ body: { uid: 3 } })).toEqual({ status: 202, body: { uid: 3 } })
    const canceled = write(wait, { get: () => Promise.reject(new Canceled()) })
    await expect(canceled).rejects.toBeInstanceOf(Canceled)
    expect((await write(wait, { method: 'GET' })).asked).toEqual([wait])
  })

  test('ends with its task where that failed, and asks for the indexes of a swap', async () => {
    const failed = await write('wait=searchable', { task: { status: 'failed' } })
    expect(failed.reply).toMatchObject({ status: 200, body: { status: 'failed' } })
    expect(failed.asked).toEqual(['', ['until', 3, true, 1]])
    const details = { swaps: [{ indexes: ['a', 'b'] }, { indexes: ['c', 'd'] }] }
    const swap = await write('wait=searchable', { task: { indexUid: null, details } as never })
    expect(swap.asked.at(-1)).toEqual(['others', 3, ['a', 'b', 'c', 'd']])
    const none = await write('wait=searchable', {
      task: { indexUid: null, details: null } as never,
    })
    expect(none.asked.at(-1)).toEqual(['others', 3, []])
  })
})
