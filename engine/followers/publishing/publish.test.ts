// A runner with a publisher: the order of their work.
import { expect, it } from 'vitest'
import { StoreTurns } from '../../backup/objstore/index.ts'
import type { Archiver } from '../../backup/snapshot/index.ts'
import { PIECE_BYTES } from './limits.ts'
import { LogPieces } from './log-pieces.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('uploads and removals in one store do not overlap, uploads may', async () => {
  const turns = new StoreTurns()
  const done: string[] = []
  const ends: (() => void)[] = []
  const work = (name: string) => async (): Promise<void> => {
    done.push(`${name} begins`)
    await new Promise<void>((resolve) => ends.push(resolve))
    done.push(`${name} ends`)
  }
  const uploads = [turns.upload(work('a')), turns.upload(work('b'))]
  await turn()
  expect(done).toEqual(['a begins', 'b begins'])
  expect(await turns.retain(work('early'))).toBe(false)
  for (const end of ends) end()
  await Promise.all(uploads)
  turns.known = new Map()
  const removal = turns.retain(work('removal'))
  expect(turns.known).toBeNull()
  const late = turns.upload(work('late'))
  await turn()
  expect(done.slice(4)).toEqual(['removal begins'])
  expect(await turns.retain(work('second'))).toBe(false)
  ends[2]!()
  expect(await removal).toBe(true)
  await turn()
  ends[3]!()
  await late
  expect(done.slice(4)).toEqual(['removal begins', 'removal ends', 'late begins', 'late ends'])
})

it('uploads continue after a failed removal', async () => {
  const turns = new StoreTurns()
  await expect(turns.retain(() => Promise.reject(new Error('away')))).rejects.toThrow('away')
  expect(await turns.upload(() => Promise.resolve(7))).toBe(7)
})

it('full pieces of a log are not read again', async () => {
  const pieces = new LogPieces()
  let seen: number[] = []
  const digester: Archiver = {
    run: (job) => {
      seen = job.kind === 'digest' ? job.files.map(({ from }) => from!) : []
      return Promise.resolve({ bytes: 0, digests: seen.map((from) => `of ${from}`) })
    },
  }
  const of = async (path: string, bytes: number) => {
    const file = { path, bytes, level: 0, source: path }
    return (await pieces.of(file, digester, new AbortController().signal)).map((one) => one.bytes)
  }
  expect(await of('a', 2 * PIECE_BYTES + 5)).toEqual([PIECE_BYTES, PIECE_BYTES, 5])
  expect(await of('a', 2 * PIECE_BYTES + 9)).toEqual([PIECE_BYTES, PIECE_BYTES, 9])
  expect(seen).toEqual([2 * PIECE_BYTES])
  expect(await of('a', 3 * PIECE_BYTES)).toEqual([PIECE_BYTES, PIECE_BYTES, PIECE_BYTES])
  expect(await of('a', 3 * PIECE_BYTES)).toEqual([PIECE_BYTES, PIECE_BYTES, PIECE_BYTES])
  expect(seen).toEqual([])
  expect(await of('b', 7)).toEqual([7])
  expect(seen).toEqual([0])
})
