// The growth of heaps is bounded while the process is large, and the bound changes seldom.

import { describe, expect, it } from 'vitest'
import { MiB } from '../../format/bytes/index.ts'
import { heapGrowth } from './heap-growth.ts'

describe('the growth of heaps', () => {
  it('is bounded while the process is large', () => {
    const told: number[] = []
    const look = heapGrowth((percent) => told.push(percent))
    for (const size of [80, 447, 448, 900, 448, 400, 384, 383, 383, 447]) look(size * MiB)
    expect(told).toEqual([50, 0])
    look(500 * MiB)
    expect(told).toEqual([50, 0, 50])
  })
})
