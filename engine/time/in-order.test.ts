// Results are in order, however long each call takes; the failure of the smallest number counts.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { inOrder } from './in-order.ts'

it('runs as many calls at once as it may, and returns results in order', async () => {
  let running = 0
  let most = 0
  const results = await inOrder(7, 3, async (at) => {
    most = Math.max(most, ++running)
    await sleep((at * 5) % 4)
    running--
    return at * 10
  })
  expect(results).toEqual([0, 10, 20, 30, 40, 50, 60])
  expect(most).toBe(3)
  expect(await inOrder(0, 3, () => Promise.reject(new Error('never')))).toEqual([])
})

it('throws the failure of the smallest number, and starts no call after a failure', async () => {
  const begun: number[] = []
  const work = async (at: number): Promise<void> => {
    begun.push(at)
    await sleep(at === 0 ? 20 : 1)
    if (at < 2) throw new Error(`number ${at}`)
  }
  await expect(inOrder(9, 2, work)).rejects.toThrow('number 0')
  expect(begun).toEqual([0, 1])
})
