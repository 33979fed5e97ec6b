// The growth of heaps: more with many documents, less while the process is large; it changes
// seldom.
import { describe, expect, it } from 'vitest'
import { KiB, MiB } from '../../format/bytes/index.ts'
import { documentsOfLargestIndex, heapGrowth, noteIndexSize } from './heap-growth.ts'

const GiB = KiB * MiB

/** Returns a function that receives sizes in MiB, and the percentages that were set. */
function noted(documents: number, memoryBytes: number) {
  const set: number[] = []
  const look = heapGrowth((percent) => set.push(percent), memoryBytes)
  const receive = (...sizes: readonly number[]): void => {
    for (const size of sizes) look({ bytes: size * MiB, documents })
  }
  return { receive, set }
}

describe('the growth of heaps', () => {
  it('is bounded while the process is large', () => {
    const { receive, set } = noted(25_000, 16 * GiB)
    receive(80, 447, 448, 900, 448, 400, 384, 383, 383, 447)
    expect(set).toEqual([50, 0])
    receive(500)
    expect(set).toEqual([50, 0, 50])
  })

  it.each([
    ['a quarter of the memory', 2, 512],
    ['a quarter of the memory', 4, 1024],
    ['a gigabyte', 24, 1024],
  ])('is larger with many documents, up to %s (%i GiB)', (_, memory, most) => {
    const { receive, set } = noted(100_000, memory * GiB)
    receive(80, most - 1)
    expect(set).toEqual([200])
    receive(most, most - 63, most - 64, most - 65)
    expect(set).toEqual([200, 50, 200])
  })

  it('is bounded at the usual size on a small machine', () => {
    const { receive, set } = noted(1_000_000, GiB)
    receive(447, 448)
    expect(set).toEqual([200, 50])
  })
})

it('the largest index is the one with the most documents so far', () => {
  const before = documentsOfLargestIndex()
  for (const [documents, most] of [
    [2, 2],
    [1, 2],
    [3, 3],
  ] as const) {
    noteIndexSize(before + documents)
    expect(documentsOfLargestIndex()).toBe(before + most)
  }
})
