// Requests that a follower refuses, and failures that may pass, with the pauses after them.
import { expect, test } from 'vitest'
import { CorruptionError, VersionError } from '../../../format/errors.ts'
import { ArchiveError } from '../../backup/archive/index.ts'
import { EngineFault, StorageError } from '../../model/index.ts'
import { mayPass, pauseAfter } from './failures.ts'
import type { Following } from './record.ts'
import { writeRefusal } from './refusal.ts'

test('a write is sent to the writer, if it is known', () => {
  const words = 'This instance follows x and takes no writes: send them to '
  for (const [following, target] of [
    [null, 'the instance that publishes it.'],
    [{}, 'the instance that publishes it.'],
    [{ writer: 'http://w' }, '`http://w`, which publishes it.'],
  ] as const) {
    const { code, message } = writeRefusal('x', following as Following | null)
    expect([code, message]).toEqual(['read_only_follower', words + target])
  }
})

test('mistakes do not pass', () => {
  for (const error of [
    new EngineFault('internal', 'x'),
    new StorageError('io', 'x', 'x'),
    new ArchiveError('damaged', 'x'),
    new CorruptionError('bad_value', { section: 's', offset: 0 }, 'a', 'b'),
    new VersionError('x', 2, 1, 1),
  ]) {
    expect(mayPass(error), error.name).toBe(true)
  }
  for (const error of [new TypeError('x'), new Error('x'), 'x', null])
    expect(mayPass(error)).toBe(false)
})

test('each failure doubles the pause, up to half a minute', () => {
  const pauses = (pollMs: number): readonly number[] =>
    [0, 1, 2, 3, 4, 1100].map((failures) => pauseAfter(failures, pollMs))
  expect(pauses(3000)).toEqual([3000, 6000, 12_000, 24_000, 30_000, 30_000])
  // A store that is polled rarely is tried more often while it fails.
  expect(pauses(60_000)).toEqual([60_000, 30_000, 30_000, 30_000, 30_000, 30_000])
})
