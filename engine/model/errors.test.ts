// Errors cross threads as plain data and keep their family, code and message.
import { expect, test } from 'vitest'
import { CorruptionError } from '../../format/errors.ts'
import { EngineFault, fromWire, isPassing, StorageError, toWire, withScarcity } from './index.ts'

const crossed = (error: unknown): Error => fromWire(structuredClone(toWire(error)))

test('keeps a fault with its code and its detail', () => {
  const detail = { kind: 'answer', at: 2, lacksScores: true } as const
  for (const fault of [
    new EngineFault('remote_bad_response', 'The answer is damaged.', detail),
    new EngineFault('invalid_search_filter', 'It took too long.', { kind: 'timeUp' }),
    new EngineFault('index_not_found', 'Index `a` not found.'),
  ]) {
    const back = crossed(fault) as EngineFault
    expect(back).toEqual(fault)
    expect(back.detail).toEqual(fault.detail)
  }
})

test('keeps a failure of storage with its path', () => {
  expect(crossed(new StorageError('missing', 'a/b', 'gone'))).toMatchObject({
    code: 'missing',
    path: 'a/b',
    message: 'gone',
  })
})

test('turns damage into a failure of storage that does not pass', () => {
  const error = crossed(new CorruptionError('bad_checksum', { section: 'DOCS', offset: 3 }, 1, 2))
  expect(error).toMatchObject({ code: 'corrupt' })
  expect(isPassing(error)).toBe(false)
})

test('turns a full disk that Node reports into a failure of storage that passes', () => {
  const full = Object.assign(new Error('write ENOSPC'), { errno: -28, code: 'ENOSPC' })
  expect(withScarcity(full)).toMatchObject({ code: 'no_space' })
  expect(isPassing(crossed(full))).toBe(true)
})

test('does not change other errors, and hands over their stack', () => {
  const bug = new TypeError('x is not a function')
  expect(withScarcity(bug)).toBe(bug)
  expect(toWire(bug)).toMatchObject({ family: 'ours', code: 'internal' })
  expect(crossed(bug).message).toContain('TypeError: x is not a function')
})
