// Garbage of a thread that has finished its work is collected without a forced collection.

import { expect, it } from 'vitest'
import { type Buffers, encourageCollection } from './encourage-collection.ts'

const collected = (buffers?: Buffers): Promise<void> =>
  new Promise((done) => encourageCollection(done, buffers))

/** Buffers of which nothing is freed before `freedAt` were allocated. */
function fakeBuffers(freedAt: number) {
  const allocated: number[] = []
  const sum = (): number => allocated.reduce((a, b) => a + b, 0)
  const bytes = (): number => (allocated.length < freedAt ? sum() : allocated.at(-1)! - 1)
  return { allocated, buffers: { bytes, allocate: (more: number) => void allocated.push(more) } }
}

it('frees buffers that nothing refers to', async () => {
  let kept: Uint8Array | null = new Uint8Array(8 << 20).fill(1)
  const buffer = new WeakRef(kept.buffer)
  expect(kept.length).toBe(8 << 20)
  kept = null
  for (let round = 0; round < 20 && buffer.deref() !== undefined; round++) {
    await new Promise((resolve) => setTimeout(resolve, 1))
    await collected()
  }
  expect(buffer.deref()).toBeUndefined()
})

it('ends when buffers were freed', async () => {
  const { allocated, buffers } = fakeBuffers(2)
  await collected(buffers)
  expect(allocated).toHaveLength(2)
})

it('ends after a few blocks if nothing is freed', async () => {
  const { allocated, buffers } = fakeBuffers(100)
  await collected(buffers)
  expect(allocated).toHaveLength(8)
})

it('ends if the system provides no more addresses', async () => {
  const failing = (error: Error): Buffers => ({
    bytes: () => 0,
    allocate: () => {
      throw error
    },
  })
  await collected(failing(new RangeError('Array buffer allocation failed')))
  const mistake = failing(new TypeError('another mistake'))
  expect(() => encourageCollection(() => undefined, mistake)).toThrow('another mistake')
})
