// Requests that wait for tasks: how they end, and how many there may be.
import { expect, it, onTestFinished } from 'vitest'
import { asTaskUid } from '../../format/ids.ts'
import { Canceled } from '../model/index.ts'
import { FakeDisk } from '../store/storage/index.ts'
import { addDocuments, openTestEngine } from '../testing/test-engine.ts'
import { TASK_WAITERS_MAX } from './limits.ts'
import type { LocalVisibility } from './visibility.ts'

async function opened() {
  const engine = await openTestEngine(new FakeDisk(1).mount())
  onTestFinished(() => engine.close())
  return engine
}

const HOUR_MS = 3_600_000
const never = (): boolean => false

it('ends when the condition holds after a batch', async () => {
  const engine = await opened()
  const { visibility } = engine
  const wait = { ms: HOUR_MS, signal: new AbortController().signal }
  const uid = asTaskUid(0)
  const isVisible = visibility.until(uid, () => visibility.newest(null) >= uid, wait)
  await addDocuments(engine, 'a', [{ id: 1 }])
  expect(await isVisible).toBe(true)
})

it('ends at once when its client leaves, and when the time is over', async () => {
  const { visibility } = await opened()
  const client = new AbortController()
  const waiting = visibility.until(asTaskUid(9), never, { ms: HOUR_MS, signal: client.signal })
  client.abort()
  await expect(waiting).rejects.toBeInstanceOf(Canceled)
  const gone = visibility.until(asTaskUid(9), never, { ms: HOUR_MS, signal: client.signal })
  await expect(gone).rejects.toBeInstanceOf(Canceled)
  const { signal } = new AbortController()
  expect(await visibility.until(asTaskUid(9), never, { ms: 1, signal })).toBe(false)
})

it('does not begin when too many wait, and begins again when one has left', async () => {
  const { visibility } = await opened()
  const clients = Array.from({ length: TASK_WAITERS_MAX }, () => new AbortController())
  const waiting = clients.map(({ signal }) =>
    visibility.until(asTaskUid(9), never, { ms: HOUR_MS, signal }).catch(() => 'left'),
  )
  expect(visibility.isFull).toBe(true)
  const { signal } = new AbortController()
  expect(await visibility.until(asTaskUid(9), never, { ms: HOUR_MS, signal })).toBe(false)
  clients[0]!.abort()
  expect(await waiting[0]).toBe('left')
  expect(visibility.isFull).toBe(false)
  for (const client of clients) client.abort()
  await Promise.all(waiting)
})

it('waits for a registered task once that task is there, not before', async () => {
  const engine = await opened()
  const visibility = engine.visibility as LocalVisibility
  const client = new AbortController()
  const waiting = visibility.until(asTaskUid(1), never, { ms: HOUR_MS, signal: client.signal })
  await addDocuments(engine, 'a', [{ id: 1 }])
  expect([visibility.newestKnown, visibility.isAwaited]).toEqual([0, false])
  await addDocuments(engine, 'a', [{ id: 2 }])
  expect([visibility.newestKnown, visibility.isAwaited]).toEqual([1, true])
  client.abort()
  await expect(waiting).rejects.toBeInstanceOf(Canceled)
  expect(visibility.isAwaited).toBe(false)
})
