// The order of records in the log and of their application, the records that wait, and the saver
// of batches.
import { describe, expect, it } from 'vitest'
import { KiB } from '../../../format/bytes/index.ts'
import { logRecordBytes } from '../../../format/log/index.ts'
import { StorageError } from '../../model/index.ts'
import { APPENDING_BYTES_MAX } from '../task-data/index.ts'
import { Appender } from './appender.ts'
import { BatchSaver } from './saver.ts'
import { MemoryTaskLog } from './test-memory-log.ts'

const payload = (bytes: number): Uint8Array => new Uint8Array(bytes)

/** A log whose records become durable in an order of the test, and the names of applied records. */
function logOf() {
  const held: { resolve: (offset: number) => void; reject: (error: unknown) => void }[] = []
  const applied: string[] = []
  const log = {
    append: () => new Promise<number>((resolve, reject) => held.push({ resolve, reject })),
  }
  const appender = new Appender(log as unknown as MemoryTaskLog)
  const append = (name: string, bytes = 10): Promise<void> =>
    appender.append(1, payload(bytes), (offset) => {
      if (name === 'bad') throw new Error('a bad record')
      applied.push(`${name} at ${offset}`)
    })
  return { held, applied, appender, append }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('an appender', () => {
  it('applies records in the order of the log', async () => {
    const { held, applied, appender, append } = logOf()
    const all = Promise.all(['a', 'b', 'c'].map((name) => append(name)))
    let isIdle = false
    void appender.idle().then(() => {
      isIdle = true
    })
    held[1]!.resolve(200)
    await turn()
    expect(applied).toEqual([])
    held[0]!.resolve(100)
    await turn()
    expect(applied).toEqual(['a at 100', 'b at 200'])
    expect([appender.reached, isIdle]).toEqual([200 + logRecordBytes(10), false])
    held[2]!.resolve(300)
    await all
    expect([appender.reached, isIdle]).toEqual([300 + logRecordBytes(10), true])
    await appender.idle()
  })

  it('rejects a record alone if the log or its application refuses it', async () => {
    const { held, applied, appender, append } = logOf()
    const [first, second, third] = [append('a'), append('bad'), append('c')]
    held[0]!.reject(new Error('a full disk'))
    held[1]!.resolve(200)
    held[2]!.resolve(300)
    await expect(first).rejects.toThrow('a full disk')
    await expect(second).rejects.toThrow('a bad record')
    await third
    expect(applied).toEqual(['c at 300'])
    expect(appender.reached).toBe(300 + logRecordBytes(10))
  })

  it('passes no record to the log while it is held', async () => {
    const { held, applied, appender, append } = logOf()
    const first = append('a')
    let isQuiet = false
    const holding = appender.hold().then(() => {
      isQuiet = true
    })
    const second = append('b')
    expect(held.length).toBe(1)
    await turn()
    expect(isQuiet).toBe(false)
    held[0]!.resolve(100)
    await Promise.all([first, holding])
    expect([held.length, isQuiet]).toEqual([1, true])
    appender.release()
    expect(held.length).toBe(2)
    held[1]!.resolve(200)
    await second
    expect(applied).toEqual(['a at 100', 'b at 200'])
  })

  it('passes a limited number of bytes to the log', async () => {
    const { held, append } = logOf()
    const half = APPENDING_BYTES_MAX / 2
    const all = Promise.all([append('a', half), append('b', half), append('c', 1), append('d', 1)])
    expect(held.length).toBe(2)
    held[0]!.resolve(1)
    await turn()
    expect(held.length).toBe(4)
    for (const { resolve } of held) resolve(2)
    await all
  })

  it('applies each of many records once while more arrive', async () => {
    const { held, applied, append } = logOf()
    const all: Promise<void>[] = []
    for (let i = 0; i < 3000; i++) {
      all.push(append(String(i)))
      // The newest record is never durable, so the list is never empty.
      if (i > 0) held[i - 1]!.resolve(i)
      if (i % 500 === 0) await turn()
    }
    held.at(-1)!.resolve(3000)
    await Promise.all(all)
    expect(applied).toEqual(Array.from({ length: 3000 }, (_, i) => `${i} at ${i + 1}`))
  })
})

describe('a saver of batches', () => {
  const batch = (name: string) => ({ name, payload: payload(KiB) }) as never
  it('saves one after another, and tries again after a failure of the log', async () => {
    const log = new MemoryTaskLog()
    const saved: unknown[] = []
    const saver = new BatchSaver(new Appender(log), (one, offset) => {
      saved.push([(one as unknown as { name: string }).name, offset])
    })
    expect(saver.isIdle).toBe(true)
    saver.add(batch('a'))
    saver.add(batch('b'))
    expect([saver.isIdle, log.appends]).toEqual([false, 1])
    await saver.flush()
    const second = 32 + logRecordBytes(KiB)
    expect(saved).toEqual([
      ['a', 32],
      ['b', second],
    ])
    expect(saver.isIdle).toBe(true)
    log.failure = new StorageError('no_space', 'tasks', 'full')
    saver.add(batch('c'))
    await expect(saver.flush()).rejects.toThrow(StorageError)
    expect(saver.isIdle).toBe(false)
    log.failure = null
    await saver.flush()
    expect(saved.at(-1)).toEqual(['c', second + logRecordBytes(KiB)])
  })
})
