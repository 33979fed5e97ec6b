// A runner with a publisher beside it: what is done in which order.
import { expect, it } from 'vitest'
import { StoreTurns } from '../backup/objstore/index.ts'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

it('uploads and removals in one place do not overlap, uploads may', async () => {
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

it('a removal that fails lets uploads go on', async () => {
  const turns = new StoreTurns()
  await expect(turns.retain(() => Promise.reject(new Error('away')))).rejects.toThrow('away')
  expect(await turns.upload(() => Promise.resolve(7))).toBe(7)
})
