// Free memory is given back when the process has grown, seldom and one request at a time.

import { describe, expect, it } from 'vitest'
import { MiB } from '../../format/bytes/index.ts'
import { tuneAllocator } from './allocator.ts'
import { trimming } from './memory-watch.ts'

/** What was asked of the allocator so far, and its answer. */
function trimmer() {
  const waiting: (() => void)[] = []
  const look = trimming((done) => waiting.push(done))
  return { look, waiting }
}

describe('giving memory back', () => {
  it('waits until the process has grown by 16 MiB since it was smallest', () => {
    const { look, waiting } = trimmer()
    for (const size of [100, 90, 105]) look(size * MiB)
    expect(waiting).toHaveLength(0)
    look(106 * MiB)
    expect(waiting).toHaveLength(1)
  })

  it('is asked for once at a time, and forty looks after the last time', () => {
    const { look, waiting } = trimmer()
    look(100 * MiB)
    for (let i = 0; i < 60; i++) look(200 * MiB)
    expect(waiting).toHaveLength(1)
    waiting[0]!()
    // What it has now is what growth is counted from.
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

/** A library that notes what it is told. */
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
  it('is left alone where there is no such library', () => {
    const load = (): never => {
      throw new Error('no such library')
    }
    expect(tuneAllocator({}, load)).toBeNull()
  })

  it('is told its thresholds, unless the operator has set one', () => {
    const told = fakeLibrary()
    tuneAllocator({}, told.load)
    expect(told.set).toEqual([
      [-3, MiB],
      [-1, MiB],
    ])
    const left = fakeLibrary()
    tuneAllocator({ MALLOC_TRIM_THRESHOLD_: '1' }, left.load)
    expect(left.set).toEqual([])
  })

  it('gives back what is free', async () => {
    const { trimmed, load } = fakeLibrary()
    await new Promise<void>((done) => tuneAllocator({}, load)?.trim(done))
    expect(trimmed).toEqual(['int malloc_trim(size_t)'])
    // The library of this machine, where it has one.
    const allocator = tuneAllocator({ GLIBC_TUNABLES: '' })
    if (allocator !== null) await new Promise<void>((done) => allocator.trim(done))
  })
})
