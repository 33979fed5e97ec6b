// Which search gets which thread, and which one ends for another: single decisions, then whole runs
// on a simulated clock.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CHECK_INTERVAL_MS, PREEMPT_AFTER_MS, SLICE_MS } from '../jobs/limits.ts'
import { type Account, Accounts } from './accounts.ts'
import { type SearchClaim, Turns } from './turns.ts'

type Thread = { readonly jobs: Map<number, SearchClaim>; since: number; preemptedJob: number }

class Room {
  now = 0
  readonly accounts = new Accounts(() => this.now)
  readonly turns = new Turns(this.accounts, () => this.now)

  caller(key: string, meanMs = 0): Account {
    const account = this.accounts.of({ key, address: '' })
    account.meanMs = meanMs
    this.accounts.noteSmall(account)
    return account
  }

  thread(...claims: readonly SearchClaim[]): Thread {
    return { jobs: new Map(claims.map((one, i) => [i + 1, one])), since: this.now, preemptedJob: 0 }
  }
}

const small = (account: Account): SearchClaim => ({ account, isLarge: false })
const large = (account: Account): SearchClaim => ({ account, isLarge: true })

describe('a search', () => {
  it('is heavy by the size of its request, and by earlier searches of its caller', () => {
    const room = new Room()
    const caller = room.caller('a', SLICE_MS - 1)
    expect([room.turns.isHeavy(small(caller)), room.turns.isHeavy(large(caller))]).toEqual([
      false,
      true,
    ])
    caller.meanMs = SLICE_MS
    expect(room.turns.isHeavy(small(caller))).toBe(true)
  })

  it('holds its thread from the start if heavy, else once it has run for long', () => {
    const room = new Room()
    const caller = room.caller('a')
    const [light, heavy] = [room.thread(small(caller)), room.thread(large(caller))]
    expect([light, heavy, room.thread()].map((one) => room.turns.isHeld(one))).toEqual([
      false,
      true,
      false,
    ])
    expect(room.turns.roomiest([heavy, light])).toBe(light)
    const [idle, full] = [room.thread(), room.thread(small(caller), small(caller))]
    expect(room.turns.roomiest([light, idle])).toBe(idle)
    expect([room.turns.roomiest([full, light]), room.turns.roomiest([full])]).toEqual([light, null])
    expect(room.turns.roomiest([idle, room.thread()])).toBe(idle)
    room.now = SLICE_MS - 1
    expect(room.turns.isHeld(light)).toBe(false)
    room.now = SLICE_MS
    expect(room.turns.isHeld(light)).toBe(true)
    expect(room.turns.roomiest([heavy, light])).toBe(null)
  })
})

describe('the next search', () => {
  it('belongs to the caller with the least use', () => {
    const room = new Room()
    const [greedy, modest] = [room.caller('a'), room.caller('b')]
    room.accounts.charge(greedy, 10)
    const idle = room.thread()
    expect(room.turns.next(idle, [idle], [small(greedy), small(modest)])).toBe(1)
  })

  it('leaves the last thread that is not held to callers of shorter ones', () => {
    const room = new Room()
    const heavy = large(room.caller('a'))
    const [held, idle] = [room.thread(heavy), room.thread()]
    const next = (ready: readonly SearchClaim[], threads = [held, idle]): number =>
      room.turns.next(idle, threads, ready)
    expect(next([heavy])).toBe(0)
    const short = small(room.caller('b', 20))
    expect(next([heavy])).toBe(-1)
    expect(next([heavy, short])).toBe(1)
    expect(next([heavy], [held, idle, room.thread()])).toBe(0)
    expect(next([heavy], [idle])).toBe(0)
    room.now = 60_000
    expect(next([heavy])).toBe(0)
  })

  it('takes any thread if only callers of equal weight are active', () => {
    const room = new Room()
    const [one, other] = [small(room.caller('a', 400)), small(room.caller('b', 300))]
    const [held, idle] = [room.thread(one), room.thread()]
    expect(room.turns.next(idle, [held, idle], [other])).toBe(0)
    expect(room.turns.next(held, [held, idle], [other])).toBe(-1)
  })

  it('does not overtake a heavy one that may not use the mailbox', () => {
    const room = new Room()
    const [heavy, caller] = [large(room.caller('a')), room.caller('b')]
    const busy = room.thread(small(caller))
    expect(room.turns.next(busy, [busy], [small(caller)])).toBe(0)
    expect(room.turns.next(busy, [busy], [heavy, small(caller)])).toBe(-1)
    room.accounts.charge(heavy.account, 1)
    expect(room.turns.next(busy, [busy], [heavy, small(caller)])).toBe(1)
  })
})

describe('the search that ends for another', () => {
  it('has run for long and for longer than the other one would', () => {
    const room = new Room()
    const thread = room.thread(large(room.caller('a')))
    const toPreempt = (waiting: SearchClaim): boolean =>
      room.turns.toPreempt([thread], [waiting]) !== null
    const [short, slow] = [small(room.caller('b', 20)), small(room.caller('c', PREEMPT_AFTER_MS))]
    const equal = large(room.caller('d'))
    room.now = PREEMPT_AFTER_MS - 1
    expect([short, slow, equal].map(toPreempt)).toEqual([false, false, false])
    room.now = PREEMPT_AFTER_MS
    expect([short, slow, equal].map(toPreempt)).toEqual([true, false, false])
    room.now = 2 * PREEMPT_AFTER_MS
    expect([short, slow, equal].map(toPreempt)).toEqual([true, true, false])
    const other = room.thread()
    const ends = (): boolean => room.turns.toPreempt([thread, other], [slow]) !== null
    expect(ends()).toBe(false)
    room.now = 8 * PREEMPT_AFTER_MS
    expect(ends()).toBe(true)
  })

  it('is never one of the same caller, is ordered once, and continues if a thread is not held', () => {
    const room = new Room()
    const heavy = room.caller('a')
    const [older, thread] = [room.thread(large(heavy)), room.thread(large(heavy))]
    older.since -= 1
    const short = small(room.caller('b'))
    room.now = PREEMPT_AFTER_MS
    expect(room.turns.toPreempt([older, thread], [small(heavy)])).toBe(null)
    expect(room.turns.toPreempt([older, thread, room.thread()], [short])).toBe(null)
    expect(room.turns.toPreempt([thread, older], [short])).toBe(older)
    older.preemptedJob = 1
    expect(room.turns.toPreempt([thread, older], [short])).toBe(thread)
  })
})

/** The behavior of a caller: `atOnce` searches at the same time, each of `ms` milliseconds. */
type Habit = { readonly ms: number; readonly isLarge: boolean; readonly atOnce: number }
type Search = SearchClaim & { readonly by: number; left: number; readonly sentAt: number }

const CHECKPOINT_MS = 30
const END_MS = 60_000
const STEP_MS = 10

/** Threads, mailboxes and checks as in the pool; time advances in steps. */
class Simulation {
  readonly room = new Room()
  readonly ready: Search[] = []
  readonly threads: (Thread & { readonly jobs: Map<number, Search>; endsAt: number })[]
  readonly completed: number[]
  readonly begun: number[]
  readonly longestWait: number[]
  readonly habits: readonly Habit[]
  #job = 1

  constructor(threads: number, habits: readonly Habit[]) {
    this.habits = habits
    this.threads = Array.from({ length: threads }, () => ({
      jobs: new Map<number, Search>(),
      since: 0,
      preemptedJob: 0,
      endsAt: Infinity,
    }))
    this.completed = habits.map(() => 0)
    this.begun = habits.map(() => 0)
    this.longestWait = habits.map(() => 0)
  }

  run(): void {
    this.habits.forEach(({ atOnce }, by) => {
      for (let i = 0; i < atOnce; i++) this.#ask(by)
    })
    for (; this.room.now < END_MS; this.room.now += STEP_MS) {
      for (const thread of this.threads) this.#work(thread)
      this.#dispatch()
      if (this.room.now % CHECK_INTERVAL_MS === 0) this.#look()
    }
  }

  #ask(by: number): void {
    const { ms, isLarge } = this.habits[by]!
    const account = this.room.accounts.of({ key: String(by), address: '' })
    if (!isLarge) this.room.accounts.noteSmall(account)
    this.ready.push({ account, isLarge, by, left: ms, sentAt: this.room.now })
  }

  #work(thread: (typeof this.threads)[number]): void {
    const [first] = thread.jobs
    if (first === undefined) return
    const [job, search] = first
    search.left -= STEP_MS
    if (search.left > 0 && this.room.now < thread.endsAt) return
    thread.jobs.delete(job)
    const ms = this.room.now - thread.since
    this.room.accounts.charge(search.account, ms)
    if (!search.isLarge) this.room.accounts.learn(search.account, ms)
    if (search.left <= 0) this.completed[search.by]!++
    const waited = this.room.now - search.sentAt
    this.longestWait[search.by] = Math.max(this.longestWait[search.by]!, waited)
    thread.since = this.room.now
    thread.endsAt = Infinity
    this.#ask(search.by)
  }

  #dispatch(): void {
    for (;;) {
      const thread = this.room.turns.roomiest(this.threads)
      if (thread === null) return
      const at = this.room.turns.next(thread, this.threads, this.ready)
      if (at < 0) return
      const [search] = this.ready.splice(at, 1)
      if (thread.jobs.size === 0) thread.since = this.room.now
      thread.jobs.set(this.#job++, search!)
      this.begun[search!.by]!++
      this.room.accounts.served(search!.account)
    }
  }

  #look(): void {
    for (const { jobs, since } of this.threads) {
      if (this.room.now - since < SLICE_MS) continue
      for (const [job, search] of [...jobs].slice(1)) {
        jobs.delete(job)
        this.ready.unshift(search)
      }
    }
    this.#dispatch()
    const thread = this.room.turns.toPreempt(this.threads, this.ready)
    if (thread === null) return
    ;[thread.preemptedJob] = thread.jobs.keys() as unknown as [number]
    thread.endsAt = this.room.now + CHECKPOINT_MS
  }
}

const short = fc.record({
  ms: fc.integer({ min: 1, max: 40 }),
  isLarge: fc.constant(false),
  atOnce: fc.constant(1),
})
const long = fc.record({
  ms: fc.integer({ min: 200, max: 1500 }),
  isLarge: fc.boolean(),
  atOnce: fc.integer({ min: 1, max: 6 }),
})

describe('in any mix of callers', () => {
  const mixes = fc.tuple(
    fc.integer({ min: 1, max: 3 }),
    fc.array(short, { minLength: 1, maxLength: 3 }),
    fc.array(long, { minLength: 1, maxLength: 3 }),
  )

  it('short searches wait for heavy ones for a limited time, and all callers progress', () => {
    fc.assert(
      fc.property(mixes, ([threads, shorts, longs]) => {
        const run = new Simulation(threads, [...shorts, ...longs])
        run.run()
        const turn = PREEMPT_AFTER_MS + CHECK_INTERVAL_MS + CHECKPOINT_MS + STEP_MS
        shorts.forEach((_, by) => {
          // Each caller that is not known yet may come first once.
          const most = turn * (longs.length + 1) + shorts.length * SLICE_MS
          expect(run.longestWait[by]).toBeLessThanOrEqual(most)
        })
        longs.forEach((_, i) => {
          const by = shorts.length + i
          expect(run.begun[by]).toBeGreaterThan(1)
          if (threads > 1) expect(run.completed[by]).toBeGreaterThan(1)
        })
      }),
      { numRuns: 60 },
    )
  })
})
