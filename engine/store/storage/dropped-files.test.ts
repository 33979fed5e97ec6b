// Dropped files: the runtime's own collections come first, within limits.

import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { MiB } from '../../../format/bytes/index.ts'
import { type DroppedFile, DroppedFiles } from './dropped-files.ts'

const MEBIBYTE = MiB

/** Files whose memory exists until `isFreed` says otherwise, and a clock. */
class Setup {
  isFreed = false
  collections = 0
  readonly released: ArrayBufferLike[] = []
  readonly files = new DroppedFiles({
    collect: () => void this.collections++,
    release: (memory) => void this.released.push(memory),
    checkMs: 1000,
  })

  file(bytes: number): DroppedFile {
    const memory = new ArrayBuffer(8)
    const deref = (): ArrayBuffer | undefined => (this.isFreed ? undefined : memory)
    return { memory: { deref } as WeakRef<ArrayBuffer>, bytes }
  }
}

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

it('release their pages immediately, unless they are collected already', () => {
  const setup = new Setup()
  const file = setup.file(MEBIBYTE)
  setup.files.add([file])
  expect(setup.released).toEqual([file.memory.deref()])
  setup.isFreed = true
  setup.files.add([setup.file(MEBIBYTE)])
  expect(setup.released).toHaveLength(1)
})

it('are not collected when the runtime has done so', () => {
  const setup = new Setup()
  setup.files.add([setup.file(1000 * MEBIBYTE)])
  setup.isFreed = true
  vi.advanceTimersByTime(600_000)
  expect(setup.collections).toBe(0)
})

it('are collected after twelve checks, once', () => {
  const setup = new Setup()
  setup.files.add([setup.file(MEBIBYTE)])
  vi.advanceTimersByTime(6000)
  setup.files.add([setup.file(MEBIBYTE)])
  vi.advanceTimersByTime(5500)
  expect(setup.collections).toBe(0)
  vi.advanceTimersByTime(500)
  expect(setup.collections).toBe(1)
  vi.advanceTimersByTime(600_000)
  expect(setup.collections).toBe(1)
})

it.each([
  ['collected by force', () => vi.advanceTimersByTime(12_000), 1],
  [
    'collected by the runtime',
    (setup: Setup) => {
      vi.advanceTimersByTime(11_000)
      setup.isFreed = true
      vi.advanceTimersByTime(1000)
      setup.isFreed = false
    },
    0,
  ],
])('are given twelve checks again after all were %s', (_name, prepare, before) => {
  const setup = new Setup()
  setup.files.add([setup.file(MEBIBYTE)])
  prepare(setup)
  setup.files.add([setup.file(MEBIBYTE)])
  vi.advanceTimersByTime(11_000)
  expect(setup.collections).toBe(before)
  vi.advanceTimersByTime(1000)
  expect(setup.collections).toBe(before + 1)
})

it('need no check if no file was dropped', () => {
  const { files } = new Setup()
  files.add([])
  expect(vi.getTimerCount()).toBe(0)
})

it.each([
  [64 * MEBIBYTE, 0],
  [64 * MEBIBYTE + 1, 1],
])('of %i bytes are collected %i times at the first check', (bytes, collections) => {
  const setup = new Setup()
  setup.files.add([setup.file(bytes - 8), setup.file(8)])
  vi.advanceTimersByTime(1000)
  expect(setup.collections).toBe(collections)
})

it('are collected soon when they are large', () => {
  const setup = new Setup()
  setup.files.add([setup.file(40 * MEBIBYTE)])
  vi.advanceTimersByTime(5000)
  expect(setup.collections).toBe(0)
  setup.files.add([setup.file(40 * MEBIBYTE)])
  vi.advanceTimersByTime(1000)
  expect(setup.collections).toBe(1)
})

it('are checked again when more files are dropped', () => {
  const setup = new Setup()
  for (let round = 1; round <= 3; round++) {
    setup.files.add([setup.file(100 * MEBIBYTE)])
    vi.advanceTimersByTime(1000)
    expect(setup.collections).toBe(round)
  }
})
