// Errors cross threads as plain data and keep their family, code and message. Which failures of the
// machine pass, and how long messages are.
import { expect, test } from 'vitest'
import { CorruptionError, VersionError } from '../../format/errors.ts'
import { abridged } from './errors.ts'
import { EngineFault, fromWire, isPassing, StorageError, toWire, withScarcity } from './index.ts'
import { isSystemError, storageCodeOf } from './system-error.ts'

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

test('turns a file of another release into a failure of storage', () => {
  const error = new VersionError('manifest', 9, 1, 2)
  expect(toWire(error)).toEqual({
    family: 'storage',
    code: 'version',
    message: `A file is damaged: ${error.message}`,
    path: '',
  })
  expect(toWire('a text')).toMatchObject({ family: 'ours', message: 'a text' })
})

test.each([
  ['ENOSPC', 'no_space', true],
  ['EMFILE', 'too_many_open_files', true],
  ['EIO', 'io', true],
  ['ENOMEM', 'io', true],
  ['ENOENT', null, false],
  ['EACCES', null, false],
])('%s of Node is the failure of storage %s', (code, expected, passes) => {
  const error = Object.assign(new Error(`read ${code}`), { code })
  const found = withScarcity(error)
  if (expected === null) expect(found).toBe(error)
  else {
    const message = `the operating system refused a call of the server (${code})`
    expect(found).toMatchObject({ name: 'StorageError', code: expected, path: '', message })
    expect((found as Error).cause).toBe(error)
  }
  expect(isPassing(found)).toBe(passes)
})

test('a thread that does not start lacks descriptors', () => {
  const error = Object.assign(new Error('x'), { code: 'ERR_WORKER_INIT_FAILED' })
  expect(withScarcity(error)).toMatchObject({
    code: 'too_many_open_files',
    message: 'a thread could not start (ERR_WORKER_INIT_FAILED)',
  })
  const known = new StorageError('missing', 'a', 'gone')
  expect([withScarcity(known), withScarcity('ENOSPC')]).toEqual([known, 'ENOSPC'])
})

test('an errno has a code, or is a failure of the disk', () => {
  expect(['EDQUOT', 'EPERM', 'EEXIST', 'ENOENT', 'EOTHER'].map(storageCodeOf)).toEqual([
    'no_space',
    'permission',
    'exists',
    'missing',
    'io',
  ])
})

test('an error of the system has an errno and a code', () => {
  const own = (members: object) => Object.assign(new Error('x'), members)
  expect(isSystemError(own({ errno: -2, code: 'ENOENT' }))).toBe(true)
  for (const other of [own({ code: 'ENOENT' }), own({ errno: -2 }), own({ errno: -2, code: 2 })]) {
    expect(isSystemError(other)).toBe(false)
  }
  expect(isSystemError({ errno: -2, code: 'ENOENT' })).toBe(false)
})

test('a long message loses its middle, and no half of a character', () => {
  const most = 'x'.repeat(40_000)
  expect(abridged(most)).toBe(most)
  const long = `${'a'.repeat(30_000)}${'b'.repeat(20_000)}`
  expect(abridged(long)).toBe(`${'a'.repeat(29_999)}…${'b'.repeat(10_000)}`)
  const pairs = '🍓'.repeat(30_001)
  expect(abridged(pairs)).toBe(`${'🍓'.repeat(15_000)}…${'🍓'.repeat(5000)}`)
  const odd = `x${pairs}`
  expect(abridged(odd)).toBe(`x${'🍓'.repeat(14_999)}…${'🍓'.repeat(5000)}`)
  expect(new EngineFault('internal', long).message).toBe(abridged(long))
})
