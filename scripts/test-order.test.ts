// The order of test files: the table names existing files, and the longest ones begin.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import type { TestSpecification, Vitest } from 'vitest/node'
import { LONG_TESTS } from './long-tests.table.ts'
import { LongestFirst } from './test-order.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

test('the table of long tests names existing files, the longest first', () => {
  const missing = Object.keys(LONG_TESTS).filter((file) => !existsSync(join(root, file)))
  expect(missing).toEqual([])
  const seconds = Object.values(LONG_TESTS)
  expect(seconds).toEqual(seconds.toSorted((a, b) => b - a))
})

test('isolated files begin, then a small project, then long files, in the order of the table; all others follow in the usual order', async () => {
  const files = Object.keys(LONG_TESTS)
  const others = ['format/log/log.test.ts', 'format/fst/fst.test.ts', 'engine/engine.test.ts']
  const isolated = 'engine/time/backoff.test.ts'
  // Sizes and durations are unknown, so the usual order is that of the list.
  const cache = { getFileTestResults: () => undefined, getFileStats: () => undefined }
  const vitest = { config: { root }, cache } as unknown as Vitest
  const specification = (file: string, name = 'one'): TestSpecification =>
    ({
      moduleId: join(root, file),
      project: { name, config: { isolate: file === isolated, sequence: { groupOrder: 0 } } },
    }) as TestSpecification
  const given = [...others, ...files.toReversed(), isolated].map((file) => specification(file))
  const small = 'engine/store/storage/zstd.test.ts'
  given.push(specification(small, 'small'))
  const sorted = await new LongestFirst(vitest).sort(given)
  expect(sorted.map(({ moduleId }) => moduleId)).toEqual(
    [isolated, small, ...files, ...others].map((file) => join(root, file)),
  )
})
