// SVC_RUNTIME_TUNING=off leaves V8 as it is, in this process and in its threads.
import { expect, it, vi } from 'vitest'

const set = vi.hoisted(() => vi.fn())
vi.mock('node:v8', async (original) => ({
  ...(await original<typeof import('node:v8')>()),
  setFlagsFromString: set,
}))

it.each([
  ['off', 0],
  ['', 3],
])('with %j, %i flags are set', async (value, count) => {
  vi.resetModules()
  vi.stubEnv('SVC_RUNTIME_TUNING', value)
  set.mockClear()
  const { leanCompilation, growYoungHeap } = await import('./index.ts')
  leanCompilation.begin()
  expect(set).toHaveBeenCalledTimes(count)
  const rounds = growYoungHeap(() => 0)
  expect(rounds > 0).toBe(count > 0)
})
