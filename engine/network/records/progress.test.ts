// When the import from an exporter is complete.
import { expect, test } from 'vitest'
import { exporterProgress, type ReceivedPart } from './progress.ts'

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
