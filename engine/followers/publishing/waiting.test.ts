// Writes that wait until they are published, and requests that stay until then.
import { describe, expect, it } from 'vitest'
import { asTaskUid } from '../../../format/ids.ts'
import { UnpublishedWrites } from './unpublished.ts'
import { Waiting } from './waiting.ts'

const NOT_PUBLISHED = { code: 'write_not_published' }

describe('a write that waits', () => {
  it('is covered by a publication that begins after it, and by no earlier one', async () => {
    let woken = 0
    const waiting = new Waiting(60_000, () => woken++)
    const done: string[] = []
    const wait = (name: string) => waiting.wait().then(() => done.push(name))
    const first = wait('first')
    const published = waiting.begin()
    const second = wait('second')
    published()
    await first
    expect(done).toEqual(['first'])
    expect(waiting.isEmpty).toBe(false)
    waiting.begin()()
    await second
    expect(done).toEqual(['first', 'second'])
    expect([woken, waiting.isEmpty]).toEqual([2, true])
  })

  it('waits for the next publication after one that failed, up to a limit', async () => {
    const waiting = new Waiting(30, () => undefined)
    const write = waiting.wait()
    waiting.begin()
    await expect(write).rejects.toMatchObject(NOT_PUBLISHED)
    expect(waiting.isEmpty).toBe(true)
  })

  it('fails when nothing will be published any more', async () => {
    const waiting = new Waiting(60_000, () => undefined)
    const write = waiting.wait()
    waiting.fail()
    await expect(write).rejects.toMatchObject(NOT_PUBLISHED)
  })
})

describe('the request of a task that has ended', () => {
  it('is removed when a state that holds the task is published', async () => {
    const removed: number[] = []
    const bodies = {
      list: async () => [1, 2, 3],
      remove: async (file: number) => void removed.push(file),
    }
    const writes = new UnpublishedWrites(bodies, asTaskUid(4))
    await writes.remove(1)
    const published = writes.cut()
    await writes.remove(2)
    expect(removed).toEqual([])
    await published(asTaskUid(7))
    expect([removed, writes.from]).toEqual([[1], 7])
    await writes.cut()(asTaskUid(8))
    expect([removed, writes.from]).toEqual([[1, 2], 8])
  })
})
