// An index thread returns its memory after large work, and only then.
import { expect, it } from 'vitest'
import { AfterWork } from './after-work.ts'

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))
function counted() {
  const held: number[] = []
  let ends = 0
  let collections = 0
  let time = 0
  const work = new AfterWork({
    held: (mebibytes) => void held.push(mebibytes),
    endBuilders: () => {
      ends++
    },
    collect: (done) => {
      collections++
      done()
    },
    now: () => time,
  })
  const workFor = (ms: number) => (): void => {
    time += ms
  }
  return { work, workFor, held, ends: () => ends, collections: () => collections }
}

it('small pieces of work change nothing until they add up', async () => {
  const { work, workFor, held, collections } = counted()
  for (let i = 0; i < 4; i++) work.run(workFor(100))
  await sleep(50)
  expect(collections()).toBe(0)
  work.run(workFor(150))
  while (collections() === 0) await sleep(5)
  expect(held).toHaveLength(1)
  expect(held[0]).toBeGreaterThan(1)
  // The next collection is due after as much work.
  work.run(workFor(100))
  await sleep(50)
  expect(collections()).toBe(1)
})

it('building threads are ended once, after a pause without work', async () => {
  const { work, workFor, ends } = counted()
  work.run(workFor(510))
  expect(ends()).toBe(0)
  while (ends() === 0) await sleep(50)
  work.run(workFor(10))
  await sleep(100)
  expect(ends()).toBe(1)
})
