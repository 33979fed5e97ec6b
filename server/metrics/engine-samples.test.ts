// The state of an engine as samples: each value comes from its own member.
import { describe, expect, test } from 'vitest'
import { NO_FILTER } from '../../engine/index.ts'
import { batchSamples, engineSamples } from './engine-samples.ts'
import { RequestTally } from './index.ts'
import { STRAY_PATH_CHARS_MAX } from './limits.ts'
import { TIME_BUCKETS_S } from './request-tally.ts'

const NOW = 1_000_000

type Rows = Awaited<ReturnType<typeof batchSamples>>
const shown = (rows: Rows): { readonly [name: string]: unknown } =>
  Object.fromEntries(
    rows.map(([name, samples]) => {
      const values = samples.map(({ labels, value }) => [Object.values(labels).join(' '), value])
      return [name, values.length === 1 && values[0]![0] === '' ? values[0]![1] : values]
    }),
  )

const index = (numberOfDocuments: number, isIndexing: boolean) => ({
  numberOfDocuments,
  isIndexing,
})
const step = (currentStep: string, finished: number, total: number) => ({
  currentStep,
  finished,
  total,
})

function engineOf(measures: object = {}, stats: object = {}, other: object = {}) {
  const all = {
    searches: {
      degraded: 1,
      waitingMax: 2,
      running: 3,
      waiting: 4,
      rejected: 5,
      dropped: 6,
      cacheBytes: { filters: 7, views: 8 },
    },
    tasks: {
      oldestWaiting: null,
      statuses: { enqueued: 9, failed: 10 },
      kinds: { indexCreation: 11 },
      indexes: new Map([['films', 12]]),
    },
    taskLog: { bytesMax: 100, usedBytes: 30 },
    runningBatches: [],
    isRetrying: false,
    freeBytes: null,
    ...measures,
  }
  const found = {
    databaseSize: 13,
    usedDatabaseSize: 14,
    lastUpdate: 15_999_999,
    indexes: new Map([
      ['films', index(16, false)],
      ['books', index(17, false)],
    ]),
    ...stats,
  }
  return {
    administration: { measures: () => all, stats: () => found },
    follows: null,
    publication: null,
    unpublishedWrites: () => [1, 2],
    ...other,
  } as unknown as Parameters<typeof engineSamples>[0]
}

const samples = (...parts: Parameters<typeof engineOf>) =>
  shown(engineSamples(engineOf(...parts), NOW))

describe('an engine', () => {
  test('has a sample for each of its values', () => {
    expect(samples()).toEqual({
      db_size_bytes: 13,
      used_db_size_bytes: 14,
      index_count: 2,
      index_docs_count: [
        ['films', 16],
        ['books', 17],
      ],
      nb_tasks: [
        ['statuses enqueued', 9],
        ['statuses failed', 10],
        ['types indexCreation', 11],
        ['indexes films', 12],
      ],
      last_update: 15,
      is_indexing: 0,
      degraded_search_requests: 1,
      search_queue_size: 2,
      searches_running: 3,
      searches_waiting_to_be_processed: 4,
      searches_turned_away_total: 5,
      searches_dropped_total: 6,
      search_cache_bytes: [
        ['filters', 7],
        ['views', 8],
      ],
      task_queue_latency_seconds: 0,
      tasks_wait_for_system: 0,
      task_queue_max_size: 100,
      task_queue_used_size: 30,
      task_queue_size_until_stop_registering: 70,
      batch_running_progress_trace: [],
      writer_unpublished_files: 2,
    })
  })

  test('has other values in other states', () => {
    expect(samples({ freeBytes: 0 })).toHaveProperty('db_disk_free_bytes', 0)
    expect(samples({ isRetrying: true })).toHaveProperty('tasks_wait_for_system', 1)
    expect(samples({}, { lastUpdate: null })).toHaveProperty('last_update', 0)
    const indexes = new Map([
      ['a', index(0, false)],
      ['b', index(0, true)],
    ])
    expect(samples({}, { indexes })).toHaveProperty('is_indexing', 1)
    const taskLog = { bytesMax: 100, usedBytes: 130 }
    expect(samples({ taskLog })).toHaveProperty('task_queue_size_until_stop_registering', 0)
  })

  test.each([
    // Microseconds of the oldest task, and the seconds for which it has waited.
    [(NOW - 2500) * 1000, 2.5],
    [(NOW + 2500) * 1000, 0],
  ])('with a task of %d has waited %d s', (oldestWaiting, seconds) => {
    const tasks = { oldestWaiting, statuses: {}, kinds: {}, indexes: [] }
    expect(samples({ tasks })).toHaveProperty('task_queue_latency_seconds', seconds)
  })

  test('shows the steps of running batches, repeated ones by the outer one', () => {
    const steps = [step('a', 1, 4), step('b', 0, 0), step('a', 3, 4)]
    const runningBatches = [
      { uid: 5, progress: { steps } },
      { uid: 6, progress: null },
    ]
    expect(samples({ runningBatches })['batch_running_progress_trace']).toEqual([
      ['5 a', 0.25],
      ['5 b', 0],
    ])
  })

  test('that follows another one shows how far it is', () => {
    const status = { missingIndexes: 3, missingBytes: 4, unreadable: 5 }
    const behind = { problem: 'x', checkedAt: 2999, publishedAt: '1970-01-01T00:00:07.9Z' }
    const common = {
      follower_missing_indexes: 3,
      follower_missing_bytes: 4,
      objstore_unreadable_objects: 5,
    }
    expect(samples({}, {}, { follows: { ...status, ...behind } })).toMatchObject({
      ...common,
      follower_is_behind: 1,
      follower_last_look: 2,
      follower_published: 7,
    })
    const fresh = { problem: null, checkedAt: null, publishedAt: null }
    expect(samples({}, {}, { follows: { ...status, ...fresh } })).toMatchObject({
      ...common,
      follower_is_behind: 0,
      follower_last_look: 0,
      follower_published: 0,
    })
  })

  test('that publishes shows its state and its lease', () => {
    const status = {
      problem: null,
      isRefused: false,
      publishedAt: null,
      unreadable: 5,
      lease: null,
    }
    const of = (change: object) =>
      samples({}, {}, { publication: { status: { ...status, ...change } } })
    expect(of({})).toMatchObject({
      publisher_is_behind: 0,
      publisher_is_refused: 0,
      publisher_published: 0,
      objstore_unreadable_objects: 5,
    })
    expect(of({})).not.toHaveProperty('writer_lease_held')
    expect(of({ problem: 'x', publishedAt: '1970-01-01T00:00:07.9Z' })).toMatchObject({
      publisher_is_behind: 1,
      publisher_is_refused: 0,
      publisher_published: 7,
    })
    expect(of({ isRefused: true, lease: { isHeld: true, term: 8 } })).toMatchObject({
      publisher_is_behind: 0,
      publisher_is_refused: 1,
      writer_lease_held: 1,
      writer_term: 8,
    })
    expect(of({ lease: { isHeld: false, term: 8 } })).toHaveProperty('writer_lease_held', 0)
  })
})

describe('finished batches', () => {
  const batch = (change: object = {}) => ({
    uid: 4,
    stats: { progressTrace: { a: 1.5, b: 2 }, indexUids: { films: 1, books: 2 } },
    details: { indexedDocuments: 9 },
    startedAt: 1_000_000,
    finishedAt: 3_000_000,
    ...change,
  })
  /** `newest`: by the kind of task that is asked for, `last` for any. */
  const of = async (newest: { readonly [kind: string]: unknown }, now = 3000) => {
    const asked: object[] = []
    const batches = (filter: typeof NO_FILTER, page: object) => {
      asked.push({ filter, page })
      const found = newest[filter.kinds?.[0] ?? 'last']
      return Promise.resolve({ results: found === undefined ? [] : [found] })
    }
    const rows = await batchSamples({ tasks: { batches } } as never, now)
    return { asked, rows: shown(rows) }
  }
  const ADDITION = 'documentAdditionOrUpdate'

  test('are the newest ones of three kinds', async () => {
    const { asked, rows } = await of({})
    const page = { from: null, limit: 1, reverse: false }
    expect(asked).toEqual([
      { filter: { ...NO_FILTER, statuses: ['succeeded', 'failed', 'canceled'] }, page },
      { filter: { ...NO_FILTER, statuses: ['succeeded'], kinds: [ADDITION] }, page },
      { filter: { ...NO_FILTER, statuses: ['succeeded'], kinds: ['snapshotCreation'] }, page },
    ])
    expect(rows).toEqual({ last_finished_batches_progress_trace_ms: [] })
  })

  test('show their steps, their documents, and the time of the last snapshot', async () => {
    const { rows } = await of({
      last: batch(),
      [ADDITION]: batch({ uid: 3 }),
      snapshotCreation: batch({ finishedAt: 7_999_999 }),
    })
    expect(rows).toEqual({
      last_snapshot: 7,
      last_finished_batches_progress_trace_ms: [
        ['4 a', 1.5],
        ['4 b', 2],
      ],
      last_indexed_documents_count: [['3 films', 9]],
      last_indexed_documents_duration_ms: [['3 films', 2000]],
    })
    const empty = batch({ details: {}, stats: { progressTrace: {}, indexUids: {} } })
    expect((await of({ [ADDITION]: empty })).rows).toMatchObject({
      last_indexed_documents_count: [['4 ', 0]],
    })
    const none = await of({ snapshotCreation: batch({ finishedAt: null }) })
    expect(none.rows).not.toHaveProperty('last_snapshot')
  })

  test('are shown for their duration and some minutes', async () => {
    const end = 3000 + 2000 + 5 * 60_000
    const isShown = async (now: number, change: object = {}): Promise<boolean> =>
      'last_indexed_documents_count' in (await of({ [ADDITION]: batch(change) }, now)).rows
    expect(await Promise.all([isShown(end), isShown(end + 1)])).toEqual([true, false])
    expect(await isShown(3000, { finishedAt: null })).toBe(false)
  })
})

describe('the tally of requests', () => {
  test('counts a time in the first bucket whose limit it does not exceed', () => {
    const tally = new RequestTally()
    const add = (ms: number | null): void => tally.add('GET', '/a', '/a', 200, ms)
    for (const ms of [0, 5, 5.1, 10_000, 10_001, null]) add(ms)
    const { counts, count, sumS } = [...tally.times()][0]!
    const limits = [...TIME_BUCKETS_S, 'more']
    const filled = limits.map((limit, at) => [limit, counts[at]]).filter(([, many]) => many !== 0)
    expect(filled).toEqual([
      [0.005, 2],
      [0.01, 1],
      [10, 1],
      ['more', 1],
    ])
    expect([count, Math.round(sumS * 1e4) / 1e4]).toEqual([5, 20.0111])
    expect([...tally.counts()][0]!.count).toBe(6)
  })

  test('cuts paths without a route, and does not time them', () => {
    const tally = new RequestTally()
    const long = `/${'x'.repeat(STRAY_PATH_CHARS_MAX)}`
    tally.add('GET', null, long, 404, 1)
    tally.add('GET', null, `${long}y`, 404, 1)
    expect([...tally.times()]).toEqual([])
    expect([...tally.counts()]).toEqual([
      { method: 'GET', path: long.slice(0, STRAY_PATH_CHARS_MAX), status: 404, count: 2 },
    ])
  })
})
