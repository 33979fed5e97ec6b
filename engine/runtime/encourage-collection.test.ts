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
  let isFreed = false
  // The test holds no reference to the buffer, not even for a moment between two rounds.
  const registry = new FinalizationRegistry<null>(() => {
    isFreed = true
  })
  fillBuffer(registry)
  for (let round = 0; round < 200 && !isFreed; round++) {
    await collected()
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  expect(isFreed).toBe(true)
})

function fillBuffer(registry: FinalizationRegistry<null>): void {
  registry.register(new Uint8Array(8 << 20).fill(1).buffer, null)
}

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
