// Groups of events that wait for a listener, and when it is disconnected.
import { afterEach, expect, test, vi } from 'vitest'
import { LISTENER_BYTES_MAX, LISTENER_STALL_MS } from './limits.ts'
import { Listener } from './listener.ts'

afterEach(() => void vi.restoreAllMocks())

test.each<[sizes: readonly number[], isCut: boolean]>([
  [[LISTENER_BYTES_MAX / 2, LISTENER_BYTES_MAX / 2], false],
  [[LISTENER_BYTES_MAX / 2, LISTENER_BYTES_MAX / 2, 1], true],
  [[LISTENER_BYTES_MAX + 1], false],
])('groups of %j bytes wait: disconnected %s', (sizes, isCut) => {
  const listener = new Listener(
    () => true,
    () => undefined,
  )
  for (const bytes of sizes) listener.send(new Uint8Array(bytes))
  expect(listener.disconnect.aborted).toBe(isCut)
})

test('a listener that reads nothing is disconnected after a time', () => {
  vi.spyOn(performance, 'now').mockReturnValue(5)
  const listener = new Listener(
    () => true,
    () => undefined,
  )
  listener.check(Number.MAX_SAFE_INTEGER)
  listener.send(new Uint8Array(1))
  listener.check(5 + LISTENER_STALL_MS)
  expect(listener.disconnect.aborted).toBe(false)
  listener.check(6 + LISTENER_STALL_MS)
  expect(listener.disconnect.aborted).toBe(true)
})
