// The property test of ./elements.test.ts for longer, over more batches.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anyBatches, anyCondition, ElementsIndex, textOf } from './test-elements.ts'

const RUNS = 1500

it(`conditions on one element find what the definition says, ${RUNS} times`, async () => {
  await fc.assert(
    fc.asyncProperty(
      anyBatches,
      fc.array(anyCondition, { minLength: 10, maxLength: 20 }),
      fc.boolean(),
      async (batches, conditions, takesOver) => {
        const elements = new ElementsIndex()
        if (takesOver) elements.index.takeOverBytesMax = 1 << 20
        for (const batch of batches) await elements.run(batch)
        for (const isMerged of [false, true]) {
          if (isMerged) await elements.index.merge()
          for (const condition of conditions) {
            const filter = textOf(condition)
            expect(elements.found(filter), filter).toEqual(elements.expected(condition))
          }
        }
      },
    ),
    { numRuns: RUNS },
  )
}, 600_000)
