// The order of callers, by the thread time of their keys and addresses.
import { describe, expect, it } from 'vitest'
import { ACCOUNTS_MAX, DEBT_MS_MAX, LAST_SHARE, RECENT_MS, SLICE_MS } from '../jobs/limits.ts'
import { type Account, Accounts, compareAccounts, expectedMs } from './accounts.ts'

function room() {
  const clock = { now: 0 }
  const accounts = new Accounts(() => clock.now)
  const of = (key: string, address = ''): Account => accounts.of({ key, address })
  return { clock, accounts, of }
}

describe('callers', () => {
  it('with less use come first; addresses compete within their key', () => {
    const { accounts, of } = room()
    const [greedy, modest, other] = [of('a', '1'), of('a', '2'), of('b', '1')]
    accounts.charge(greedy, 100)
    expect(compareAccounts(modest, greedy)).toBeLessThan(0)
    expect(compareAccounts(other, modest)).toBeLessThan(0)
  })

  it('get no credit for absence, and no unlimited debt', () => {
    const { accounts, of } = room()
    const early = of('a')
    for (let i = 0; i < 100; i++) {
      accounts.charge(early, 1000)
      accounts.served(early)
    }
    const late = of('b')
    expect(late.key.used).toBe(early.key.used)
    accounts.charge(late, 1e6)
    expect(of('b').key.used).toBe(early.key.used + DEBT_MS_MAX)
  })

  it('are expected to take the mean of their searches, not the time of a single one', () => {
    const { accounts, of } = room()
    const one = of('a')
    accounts.learn(one, 300)
    expect(one.meanMs).toBe(300 * LAST_SHARE)
    for (let i = 0; i < 20; i++) accounts.learn(one, 2 * SLICE_MS)
    expect(one.meanMs).toBeGreaterThan(SLICE_MS)
    expect([expectedMs(one, false), expectedMs(one, true)]).toEqual([one.meanMs, 0])
    accounts.learn(one, 80, true)
    expect(expectedMs(one, true)).toBe(80 * LAST_SHARE)
    for (let i = 0; i < 20; i++) accounts.learn(one, 5)
    expect(one.meanMs).toBeLessThan(10)
  })

  it('are compared with quicker callers of the last seconds', () => {
    const { clock, accounts, of } = room()
    const [one, two] = [of('a'), of('b')]
    accounts.noteSmall(one)
    expect(accounts.hasQuickerThan(one, 100)).toBe(false)
    accounts.noteSmall(two)
    accounts.noteSmall(one)
    two.meanMs = 50
    expect(accounts.hasQuickerThan(one, 100)).toBe(true)
    expect(accounts.hasQuickerThan(one, 50)).toBe(false)
    expect(accounts.hasQuickerThan(two, 50)).toBe(true)
    clock.now = RECENT_MS + 1
    accounts.noteSmall(one)
    expect(accounts.hasQuickerThan(one, 100)).toBe(false)
  })

  it('are forgotten when there are too many', () => {
    const { of } = room()
    const first = of('a', 'x')
    for (let i = 1; i < ACCOUNTS_MAX; i++) of('b', String(i))
    expect(of('a', 'x')).toBe(first)
    for (let i = 0; i < ACCOUNTS_MAX; i++) of('c', String(i))
    expect(of('a', 'x')).not.toBe(first)
  })

  it('are forgotten in the order of their last use, and a key with its last address', () => {
    const { of } = room()
    const [first, second] = [of('a', '1'), of('a', '2')]
    for (let i = 2; i < ACCOUNTS_MAX; i++) of('b', String(i))
    of('a', '1')
    of('c')
    expect(of('a', '1')).toBe(first)
    const opened = of('a', '2')
    expect([opened === second, opened.key === first.key]).toEqual([false, true])
    for (let i = 0; i < ACCOUNTS_MAX; i++) of('d', String(i))
    expect(of('a', '1').key).not.toBe(first.key)
  })

  it('of one key begin with the use of the address that was served last', () => {
    const { accounts, of } = room()
    const [one, other] = [of('a', '1'), of('b')]
    accounts.charge(one, 100)
    accounts.charge(other, 30)
    accounts.served(one)
    accounts.served(other)
    const late = of('a', '2')
    expect([late.own.used, late.key.used, of('b').key.used]).toEqual([100, 100, 100])
    expect(of('c').own.used).toBe(0)
  })

  it('that send several requests are compared with the other one', () => {
    const { clock, accounts, of } = room()
    const [one, two] = [of('a'), of('b')]
    accounts.noteSmall(two)
    for (let i = 0; i < 3; i++) accounts.noteSmall(one)
    one.meanMs = 200
    const isCompared = (ms: number): boolean => accounts.hasQuickerThan(one, ms)
    expect([isCompared(1), isCompared(0)]).toEqual([true, false])
    clock.now = RECENT_MS
    expect(isCompared(1)).toBe(true)
    clock.now++
    expect(isCompared(1)).toBe(false)
    accounts.noteSmall(two, true)
    two.severalMs = 50
    expect([isCompared(50), isCompared(51)]).toEqual([false, true])
  })
})
