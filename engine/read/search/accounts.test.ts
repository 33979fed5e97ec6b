// Whose turn it is, by what keys and their addresses have used.
import { describe, expect, it } from 'vitest'
import { type Account, Accounts, compareAccounts } from './accounts.ts'
import {
  ACCOUNTS_MAX,
  DEBT_MS_MAX,
  HEAVY_LOAD_MS,
  LOAD_DRAIN_MS_PER_SECOND,
  LOAD_MS_MAX,
  RECENT_MS,
} from './limits.ts'

function room() {
  const clock = { now: 0 }
  const accounts = new Accounts(() => clock.now)
  const of = (key: string, address = ''): Account => accounts.of({ key, address })
  return { clock, accounts, of }
}

describe('callers', () => {
  it('that used less come first; addresses count within their key', () => {
    const { accounts, of } = room()
    const [greedy, modest, other] = [of('a', '1'), of('a', '2'), of('b', '1')]
    accounts.charge(greedy, 100)
    expect(compareAccounts(modest, greedy)).toBeLessThan(0)
    expect(compareAccounts(other, modest)).toBeLessThan(0)
  })

  it('have no credit for time away, and no debt without end', () => {
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

  it('of heavy searches are heavy for a while, of a slow one they are not', () => {
    const { clock, accounts, of } = room()
    const one = of('a')
    accounts.addLoad(one, HEAVY_LOAD_MS)
    expect(accounts.isHeavy(one)).toBe(false)
    accounts.addLoad(one, 1)
    expect(accounts.isHeavy(of('a'))).toBe(true)
    clock.now = 1000
    expect(accounts.isHeavy(one)).toBe(false)
    for (let i = 0; i < 9; i++) accounts.addLoad(one, LOAD_MS_MAX)
    const afterMs = ((LOAD_MS_MAX - HEAVY_LOAD_MS) / LOAD_DRAIN_MS_PER_SECOND) * 1000
    clock.now += afterMs - 1
    expect(accounts.isHeavy(one)).toBe(true)
    clock.now++
    expect(accounts.isHeavy(one)).toBe(false)
  })

  it('have others beside them that asked of late', () => {
    const { clock, accounts, of } = room()
    const one = of('a')
    expect(accounts.hasOthers(one)).toBe(false)
    const two = of('b')
    of('a')
    expect([accounts.hasOthers(one), accounts.hasOthers(two)]).toEqual([true, true])
    clock.now = RECENT_MS + 1
    of('a')
    expect(accounts.hasOthers(one)).toBe(false)
  })

  it('are forgotten when there are too many', () => {
    const { of } = room()
    const first = of('a', 'x')
    for (let i = 0; i < ACCOUNTS_MAX; i++) of('b', String(i))
    expect(of('a', 'x')).not.toBe(first)
  })
})
