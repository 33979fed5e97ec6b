// Sweeps of expired documents: which indexes, and never beside a batch.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { asIndexNo } from '../../format/ids.ts'
import { defaultSettings, encodeSettings } from '../settings/index.ts'
import { applied, stateOf } from '../task-kinds/kind/test-states.ts'
import { ExpirySweeps, type SweepParts } from './expiry-sweeps.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] }))
afterEach(() => void vi.useRealTimers())

function deferred<T>() {
  let resolve: (value: T) => void = () => undefined
  let reject: (error: Error) => void = () => undefined
  const promise = new Promise<T>((...settle) => {
    resolve = settle[0]
    reject = settle[1]
  })
  return { promise, resolve, reject }
}

/** Indexes a and c have documents that expire; `hold` lets jobs wait. */
function world() {
  const settings = encodeSettings({ ...defaultSettings(), expiresAtAttribute: 'until' })
  const state = applied(
    stateOf(['a', 'b', 'c']),
    [1, 3].map((index) => ({ kind: 'settings-set', index: asIndexNo(index), settings })),
  )
  const swept: string[] = []
  const reports: unknown[] = []
  let failure: Error | null = null
  let hold: Promise<void> | null = null
  const sweeps = new ExpirySweeps({
    manifest: { state },
    merger: { offer: () => ({ offer: null, [Symbol.dispose]: () => undefined }) },
    views: { lease: () => null },
    indexing: {
      run: async ({ view }: { readonly view: { readonly uid: string } }) => {
        swept.push(view.uid)
        await hold
        if (failure !== null) throw failure
        return { deleted: 0, segments: [] }
      },
    },
    wallMs: () => 5000,
    report: (message: string, error: unknown) => void reports.push([message, error]),
  } as unknown as SweepParts)
  const held = () => {
    const { promise, resolve } = deferred<void>()
    hold = promise
    return resolve
  }
  return { sweeps, swept, reports, held, fail: (error: Error | null) => void (failure = error) }
}

const turns = async (): Promise<void> => {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setImmediate(resolve))
}

test('a sweep visits the indexes with the setting, at each minute until it is stopped', async () => {
  const { sweeps, swept } = world()
  await sweeps.sweep()
  expect(swept).toEqual(['a', 'c'])
  sweeps.start()
  vi.advanceTimersByTime(59_999)
  await turns()
  expect(swept).toHaveLength(2)
  vi.advanceTimersByTime(1)
  await turns()
  expect(swept).toHaveLength(4)
  await sweeps.stop()
  vi.advanceTimersByTime(60_000)
  await turns()
  expect(swept).toHaveLength(4)
  await sweeps.sweep()
  expect(swept).toHaveLength(4)
})

test('a sweep that is due while batches run follows the last of them', async () => {
  const { sweeps, swept } = world()
  const ends = [deferred<number>(), deferred<number>()]
  const [first, second] = ends.map(({ promise }) => sweeps.beside(() => promise))
  await sweeps.sweep()
  ends[0]!.resolve(1)
  expect(await first).toBe(1)
  await turns()
  expect(swept).toEqual([])
  ends[1]!.reject(new Error('failed'))
  await expect(second).rejects.toThrow('failed')
  await turns()
  expect(swept).toEqual(['a', 'c'])
  await sweeps.beside(async () => 3)
  await turns()
  expect(swept).toHaveLength(2)
})

test('a batch waits for the index that is swept, and the rest of the sweep for the batch', async () => {
  const { sweeps, swept, held } = world()
  const release = held()
  const sweeping = sweeps.sweep()
  const events: string[] = []
  const batch = sweeps.beside(async () => void events.push('batch'))
  await turns()
  expect([swept, events]).toEqual([['a'], []])
  release()
  await sweeping
  await batch
  expect(events).toEqual(['batch'])
  await turns()
  expect(swept).toEqual(['a', 'a', 'c'])
})

test('sweeps run one after another', async () => {
  const { sweeps, swept, held } = world()
  const release = held()
  const both = [sweeps.sweep(), sweeps.sweep()]
  await turns()
  expect(swept).toEqual(['a'])
  release()
  await Promise.all(both)
  expect(swept).toEqual(['a', 'c', 'a', 'c'])
})

test('a failure is reported for each index, but not after the end', async () => {
  const { sweeps, swept, reports, held, fail } = world()
  const error = new Error('no')
  fail(error)
  await sweeps.sweep()
  const words = 'Expired documents could not be deleted yet.'
  expect(reports).toEqual([
    [words, error],
    [words, error],
  ])
  const release = held()
  const sweeping = sweeps.sweep()
  const stopped = sweeps.stop()
  release()
  await Promise.all([sweeping, stopped])
  expect([swept.length, reports.length]).toEqual([3, 2])
})
