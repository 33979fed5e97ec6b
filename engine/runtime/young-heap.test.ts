// The young heap of the main thread stops growing, once.
import { expect, it } from 'vitest'
import { MiB } from '../../format/bytes/index.ts'
import { growYoungHeap, youngHeapBound } from './young-heap.ts'

it('stops growth once, at 8 MiB', () => {
  const sizes = [2, 4, 7, 8, 16, 4, 16].map((size) => size * MiB)
  const stoppedAt: number[] = []
  let looks = 0
  const look = youngHeapBound(
    () => sizes[looks]!,
    () => stoppedAt.push(sizes[looks]!),
  )
  for (; looks < sizes.length; looks++) look()
  expect(stoppedAt).toEqual([8 * MiB])
})

it('returns the size of the young heap', () => {
  let isStopped = false
  const look = youngHeapBound(undefined, () => {
    isStopped = true
  })
  // Surviving objects make V8 enlarge the young heap.
  const survivors: object[] = []
  for (let i = 0; i < 2_000_000 && !isStopped; i++) {
    survivors.push({ i })
    if (i % 10_000 === 0) look()
  }
  expect(isStopped).toBe(true)
})

it('grows on request, up to its limit', () => {
  growYoungHeap()
  expect(growYoungHeap()).toBe(0)
  expect(growYoungHeap(() => MiB)).toBe(24)
  let looks = 0
  expect(growYoungHeap(() => (looks++ < 2 ? 8 * MiB - 1 : 8 * MiB))).toBe(2)
})
