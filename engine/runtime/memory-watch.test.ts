// Memory is watched: free memory is returned when the process has grown, seldom and one request at a
// time, and flags change after a pause.
import { availableParallelism } from 'node:os'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MiB } from '../../format/bytes/index.ts'
import { tuneAllocator } from './allocator.ts'
import { documentsOfLargestIndex, noteIndexSize } from './heap-growth.ts'
import { ownBytes, returnFreeMemory, trimming, watchMemory } from './memory-watch.ts'

/** A fake trim function: counts its calls and completes them on request. */
function trimmer() {
  const waiting: (() => void)[] = []
  const { sample: look, request } = trimming((done) => waiting.push(done))
  return { look, request, waiting }
}

describe('returning memory', () => {
  it('waits until the process has grown by 16 MiB since its smallest size', () => {
    const { look, waiting } = trimmer()
    for (const size of [100, 90, 105]) look(size * MiB)
    expect(waiting).toHaveLength(0)
    look(106 * MiB)
    expect(waiting).toHaveLength(1)
  })

  it('trims once at a time, and not within forty samples of the last time', () => {
    const { look, waiting } = trimmer()
    look(100 * MiB)
    for (let i = 0; i < 60; i++) look(200 * MiB)
    expect(waiting).toHaveLength(1)
    waiting[0]!()
    // Growth is counted from the size after the trim.
    for (const size of [300, 315]) look(size * MiB)
    expect(waiting).toHaveLength(1)
    look(316 * MiB)
    expect(waiting).toHaveLength(2)
    waiting[1]!()
    look(100 * MiB)
    for (let i = 0; i < 38; i++) look(200 * MiB)
    expect(waiting).toHaveLength(2)
    look(200 * MiB)
    expect(waiting).toHaveLength(3)
  })
})

it('memory is returned on request, also while it is being returned', () => {
  const { look, request, waiting } = trimmer()
  look(100 * MiB)
  request()
  expect(waiting).toHaveLength(1)
  request()
  request()
  expect(waiting).toHaveLength(1)
  waiting[0]!()
  expect(waiting).toHaveLength(2)
  waiting[1]!()
  expect(waiting).toHaveLength(2)
})

/** A fake C library that records its calls. */
function fakeLibrary() {
  const set: (readonly number[])[] = []
  const trimmed: string[] = []
  const func = (prototype: string) =>
    Object.assign((...values: readonly number[]) => set.push(values), {
      async: (_: number, done: (error: unknown) => void) => {
        trimmed.push(prototype)
        done(null)
      },
    })
  return { set, trimmed, load: () => ({ load: () => ({ func }) }) }
}

describe('the memory of the process', () => {
  beforeEach(() => void vi.useFakeTimers())
  afterEach(() => void vi.useRealTimers())

  /** Watches memory of which each sample has the next size; the last one remains. */
  function watched(sizes: readonly (number | null)[], hasAllocator = true) {
    const calls: unknown[] = []
    let samples = 0
    const trim = (done: () => void): void => {
      calls.push('trim')
      done()
    }
    watchMemory(
      { NAME: 'value' },
      {
        bytes: () => sizes[Math.min(samples++, sizes.length - 1)]!,
        boundHeaps: (size) => void calls.push(size),
        boundYoung: () => void calls.push('young'),
        tune: (environment) => {
          calls.push(environment)
          return hasAllocator ? { trim } : null
        },
      },
    )
    const passed = (ms: number): readonly unknown[] => {
      vi.advanceTimersByTime(ms)
      return calls.splice(0)
    }
    return { passed, samples: () => samples }
  }

  it('is not watched where the system does not report it', () => {
    watched([null])
    expect(vi.getTimerCount()).toBe(0)
  })

  it('bounds heaps with each sample, after six seconds', () => {
    noteIndexSize(5)
    const { passed, samples } = watched([1, 2])
    expect([passed(999), samples()]).toEqual([[], 1 + 3])
    expect(passed(1)).toEqual([{ NAME: 'value' }])
    expect(passed(4999)).toEqual([])
    const sample = [{ bytes: 2, documents: documentsOfLargestIndex() }, 'young']
    expect(passed(1)).toEqual(sample)
    expect(passed(500)).toEqual([...sample, ...sample])
  })

  it('has samples that the system does not report', () => {
    const { passed } = watched([1, null])
    expect(passed(10_000)).toEqual([{ NAME: 'value' }])
  })

  it('is returned on request and when it has grown, if there is an allocator for it', () => {
    const without = watched([MiB], false)
    returnFreeMemory()
    expect(without.passed(1000)).toEqual([{ NAME: 'value' }])
    returnFreeMemory()
    expect(without.passed(0)).toEqual([])
    const { passed } = watched([...Array(10).fill(MiB), 17 * MiB])
    returnFreeMemory()
    expect(passed(1000)).toEqual([{ NAME: 'value' }])
    returnFreeMemory()
    expect(passed(0)).toEqual(['trim'])
    vi.clearAllTimers()
    const grown = watched([MiB, MiB, MiB, MiB, MiB, MiB, 17 * MiB])
    expect(grown.passed(1250)).toEqual([{ NAME: 'value' }])
    expect(grown.passed(250)).toEqual(['trim'])
  })
})

describe.runIf(process.platform === 'linux')('the allocator', () => {
  it('has the resident memory of this process', () => {
    const bytes = ownBytes()!
    expect(bytes).toBeGreaterThan(8 * MiB)
    expect(bytes).toBeLessThanOrEqual(4 * process.memoryUsage().rss)
  })

  it('is left alone if its library cannot be loaded', () => {
    expect(tuneAllocator({}, () => null)).toBeNull()
  })

  it('is left alone if the library does not exist', () => {
    const load = (): never => {
      throw new Error('no such library')
    }
    expect(tuneAllocator({}, load)).toBeNull()
  })

  const thresholds = [
    [-3, MiB],
    [-1, MiB],
  ]
  const areas = [[-8, Math.max(2, availableParallelism())]]

  it.each([
    ['nothing', [...thresholds, ...areas]],
    ['MALLOC_TRIM_THRESHOLD_', areas],
    ['MALLOC_ARENA_MAX', thresholds],
    ['GLIBC_TUNABLES', []],
  ])('gets its parameters unless the operator has set them: %s', (name, expected) => {
    const { set, load } = fakeLibrary()
    tuneAllocator({ [name]: '1' }, load)
    expect(set).toEqual(expected)
  })

  it('returns free memory', async () => {
    const { trimmed, load } = fakeLibrary()
    await new Promise<void>((done) => tuneAllocator({}, load)?.trim(done))
    expect(trimmed).toEqual(['int malloc_trim(size_t)'])
    // Uses the library of this machine if there is one.
    const allocator = tuneAllocator({ GLIBC_TUNABLES: '' })
    if (allocator !== null) await new Promise<void>((done) => allocator.trim(done))
  })
})
