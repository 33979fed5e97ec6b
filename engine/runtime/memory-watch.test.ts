// Free memory is returned when the process has grown, seldom and one request at a time.
import { availableParallelism } from 'node:os'
import { describe, expect, it } from 'vitest'
import { MiB } from '../../format/bytes/index.ts'
import { tuneAllocator } from './allocator.ts'
import { trimming } from './memory-watch.ts'

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

describe.runIf(process.platform === 'linux')('the allocator', () => {
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
