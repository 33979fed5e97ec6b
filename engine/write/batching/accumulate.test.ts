// Details of batches: the combined details of their tasks.
import { describe, expect, it } from 'vitest'
import type { TaskDetails } from '../task-data/types.ts'
import { DetailsSum } from './accumulate.ts'

function sumOf(...all: readonly (TaskDetails | null)[]): string {
  const sum = new DetailsSum()
  for (const details of all) sum.add(details)
  return JSON.stringify(sum.finish())
}

describe('DetailsSum', () => {
  it.each([
    ['nothing', [null, {}], {}],
    [
      'counters, where null adds nothing',
      [
        { receivedDocuments: 2, indexedDocuments: null },
        { receivedDocuments: 1, indexedDocuments: 1 },
      ],
      { receivedDocuments: 3, indexedDocuments: 1 },
    ],
    [
      'members that are null for all are left out',
      [{ receivedDocuments: 2, indexedDocuments: null }, { primaryKey: null }, { dumpUid: null }],
      { receivedDocuments: 2 },
    ],
    [
      'filters joined, ids without one passed over',
      [
        { providedIds: 0, deletedDocuments: 1, originalFilter: '"id = 2"' },
        { providedIds: 3, deletedDocuments: 0, originalFilter: null },
        { matchedTasks: 1, canceledTasks: 1, originalFilter: '?uids=3' },
      ],
      {
        providedIds: 3,
        deletedDocuments: 1,
        matchedTasks: 1,
        canceledTasks: 1,
        originalFilter: '"id = 2"&?uids=3',
      },
    ],
    [
      'the first key, context, address',
      [
        { primaryKey: null },
        { primaryKey: 'a', url: 'x', context: { a: 1 } },
        { primaryKey: 'b', url: 'y', context: { a: 2 } },
      ],
      { primaryKey: 'a', context: { a: 1 }, url: 'x' },
    ],
    [
      'settings, where the latest wins and null is a value, in the declared order',
      [{ stopWords: ['x'] }, { stopWords: ['y'], synonyms: { a: ['b'] } }, { synonyms: null }],
      { stopWords: ['y'], synonyms: null },
    ],
    [
      'embedders by name',
      [
        { embedders: { a: { source: 'rest' }, b: { source: 'rest' } } },
        { embedders: { b: null, c: { source: 'userProvided' } } },
      ],
      { embedders: { a: { source: 'rest' }, b: null, c: { source: 'userProvided' } } },
    ],
    [
      'swaps one after another',
      [{ swaps: [1, 2] }, { swaps: [] }, { swaps: [3] }],
      { swaps: [1, 2, 3] },
    ],
    [
      'the earliest version and the latest',
      [
        { upgradeFrom: 'v1.12.0', upgradeTo: 'v1.49.0' },
        { upgradeFrom: 'v1.9.7', upgradeTo: 'v1.50.0' },
      ],
      { upgradeFrom: 'v1.9.7', upgradeTo: 'v1.50.0' },
    ],
    [
      'the earliest version and the latest, in any order',
      [
        { upgradeFrom: 'v1.9.7', upgradeTo: 'v1.50.0' },
        { upgradeFrom: 'v1.12.0', upgradeTo: 'v1.9.0' },
        { upgradeFrom: 'v1.9.8', upgradeTo: 'v1.50.1' },
      ],
      { upgradeFrom: 'v1.9.7', upgradeTo: 'v1.50.1' },
    ],
    ['one rule', [{ rule: { a: 1 }, updatedRules: 1 }], { rule: { a: 1 }, updatedRules: 1 }],
    [
      'several rules only by their number',
      [
        { rule: { a: 1 }, updatedRules: 1 },
        { rule: { b: 1 }, updatedRules: 1 },
        { updatedRules: 1 },
      ],
      { updatedRules: 3 },
    ],
    [
      'members in one order for each order of changes',
      [{ swaps: [] }, { stopWords: ['a'] }, { deletedDocuments: 1 }, { receivedDocuments: 1 }],
      { receivedDocuments: 1, deletedDocuments: 1, stopWords: ['a'], swaps: [] },
    ],
  ] as const)('%s', (_, all, expected) => expect(sumOf(...all)).toBe(JSON.stringify(expected)))

  it('leaves its input unchanged', () => {
    const first = { swaps: [1] }
    sumOf(first, { swaps: [2] })
    expect(first).toEqual({ swaps: [1] })
  })
})
