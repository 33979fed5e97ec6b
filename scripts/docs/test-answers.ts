// The server's answer compared with an answer on a page: every member on the page must exist with
// the same value; values that differ from run to run must have the same type.
import { expect } from 'vitest'

const VARYING = new Set([
  'avgDocumentSize',
  'batchUid',
  'commitDate',
  'commitSha',
  'createdAt',
  'databaseSize',
  'duration',
  'dumpUid',
  'enqueuedAt',
  'finishedAt',
  'indexSize',
  'key',
  'lastUpdate',
  'link',
  'processingTimeMs',
  'rawDocumentDbSize',
  'requestUid',
  'startedAt',
  'taskUid',
  'uid',
  'usedIndexSize',
  'updatedAt',
  'usedDatabaseSize',
])

/**
 * Returns the answer on a page as `toMatchObject` expects it. Pages round numbers with a
 * fraction.
 */
export const expectedAnswer = (text: string): object =>
  JSON.parse(text, (name, value: unknown) => {
    if (VARYING.has(name)) return expect.toSatisfy((given) => typeof given === typeof value)
    return Number.isFinite(value) && !Number.isInteger(value)
      ? expect.closeTo(value as number, 2)
      : value
  }) as object
