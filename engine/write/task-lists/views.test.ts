// Tasks and batches in their public form, member by member.
import { describe, expect, it } from 'vitest'
import { asBatchUid, asIndexUid, asTaskUid } from '../../../format/ids.ts'
import type { Batch, Task } from '../task-data/types.ts'
import { START } from '../tasks/test-support.ts'
import { batchView, summaryView, taskView } from './views.ts'

const TASK: Task = {
  uid: asTaskUid(144),
  batchUid: asBatchUid(12),
  indexUid: asIndexUid('movies'),
  status: 'failed',
  kind: 'documentAdditionOrUpdate',
  canceledBy: null,
  details: { receivedDocuments: 1, indexedDocuments: 0 },
  error: { code: 'internal', message: 'no' },
  enqueuedAt: START + 348_471,
  startedAt: START + 349_442,
  finishedAt: START + 358_772,
  customMetadata: null,
}
const showError = (error: { code: string; message: string }) => ({
  message: error.message,
  code: error.code,
  type: 'internal',
  link: 'somewhere',
})

describe('taskView', () => {
  it('shows everything in order', () => {
    expect(JSON.stringify(taskView({ ...TASK, customMetadata: 'mine' }, showError))).toBe(
      JSON.stringify({
        uid: 144,
        batchUid: 12,
        indexUid: 'movies',
        status: 'failed',
        type: 'documentAdditionOrUpdate',
        canceledBy: null,
        details: { receivedDocuments: 1, indexedDocuments: 0 },
        error: { message: 'no', code: 'internal', type: 'internal', link: 'somewhere' },
        duration: 'PT0.009330S',
        enqueuedAt: '2024-08-08T09:01:13.348471Z',
        startedAt: '2024-08-08T09:01:13.349442Z',
        finishedAt: '2024-08-08T09:01:13.358772Z',
        customMetadata: 'mine',
      }),
    )
  })

  it('omits missing details and metadata', () => {
    const waiting = { ...TASK, details: null, error: null, startedAt: null, finishedAt: null }
    const view = taskView(waiting, showError)
    expect(Object.keys(view)).not.toContain('details')
    expect(Object.keys(view)).not.toContain('customMetadata')
    expect(view).toMatchObject({ error: null, duration: null, startedAt: null, finishedAt: null })
  })

  it('has a short form', () => {
    expect(JSON.stringify(summaryView({ ...TASK, status: 'enqueued' }))).toBe(
      JSON.stringify({
        taskUid: 144,
        indexUid: 'movies',
        status: 'enqueued',
        type: 'documentAdditionOrUpdate',
        enqueuedAt: '2024-08-08T09:01:13.348471Z',
      }),
    )
    expect(summaryView({ ...TASK, customMetadata: '' })).toMatchObject({ customMetadata: '' })
  })
})

describe('a network', () => {
  const networkOf = (more: Partial<Task>): unknown =>
    taskView({ ...TASK, ...more }, showError)['network']
  const version = 'v1'

  it('shows where a task comes from', () => {
    const origin = { remoteName: 'r', taskUid: asTaskUid(3), networkVersion: version }
    expect(networkOf({})).toBeUndefined()
    expect(networkOf({ network: { kind: 'origin', origin } })).toEqual({ origin })
  })

  it('shows results by name of the remote, faults with their links', () => {
    const error = { code: 'internal', message: 'no' } as const
    const remoteResults = {
      z: { taskUid: asTaskUid(1), error: null },
      a: { taskUid: null, error },
    } as unknown as Task['remoteResults']
    const network = { kind: 'remotes', version } as unknown as Task['network']
    const shown = networkOf({ network, remoteResults })
    expect(JSON.stringify(shown)).toBe(
      JSON.stringify({
        remote_tasks: {
          a: { error: { message: 'no', code: 'internal', type: 'internal', link: 'somewhere' } },
          z: { taskUid: 1, error: null },
        },
        network_version: version,
      }),
    )
    expect(networkOf({ network })).toEqual({ remote_tasks: {}, network_version: version })
  })
})

it.each([
  [{ startedAt: 0, finishedAt: 700 }, '0.000000700'],
  [{ startedAt: 700, finishedAt: 0 }, '0.000009300'],
  [{ startedAt: 5, finishedAt: 5 }, '0.000010'],
])('a duration with nanoseconds %j is %s s', (nanos, seconds) => {
  const micros = nanos.finishedAt > nanos.startedAt ? 0 : 10
  const task = { ...TASK, startedAt: START, finishedAt: START + micros, nanos }
  expect(taskView(task as never, showError)).toMatchObject({ duration: `PT${seconds}S` })
})

describe('batchView', () => {
  const batch: Batch = {
    uid: asBatchUid(12),
    progress: null,
    details: { receivedDocuments: 2 },
    stats: {
      totalNbTasks: 1,
      status: { succeeded: 1 },
      types: { documentAdditionOrUpdate: 1 },
      indexUids: { movies: 1 },
      progressTrace: { 'processing tasks': 3.04 },
      writeChannelCongestion: null,
      internalDatabaseSizes: null,
      embedderRequests: null,
    },
    startedAt: START,
    finishedAt: START + 500_000,
    batchStrategy: 'batched all enqueued tasks',
  }

  it('shows everything in order', () => {
    const congestion = { attempts: 6, blocking_attempts: 0, blocking_ratio: 0 }
    const stats = {
      ...batch.stats,
      writeChannelCongestion: congestion,
      internalDatabaseSizes: { documents: [16_384, 16_384], words: [4096, 0] } as const,
      embedderRequests: { total: 1, failed: 1, lastError: 'no' },
    }
    expect(JSON.stringify(batchView({ ...batch, stats }))).toBe(
      JSON.stringify({
        uid: 12,
        progress: null,
        details: { receivedDocuments: 2 },
        stats: {
          totalNbTasks: 1,
          status: { succeeded: 1 },
          types: { documentAdditionOrUpdate: 1 },
          indexUids: { movies: 1 },
          progressTrace: { 'processing tasks': '3.04ms' },
          writeChannelCongestion: congestion,
          internalDatabaseSizes: { documents: '16 KiB (+16 KiB)' },
          embedderRequests: { total: 1, failed: 1, lastError: 'no' },
        },
        duration: 'PT0.500S',
        startedAt: '2024-08-08T09:01:13Z',
        finishedAt: '2024-08-08T09:01:13.5Z',
        batchStrategy: 'batched all enqueued tasks',
      }),
    )
  })

  it('omits members that do not apply', () => {
    const sizes = { ...batch.stats, internalDatabaseSizes: { documents: [16_384, 0] } as const }
    const view = batchView({ ...batch, stats: sizes, finishedAt: null })
    expect(Object.keys(view['stats'] as object)).toEqual([
      'totalNbTasks',
      'status',
      'types',
      'indexUids',
      'progressTrace',
    ])
    expect(view).toMatchObject({ duration: null, finishedAt: null })
  })
})
