// When the import from an exporter is complete, and the texts that say how far it is.
import { expect, test } from 'vitest'
import {
  type ExporterProgress,
  exporterProgress,
  importingText,
  type ReceivedPart,
  waitingText,
} from './progress.ts'

/** A part that has ended. The exporter announces one index more than it has. */
const part = (indexName: string | null, documents: number, total: number): ReceivedPart => ({
  source: {
    remoteName: 'a',
    indexName,
    documentCount: documents,
    indexCount: 3,
    totalDocuments: total,
    key: null,
  },
  hasEnded: true,
  hasFailed: false,
})

test('an exporter is finished with its final message, not with the parts that have arrived', () => {
  const definitions = part(null, 0, 0)
  // Documents of both indexes were deleted; those of the second one have not arrived.
  const deletions = [part('first', 0, 0), part('second', 0, 0)]
  const parts = [definitions, ...deletions, part('first', 194, 194)]
  expect(exporterProgress('a', parts, [])).toMatchObject({ hasBegun: true, isFinished: false })
  expect(exporterProgress('a', parts, ['a'])).toMatchObject({ isFinished: true })
})

test('an exporter that announces the indexes it has is finished with their documents', () => {
  const parts = [part('first', 2, 2), part('second', 0, 0)]
  const announced = parts.map((one) => ({ ...one, source: { ...one.source, indexCount: 2 } }))
  expect(exporterProgress('a', announced.slice(0, 1), [])).toMatchObject({ isFinished: false })
  expect(exporterProgress('a', announced, [])).toMatchObject({ isFinished: true })
})

test('counts the documents that have arrived, and those whose tasks have ended', () => {
  const parts = [
    part('first', 5, 9),
    { ...part('first', 2, 9), hasEnded: false },
    part('second', 4, 4),
    { ...part('third', 8, 8), source: { ...part('third', 8, 8).source, remoteName: 'b' } },
  ]
  expect(exporterProgress('a', parts, [])).toEqual({
    remote: 'a',
    hasBegun: true,
    total: 13,
    received: 11,
    processed: 9,
    indexes: 3,
    isFinished: false,
    hasFailed: false,
  })
  expect(exporterProgress('a', parts, ['a']).isFinished).toBe(false)
  expect(exporterProgress('c', parts, [])).toMatchObject({ hasBegun: false, isFinished: false })
  expect(exporterProgress('c', parts, ['c'])).toMatchObject({ hasBegun: true, isFinished: true })
})

test('is not finished before all documents of an index have been imported', () => {
  const announced = (documents: number) => {
    const { source, ...rest } = part('first', documents, 2)
    return { ...rest, source: { ...source, indexCount: 1 } }
  }
  expect(exporterProgress('a', [announced(1)], []).isFinished).toBe(false)
  expect(exporterProgress('a', [announced(2)], []).isFinished).toBe(true)
  expect(exporterProgress('a', [announced(1), announced(1)], []).isFinished).toBe(true)
  expect(exporterProgress('a', [announced(2), announced(1)], []).isFinished).toBe(true)
})

test('has failed with a part of documents, not with definitions of indexes', () => {
  const failed = (one: ReceivedPart) => ({ ...one, hasFailed: true })
  expect(exporterProgress('a', [failed(part(null, 0, 0))], []).hasFailed).toBe(false)
  expect(exporterProgress('a', [failed(part('first', 1, 1))], []).hasFailed).toBe(true)
  expect(exporterProgress('a', [part('first', 1, 1)], []).hasFailed).toBe(false)
})

const progressOf = (remote: string, more: Partial<ExporterProgress>): ExporterProgress => ({
  remote,
  hasBegun: true,
  total: 10,
  received: 4,
  processed: 3,
  indexes: 2,
  isFinished: false,
  hasFailed: false,
  ...more,
})

test.each<readonly [readonly ExporterProgress[], string]>([
  [[], 'Importing documents from 0 remotes, 0 remotes finished processing'],
  [
    [progressOf('a', { hasBegun: false }), progressOf('b', { isFinished: true })],
    'Importing documents from 2 remotes, waiting on first task from `a`, ' +
      '1 remotes finished processing',
  ],
  [
    [
      progressOf('a', { hasBegun: false }),
      progressOf('b', { hasBegun: false }),
      progressOf('c', {}),
      progressOf('d', { received: 12 }),
      progressOf('e', {}),
    ],
    'Importing documents from 5 remotes, waiting on first task from `a` and 1 other remotes, ' +
      'awaiting 6 and processed 3 out of 10 documents in 2 indexes from `c` and 2 other remotes, ' +
      '0 remotes finished processing',
  ],
  [
    [progressOf('d', { received: 12 })],
    'Importing documents from 1 remotes, ' +
      'awaiting 0 and processed 3 out of 10 documents in 2 indexes from `d`, ' +
      '0 remotes finished processing',
  ],
])('the text of the progress of an import: %#', (exporters, words) => {
  expect(importingText(exporters)).toBe(words)
})

test('the text while other instances import', () => {
  expect(waitingText(['a'], 0)).toBe('Waiting for `a` to finish importing')
  expect(waitingText(['a', 'b', 'c'], 1)).toBe(
    'Waiting for `a` and 2 other remote(s) to finish importing, 1 remote(s) finished',
  )
})
