// The copy of a task log: records are read by their offsets, and added only in memory.
import { expect, it } from 'vitest'
import { InvariantError } from '../../format/errors.ts'
import { LogCopy } from './log-copy.ts'

const entryAt = (offset: number) => ({ offset, type: 1, payload: Uint8Array.of(offset % 256) })

async function scanned(log: LogCopy, from: number, to: number): Promise<readonly number[][]> {
  const portions: number[][] = []
  for await (const portion of log.scan(from, to)) portions.push(portion.map(({ offset }) => offset))
  return portions
}

it('records are read by their offset', async () => {
  const entries = [entryAt(40), entryAt(90)]
  const log = new LogCopy(entries, 140)
  expect(await log.read(90)).toEqual(entries[1])
  expect(() => log.read(41)).toThrow(new InvariantError('a record begins at 41'))
})

it('added records follow the last one, and do not change the source', async () => {
  const entries = [entryAt(40)]
  const log = new LogCopy(entries, 90)
  const first = await log.append(2, new Uint8Array(3))
  const second = await log.append(3, new Uint8Array(0))
  expect([first, second, log.bytes, entries.length]).toEqual([90, 94, 95, 1])
  expect(await log.read(first)).toEqual({ type: 2, payload: new Uint8Array(3), offset: 90 })
  expect(await scanned(log, 0, log.bytes)).toEqual([[40, 90, 94]])
})

it('records are scanned between two offsets, in portions', async () => {
  const many = Array.from({ length: 1500 }, (_, i) => entryAt(40 + i))
  const log = new LogCopy(many, 1540)
  expect(await scanned(log, 41, 43)).toEqual([[41, 42]])
  expect(await scanned(log, 43, 43)).toEqual([])
  const all = await scanned(log, 40, 1540)
  expect(all.map(({ length }) => length)).toEqual([1024, 476])
  expect(all.flat()).toEqual(many.map(({ offset }) => offset))
})

it('a copy is not rewritten', async () => {
  const log = new LogCopy([], 0)
  await expect(log.rotate()).rejects.toThrow(new InvariantError('a copy is not rewritten'))
  await log.close()
})
