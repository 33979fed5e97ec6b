// The young heap of the main thread stops growing, once.

import { expect, it } from 'vitest'
import { MiB } from '../../format/bytes/index.ts'
import { growYoungHeap, youngHeapBound } from './young-heap.ts'

it('stops when it has 8 MiB, and is told so once', () => {
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

it('knows how large the heap is', () => {
  let isStopped = false
  const look = youngHeapBound(undefined, () => {
    isStopped = true
  })
  // Survivors make V8 give the young heap more room.
  const survivors: object[] = []
  for (let i = 0; i < 2_000_000 && !isStopped; i++) {
    survivors.push({ i })
    if (i % 10_000 === 0) look()
  }
  expect(isStopped).toBe(true)
})

it('is grown on request, and not beyond what it may have', () => {
  growYoungHeap()
  expect(growYoungHeap()).toBe(0)
  expect(growYoungHeap(() => MiB)).toBeLessThan(100)
})
