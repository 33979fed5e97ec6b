// Failures of the disk and the machine while tasks run: accepted changes wait until the failure has
// ended, and then succeed without a restart.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Fault } from '../store/storage/fake-failures.ts'
import { FakeDisk } from '../store/storage/index.ts'
import {
  addDocuments,
  allTasks,
  documentsOf,
  enqueue,
  openTestEngine,
  type TestEngine,
} from './test-engine.ts'

const TIMES = 5
const FAULTS: readonly Fault[] = [
  { on: 'write', errno: 'ENOSPC', path: 'manifest' },
  { on: 'sync', errno: 'EIO', path: 'manifest' },
  { on: 'open', errno: 'EMFILE', path: 'segments/' },
  { on: 'write', errno: 'ENOSPC', path: 'segments/', part: 100 },
  { on: 'open', errno: 'EROFS', path: 'segments/' },
]

let disk: FakeDisk
let engine: TestEngine
let notes: string[]
beforeEach(async () => {
  disk = new FakeDisk(1)
  notes = []
  engine = await openTestEngine(disk.mount(), {
    retryPauseMs: 1,
    note: (message) => notes.push(message),
  })
})
afterEach(() => engine.close())

/** Larger than the segments that are stored in the manifest. */
const LARGE = Array.from({ length: 3000 }, (_, id) => ({ id, text: `word${id} `.repeat(10) }))

describe('accepted changes wait', () => {
  it.each(FAULTS)('while $on fails with $errno ($path)', async (fault) => {
    await addDocuments(engine, 'books', LARGE)
    await engine.idle()
    disk.fail({ ...fault, times: TIMES })
    await addDocuments(engine, 'books', [...LARGE, { id: 'new' }])
    const patch = { searchableAttributes: ['id'] }
    await enqueue(engine, 'books', { kind: 'settingsUpdate', patch } as never)
    await enqueue(engine, 'more', { kind: 'indexCreation', primaryKey: null })
    await engine.idle()
    const statuses = (await allTasks(engine)).map(({ status, error }) => error?.code ?? status)
    expect(statuses).toEqual(['succeeded', 'succeeded', 'succeeded', 'succeeded'])
    expect(await documentsOf(engine, 'books')).toHaveLength(3001)
    expect(notes.at(-1)).toBe('Tasks run again.')
    expect(engine.administration.measures().isRetrying).toBe(false)
  })

  it('on a full disk until it has space', async () => {
    await addDocuments(engine, 'books', LARGE)
    disk.capacity = disk.usedBytes + 20_000
    const waits = (): boolean => engine.administration.measures().isRetrying
    for (let i = 0; i < 1000 && !waits(); i++) await new Promise((next) => setTimeout(next, 1))
    expect(waits()).toBe(true)
    disk.capacity = Number.POSITIVE_INFINITY
    await engine.idle()
    expect(await documentsOf(engine, 'books')).toHaveLength(3000)
    expect(notes).toEqual([
      expect.stringMatching(/no space left.*: free space/),
      'Tasks run again.',
    ])
  })
})
