// The ceiling of a search thread's heap is that of the process, or less.
import { getHeapStatistics } from 'node:v8'
import { Worker } from 'node:worker_threads'
import { expect, it } from 'vitest'
import { MiB } from '../../format/bytes/index.ts'
import { searchHeapMegabytes } from './search-heap.ts'

it('a heap with this ceiling grows less between collections than one of 2 GiB', async () => {
  const megabytes = searchHeapMegabytes()
  expect(megabytes).toBeLessThan(2048)
  expect(megabytes * MiB).toBeLessThanOrEqual(getHeapStatistics().heap_size_limit)
  const worker = new Worker('', {
    eval: true,
    resourceLimits: { maxOldGenerationSizeMb: megabytes },
  })
  expect(worker.resourceLimits?.maxOldGenerationSizeMb).toBe(megabytes)
  await worker.terminate()
})
