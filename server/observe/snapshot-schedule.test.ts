// Scheduled snapshots, with a clock that the tests set.
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { scheduleSnapshots } from './snapshot-schedule.ts'

const DAY_MS = 86_400_000

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

function scheduled(seconds: number | null, isRefused = false) {
  const enqueued: unknown[] = []
  const said: string[] = []
  const enqueue = (request: unknown) => {
    enqueued.push(request)
    return isRefused ? Promise.reject(new Error('the disk is full')) : Promise.resolve({} as never)
  }
  const end = scheduleSnapshots({ enqueue }, seconds, (message) => said.push(message))
  return { enqueued, said, end }
}

describe('a schedule', () => {
  it('begins after one interval and continues', () => {
    const { enqueued, end } = scheduled(60)
    vi.advanceTimersByTime(59_999)
    expect(enqueued).toEqual([])
    vi.advanceTimersByTime(1)
    expect(enqueued).toEqual([
      { indexUid: null, content: { kind: 'snapshotCreation' }, customMetadata: null },
    ])
    vi.advanceTimersByTime(120_000)
    expect(enqueued).toHaveLength(3)
    end()
    vi.advanceTimersByTime(600_000)
    expect(enqueued).toHaveLength(3)
  })

  it('can be longer than a timer accepts', () => {
    const { enqueued, end } = scheduled(60 * 86_400)
    vi.advanceTimersByTime(60 * DAY_MS - 1)
    expect(enqueued).toEqual([])
    vi.advanceTimersByTime(1)
    expect(enqueued).toHaveLength(1)
    end()
  })

  it('continues when a task is refused, and logs it', async () => {
    const { enqueued, said, end } = scheduled(60, true)
    await vi.advanceTimersByTimeAsync(120_000)
    expect(enqueued).toHaveLength(2)
    expect(said[0]).toBe('Error while registering snapshot: Error: the disk is full')
    end()
  })

  it('without an interval does nothing', () => {
    const { enqueued, end } = scheduled(null)
    vi.advanceTimersByTime(10 * DAY_MS)
    expect(enqueued).toEqual([])
    end()
  })
})
