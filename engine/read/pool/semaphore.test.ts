// The semaphore against a plain model: which requests run, wait and are rejected.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Accounts, NO_CALLER } from './accounts.ts'
import { SearchSemaphore, type Waiter } from './semaphore.ts'

type State = 'waiting' | 'running' | 'rejected' | 'ended' | 'canceled'

class Room {
  readonly states: State[] = []
  readonly accounts = new Accounts(() => 0)
  readonly account = this.accounts.of(NO_CALLER)
  readonly waiters: Waiter[] = []
  readonly semaphore: SearchSemaphore

  constructor(runningMax: number, waitingMax: number, random: () => number) {
    this.semaphore = new SearchSemaphore({ runningMax, waitingMax, random })
  }

  acquire(isHeavy = false, account = this.account): number {
    const at = this.states.push('waiting') - 1
    const change = (from: State, to: State): void => {
      expect(this.states[at]).toBe(from)
      this.states[at] = to
    }
    const waiter = {
      account,
      isHeavy,
      acquired: () => change('waiting', 'running'),
      rejected: () => change('waiting', 'rejected'),
    }
    this.waiters.push(waiter)
    this.semaphore.acquire(waiter)
    return at
  }

  end(at: number): void {
    this.states[at] = 'ended'
    this.semaphore.release(this.waiters[at]!)
  }

  count(state: State): number {
    return this.states.filter((one) => one === state).length
  }
}

describe('the permits of searches', () => {
  it('without a queue are refused to requests that cannot run immediately', () => {
    const room = new Room(2, 0, () => 0)
    for (let i = 0; i < 4; i++) room.acquire()
    expect(room.states).toEqual(['running', 'running', 'rejected', 'rejected'])
    room.end(0)
    expect(room.states[room.acquire()]).toBe('running')
  })

  it('go to the oldest waiting request, and a random one is rejected for lack of room', () => {
    const room = new Room(1, 3, () => 0.99)
    for (let i = 0; i < 4; i++) room.acquire()
    room.end(0)
    expect(room.states.slice(1)).toEqual(['running', 'waiting', 'waiting'])
    room.acquire()
    room.acquire()
    expect(room.states.slice(1)).toEqual(['running', 'waiting', 'waiting', 'rejected', 'waiting'])
    room.end(1)
    expect(room.states.slice(2)).toEqual(['running', 'waiting', 'rejected', 'waiting'])
  })

  it('behave like a plain model', () => {
    const step = fc.oneof(
      fc.record({ isHeavy: fc.boolean() }),
      fc.record({ end: fc.nat() }),
      fc.record({ cancel: fc.nat() }),
    )
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 4 }),
        fc.nat(4),
        fc.array(step, { maxLength: 60 }),
        fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { minLength: 1 }),
        (runningMax, waitingMax, steps, dice) => {
          let thrown = 0
          const room = new Room(runningMax, waitingMax, () => dice[thrown++ % dice.length]!)
          for (const one of steps) {
            const heavyOf = (state: State): number =>
              inState(state).filter((at) => room.waiters[at]!.isHeavy).length
            const inState = (state: State): number[] =>
              room.states.flatMap((known, at) => (known === state ? [at] : []))
            if ('isHeavy' in one) room.acquire(one.isHeavy)
            else if ('end' in one) {
              const running = inState('running')
              if (running.length > 0) room.end(running[one.end % running.length]!)
            } else {
              const waiting = inState('waiting')
              const at = waiting[one.cancel % waiting.length]
              if (at !== undefined) {
                expect(room.semaphore.cancel(room.waiters[at]!)).toBe(true)
                expect(room.semaphore.cancel(room.waiters[at]!)).toBe(false)
                room.states[at] = 'canceled'
              }
            }
            const [running, waiting] = [room.count('running'), room.count('waiting')]
            expect([room.semaphore.running, room.semaphore.waiting]).toEqual([running, waiting])
            expect(running).toBeLessThanOrEqual(runningMax)
            expect(waiting).toBeLessThanOrEqual(waitingMax)
            const heavyMax = Math.ceil(runningMax / 2)
            expect(heavyOf('running')).toBeLessThanOrEqual(heavyMax)
            // Nothing waits while there is a permit for it.
            if (waiting > heavyOf('waiting')) expect(running).toBe(runningMax)
            else if (waiting > 0 && running < runningMax) {
              expect(heavyOf('running')).toBe(heavyMax)
            }
            expect(room.semaphore.rejected).toBe(room.count('rejected'))
          }
        },
      ),
    )
  })

  it('are available to the first request of a caller, however many others wait', () => {
    const room = new Room(2, 10, () => 0)
    const [one, two, three] = ['b', 'c', 'd'].map((key) => room.accounts.of({ key, address: '' }))
    for (let i = 0; i < 4; i++) room.acquire()
    expect(room.states).toEqual(['running', 'running', 'waiting', 'waiting'])
    expect(room.states[room.acquire(false, one)]).toBe('running')
    expect(room.states[room.acquire(false, one)]).toBe('waiting')
    expect(room.states[room.acquire(true, two)]).toBe('waiting')
    expect(room.states[room.acquire(false, two)]).toBe('running')
    // At most twice as many run.
    expect(room.states[room.acquire(false, three)]).toBe('waiting')
    room.end(0)
    expect(room.states[8]).toBe('running')
  })

  it('for heavy requests are at most half of all', () => {
    const room = new Room(4, 10, () => 0)
    for (let i = 0; i < 4; i++) room.acquire(true)
    expect(room.states).toEqual(['running', 'running', 'waiting', 'waiting'])
    expect(room.states[room.acquire()]).toBe('running')
    room.end(4)
    expect(room.count('running')).toBe(2)
    room.end(0)
    expect(room.states.slice(0, 4)).toEqual(['ended', 'running', 'running', 'waiting'])
  })

  it('go to the caller with the least use, and are rejected for the one with the most requests', () => {
    const room = new Room(2, 4, () => 0)
    const [greedy, modest] = ['greedy', 'modest'].map((key) =>
      room.accounts.of({ key, address: '' }),
    )
    for (let i = 0; i < 4; i++) room.acquire(true, greedy)
    const own = room.acquire(true, modest)
    expect(room.acquire(true, modest)).toBe(own + 1)
    expect(room.states.slice(1)).toEqual(['rejected', 'waiting', 'waiting', 'waiting', 'waiting'])
    room.accounts.charge(greedy!, 1000)
    room.end(0)
    expect(room.states[own]).toBe('running')
  })

  it('are rejected for the caller with the most requests, not for the first one', () => {
    const room = new Room(1, 3, () => 0)
    const [first, second, third] = ['1', '2', '3'].map((key) =>
      room.accounts.of({ key, address: '' }),
    )
    room.acquire(true, first)
    const waiting = [first, second, second].map((one) => room.acquire(true, one))
    const last = room.acquire(true, third)
    expect([...waiting, last].map((at) => room.states[at])).toEqual([
      'waiting',
      'rejected',
      'waiting',
      'waiting',
    ])
  })
})
