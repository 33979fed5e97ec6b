// A change whose records a disk refuses is recorded later, and handled as recorded once.
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { StorageError } from '../../model/index.ts'
import type { TopologyChange } from '../records/index.ts'
import { RECORD_AGAIN_MS } from './limits.ts'
import { TakeUp } from './take-up.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

const full = (): StorageError => new StorageError('io', 'x', 'no space left')
const change = { uid: 3 } as unknown as TopologyChange

/** `refusals`: by attempt, the step that the disk refuses. */
function taking(...refusals: readonly ('record' | 'recorded' | 'fault')[]) {
  const left = [...refusals]
  const steps: string[] = []
  const step = async (name: 'record' | 'recorded'): Promise<void> => {
    steps.push(name)
    if (left[0] === 'fault') throw new Error('a fault')
    if (left[0] !== name) return
    left.shift()
    throw full()
  }
  const takeUp = new TakeUp({ record: () => step('record'), recorded: () => step('recorded') })
  return { takeUp, steps }
}

it('makes the records and handles the change', async () => {
  const { takeUp, steps } = taking()
  await takeUp.begin(change)
  expect(steps).toEqual(['record', 'recorded'])
  expect(takeUp.unrecorded).toBeNull()
})

it.each([
  ['record', ['record']],
  ['recorded', ['record', 'recorded']],
] as const)('tries again when the disk refuses %s', async (refused, first) => {
  const { takeUp, steps } = taking(refused, refused)
  await takeUp.begin(change)
  expect(steps).toEqual(first)
  expect(takeUp.unrecorded).toBe(change)
  await vi.advanceTimersByTimeAsync(RECORD_AGAIN_MS)
  expect(takeUp.unrecorded).toBe(change)
  await vi.advanceTimersByTimeAsync(RECORD_AGAIN_MS)
  expect(steps).toEqual([...first, ...first, 'record', 'recorded'])
  expect(takeUp.unrecorded).toBeNull()
  await vi.advanceTimersByTimeAsync(2 * RECORD_AGAIN_MS)
  expect(steps).toHaveLength(2 * first.length + 2)
})

it('ends the attempts when it is closed, and passes other errors on', async () => {
  const { takeUp, steps } = taking('record')
  await takeUp.begin(change)
  takeUp.close()
  await vi.advanceTimersByTimeAsync(2 * RECORD_AGAIN_MS)
  expect(steps).toEqual(['record'])
  await expect(taking('fault').takeUp.begin(change)).rejects.toThrow('a fault')
})
