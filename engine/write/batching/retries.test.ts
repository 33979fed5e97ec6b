// Repeats of failed batches: their pauses, and their messages.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { StorageError } from '../../model/index.ts'
import { RETRY_PAUSE_MS_MAX, RETRY_PAUSE_MS_MIN } from '../task-data/index.ts'
import { Retries } from './index.ts'

const full = new StorageError('no_space', 'a', 'the disk is full')

let messages: (readonly [how: string, message: string, error?: unknown])[]
let retries: Retries

beforeEach(() => {
  vi.useFakeTimers()
  messages = []
  retries = new Retries({
    report: (message, error) => messages.push(['report', message, error]),
    note: (message) => messages.push(['note', message]),
  })
})
afterEach(() => {
  vi.useRealTimers()
})

/** Returns the milliseconds of a pause. */
async function pauseMs(
  error: unknown = full,
  hurry: () => void = () => undefined,
): Promise<number> {
  const begun = Date.now()
  const over = retries.afterFailure(error).then(() => Date.now() - begun)
  hurry()
  await vi.runAllTimersAsync()
  return over
}

it('pauses grow to a limit, and begin anew after a success', async () => {
  const pauses: number[] = []
  for (let i = 0; i < 8; i++) pauses.push(await pauseMs())
  expect(pauses).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, RETRY_PAUSE_MS_MAX])
  retries.succeeded(true)
  expect(await pauseMs()).toBe(RETRY_PAUSE_MS_MIN)
})

it('says once that tasks wait, and once that they run', async () => {
  retries.succeeded(true)
  expect(messages).toEqual([])
  await pauseMs()
  await pauseMs()
  retries.succeeded(true)
  retries.succeeded(true)
  await pauseMs()
  const waits =
    'Tasks wait and are tried again, because the disk is full: ' +
    'free space on the disk of the database, or raise its quota.'
  expect(messages).toEqual([
    ['note', waits],
    ['note', 'Tasks run again.'],
    ['note', waits],
  ])
})

it('says each cause once until it is over', async () => {
  const failing = new StorageError('io', 'a', 'the disk fails')
  for (const error of [full, failing, full, failing]) {
    await pauseMs(error)
    retries.succeeded(false)
    expect(await pauseMs(error)).toBe(RETRY_PAUSE_MS_MIN)
  }
  retries.succeeded(true)
  expect(messages.map(([, message]) => message)).toEqual([
    expect.stringContaining('the disk is full'),
    expect.stringContaining('the disk fails'),
    'Tasks run again.',
  ])
})

it('reports what does not pass by itself', async () => {
  const defect = new TypeError('a defect')
  await pauseMs(defect)
  expect(messages).toEqual([['report', 'The task queue failed and tries again.', defect]])
})

it('reports everything without a receiver of notes', async () => {
  retries = new Retries({ report: (message, error) => messages.push(['report', message, error]) })
  await pauseMs()
  retries.succeeded(true)
  expect(messages.map(([how, , error]) => [how, error])).toEqual([
    ['report', null],
    ['report', null],
  ])
})

it('pauses as long as the options say', async () => {
  retries = new Retries({ report: () => undefined, retryPauseMs: 7 })
  expect([await pauseMs(), await pauseMs()]).toEqual([7, 7])
})

it('a hurry ends the pause, and not the next one', async () => {
  expect(await pauseMs(full, () => retries.hurry())).toBe(0)
  expect(vi.getTimerCount()).toBe(0)
  expect(await pauseMs()).toBe(1000)
})

it('a hurry during an attempt ends the pause after it', async () => {
  await pauseMs()
  retries.hurry()
  expect(await pauseMs()).toBe(0)
  expect(await pauseMs()).toBe(2000)
})

it('a hurry without a failure, or before a success, ends nothing', async () => {
  retries.hurry()
  expect(await pauseMs()).toBe(RETRY_PAUSE_MS_MIN)
  retries.hurry()
  retries.succeeded(true)
  expect(await pauseMs()).toBe(RETRY_PAUSE_MS_MIN)
})
