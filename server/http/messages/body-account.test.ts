// The account of bytes that bodies hold: which body gets room, in which order, and which is
// refused.
import { expect, test } from 'vitest'
import { BodyAccount, BodyShare } from './body-account.ts'

test('shares hold their bytes until they are released', async () => {
  const account = new BodyAccount(100, 1000)
  const one = new BodyShare(account)
  const other = new BodyShare(account)
  expect(one.hold(0)).toBeUndefined()
  expect(one.hold(60)).toBeUndefined()
  expect(other.hold(40)).toBeUndefined()
  expect(account.bytes).toBe(100)
  const waiting = new BodyShare(account)
  const admitted = waiting.hold(50)
  expect(admitted).toBeInstanceOf(Promise)
  expect(one.isWanted).toBe(true)
  other.release()
  expect(account.bytes).toBe(60)
  one.release()
  await admitted
  expect(account.bytes).toBe(50)
  waiting.release()
  waiting.release()
  expect(account.bytes).toBe(0)
  expect(account.isShort).toBe(false)
})

test('waiting bodies are served in order, before others', async () => {
  const account = new BodyAccount(100, 1000)
  const holder = new BodyShare(account)
  void holder.hold(90)
  const order: string[] = []
  const large = new BodyShare(account)
  const small = new BodyShare(account)
  const first = large.hold(80)!.then(() => order.push('large'))
  const second = small.hold(5)!.then(() => order.push('small'))
  expect(account.take(1)).toBe(false)
  holder.release()
  await Promise.all([first, second])
  expect(order).toEqual(['large', 'small'])
  expect(account.bytes).toBe(85)
})

test('bodies that wait too long are refused, and let others pass', async () => {
  const account = new BodyAccount(100, 20)
  void new BodyShare(account).hold(90)
  const refused = new BodyShare(account).hold(50)!
  const fits = new BodyShare(account).hold(10)!
  await expect(refused).rejects.toMatchObject({ code: 'too_many_request_bodies', status: 503 })
  await fits
  expect(account.bytes).toBe(100)
})
