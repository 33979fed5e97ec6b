// Permits against a plain model: which requests run, wait and are refused.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Accounts, NO_CALLER } from './accounts.ts'
import { type Applicant, Permits } from './permits.ts'

type State = 'waiting' | 'running' | 'turned away' | 'ended' | 'withdrawn'

class Room {
  readonly states: State[] = []
  readonly accounts = new Accounts(() => 0)
  readonly account = this.accounts.of(NO_CALLER)
  readonly applicants: Applicant[] = []
  readonly permits: Permits

  constructor(runningMax: number, waitingMax: number, random: () => number) {
    this.permits = new Permits({ runningMax, waitingMax, random })
  }

  apply(isHeavy = false, account = this.account): number {
    const at = this.states.push('waiting') - 1
    const change = (from: State, to: State): void => {
      expect(this.states[at]).toBe(from)
      this.states[at] = to
    }
    const applicant = {
      account,
      isHeavy,
      admitted: () => change('waiting', 'running'),
      turnedAway: () => change('waiting', 'turned away'),
    }
    this.applicants.push(applicant)
    this.permits.apply(applicant)
    return at
  }

  end(at: number): void {
    this.states[at] = 'ended'
    this.permits.giveBack(this.applicants[at]!)
  }

  count(state: State): number {
    return this.states.filter((one) => one === state).length
  }
}

describe('permits', () => {
  it('without a queue refuse requests that cannot run immediately', () => {
    const room = new Room(2, 0, () => 0)
    for (let i = 0; i < 4; i++) room.apply()
    expect(room.states).toEqual(['running', 'running', 'turned away', 'turned away'])
    room.end(0)
    expect(room.states[room.apply()]).toBe('running')
  })

  it('go to the oldest waiting request, and a random one is refused for lack of room', () => {
    const room = new Room(1, 3, () => 0.99)
    for (let i = 0; i < 4; i++) room.apply()
    room.end(0)
    expect(room.states.slice(1)).toEqual(['running', 'waiting', 'waiting'])
    room.apply()
    room.apply()
    expect(room.states.slice(1)).toEqual([
      'running',
      'waiting',
      'waiting',
      'turned away',
      'waiting',
    ])
    room.end(1)
    expect(room.states.slice(2)).toEqual(['running', 'waiting', 'turned away', 'waiting'])
  })

  it('behave like a plain model', () => {
    const step = fc.oneof(
      fc.record({ isHeavy: fc.boolean() }),
      fc.record({ end: fc.nat() }),
      fc.record({ withdraw: fc.nat() }),
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
              inState(state).filter((at) => room.applicants[at]!.isHeavy).length
            const inState = (state: State): number[] =>
              room.states.flatMap((known, at) => (known === state ? [at] : []))
            if ('isHeavy' in one) room.apply(one.isHeavy)
            else if ('end' in one) {
              const running = inState('running')
              if (running.length > 0) room.end(running[one.end % running.length]!)
            } else {
              const waiting = inState('waiting')
              const at = waiting[one.withdraw % waiting.length]
              if (at !== undefined) {
                expect(room.permits.withdraw(room.applicants[at]!)).toBe(true)
                expect(room.permits.withdraw(room.applicants[at]!)).toBe(false)
                room.states[at] = 'withdrawn'
              }
            }
            const [running, waiting] = [room.count('running'), room.count('waiting')]
            expect([room.permits.running, room.permits.waiting]).toEqual([running, waiting])
            expect(running).toBeLessThanOrEqual(runningMax)
            expect(waiting).toBeLessThanOrEqual(waitingMax)
            const heavyMax = Math.ceil(runningMax / 2)
            expect(heavyOf('running')).toBeLessThanOrEqual(heavyMax)
            // Nothing waits while there is a permit for it.
            if (waiting > heavyOf('waiting')) expect(running).toBe(runningMax)
            else if (waiting > 0 && running < runningMax) {
              expect(heavyOf('running')).toBe(heavyMax)
            }
            expect(room.permits.turnedAway).toBe(room.count('turned away'))
          }
        },
      ),
    )
  })

  it('are available to the first request of a caller, however many others wait', () => {
    const room = new Room(2, 10, () => 0)
    const [one, two, three] = ['b', 'c', 'd'].map((key) => room.accounts.of({ key, address: '' }))
    for (let i = 0; i < 4; i++) room.apply()
    expect(room.states).toEqual(['running', 'running', 'waiting', 'waiting'])
    expect(room.states[room.apply(false, one)]).toBe('running')
    expect(room.states[room.apply(false, one)]).toBe('waiting')
    expect(room.states[room.apply(true, two)]).toBe('waiting')
    expect(room.states[room.apply(false, two)]).toBe('running')
    // At most twice as many run.
    expect(room.states[room.apply(false, three)]).toBe('waiting')
    room.end(0)
    expect(room.states[8]).toBe('running')
  })

  it('for heavy requests are at most half of all', () => {
    const room = new Room(4, 10, () => 0)
    for (let i = 0; i < 4; i++) room.apply(true)
    expect(room.states).toEqual(['running', 'running', 'waiting', 'waiting'])
    expect(room.states[room.apply()]).toBe('running')
    room.end(4)
    expect(room.count('running')).toBe(2)
    room.end(0)
    expect(room.states.slice(0, 4)).toEqual(['ended', 'running', 'running', 'waiting'])
  })

  it('go to the caller with the least use, and are refused to the one with the most requests', () => {
    const room = new Room(2, 4, () => 0)
    const [greedy, modest] = ['greedy', 'modest'].map((key) =>
      room.accounts.of({ key, address: '' }),
    )
    for (let i = 0; i < 4; i++) room.apply(true, greedy)
    const own = room.apply(true, modest)
    expect(room.apply(true, modest)).toBe(own + 1)
    expect(room.states.slice(1)).toEqual([
      'turned away',
      'waiting',
      'waiting',
      'waiting',
      'waiting',
    ])
    room.accounts.charge(greedy!, 1000)
    room.end(0)
    expect(room.states[own]).toBe('running')
  })
})
