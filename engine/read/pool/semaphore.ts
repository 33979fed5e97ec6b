// A semaphore that limits how many requests search at the same time and how many wait. A limited
// number runs and a limited number waits; when a request releases its permit, the oldest request of
// the caller with the least use acquires it. When too many wait, a random request of the caller
// with the most waiting requests is rejected.
//
// Heavy requests (`turns.ts`) get at most half of the permits. A second set of permits of the same
// size is reserved for callers with no running request: the first request of such a caller, unless
// it is heavy, waits only for a thread, however many requests others send.
import { type Account, compareAccounts } from './accounts.ts'

/** A request that waits for a permit, or has one. */
export type Waiter = {
  readonly account: Account
  readonly isHeavy: boolean
  /** Called when the request may run; it releases the permit at its end. */
  readonly acquired: () => void
  readonly rejected: () => void
}

export type SemaphoreOptions = {
  readonly runningMax: number
  /** 0 rejects every request that cannot run immediately. */
  readonly waitingMax: number
  /** A number from 0 to below 1, like `Math.random`. */
  readonly random: () => number
}

export class SearchSemaphore {
  readonly #options: SemaphoreOptions
  readonly #heavyMax: number
  /** Oldest first. */
  readonly #waiting: Waiter[] = []
  #running = 0
  #heavy = 0
  readonly #runningOf = new Map<Account, number>()
  #rejected = 0

  constructor(options: SemaphoreOptions) {
    this.#options = options
    this.#heavyMax = Math.ceil(options.runningMax / 2)
  }

  get running(): number {
    return this.#running
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Requests rejected since the start. */
  get rejected(): number {
    return this.#rejected
  }

  /** Calls `acquired` or `rejected` of the waiter, immediately or later. */
  acquire(waiter: Waiter): void {
    const { waitingMax } = this.#options
    // Waiting requests that may run have acquired their permits before, so there is no queue to
    // respect here.
    if (this.#mayRun(waiter)) {
      this.#grant(waiter)
      return
    }
    if (waitingMax === 0) {
      this.#rejected++
      waiter.rejected()
      return
    }
    const victim = this.#waiting.length >= waitingMax ? this.#takeVictim() : null
    this.#waiting.push(waiter)
    if (victim === null) return
    this.#rejected++
    victim.rejected()
  }

  /** Removes a request from the queue; returns false if it was not waiting. */
  cancel(waiter: Waiter): boolean {
    const at = this.#waiting.indexOf(waiter)
    if (at < 0) return false
    this.#waiting.splice(at, 1)
    return true
  }

  /** Releases the permit of a request that has ended. */
  release({ account, isHeavy }: Pick<Waiter, 'account' | 'isHeavy'>): void {
    this.#running--
    if (isHeavy) this.#heavy--
    const left = this.#runningOf.get(account)! - 1
    if (left > 0) this.#runningOf.set(account, left)
    else this.#runningOf.delete(account)
    for (let next = this.#takeNext(); next !== null; next = this.#takeNext()) this.#grant(next)
  }

  #mayRun({ account, isHeavy }: Waiter): boolean {
    const { runningMax } = this.#options
    if (isHeavy) return this.#running < runningMax && this.#heavy < this.#heavyMax
    const isFirst = !this.#runningOf.has(account)
    return this.#running < (isFirst ? 2 * runningMax : runningMax)
  }

  #grant(waiter: Waiter): void {
    const { account, isHeavy } = waiter
    this.#running++
    if (isHeavy) this.#heavy++
    this.#runningOf.set(account, (this.#runningOf.get(account) ?? 0) + 1)
    waiter.acquired()
  }

  #takeNext(): Waiter | null {
    const eligible = this.#waiting.filter((one) => this.#mayRun(one))
    if (eligible.length === 0) return null
    const account = first(eligible)
    return this.#take(eligible.find((one) => one.account === account)!)
  }

  /** Removes a random request of the account with the most waiting ones. */
  #takeVictim(): Waiter {
    const account = crowded(this.#waiting)
    const own = this.#waiting.filter((one) => one.account === account)
    return this.#take(own[Math.floor(this.#options.random() * own.length)]!)
  }

  #take(waiter: Waiter): Waiter {
    this.#waiting.splice(this.#waiting.indexOf(waiter), 1)
    return waiter
  }
}

/** The account to serve first. */
function first(waiting: readonly Waiter[]): Account {
  let { account } = waiting[0]!
  for (const one of waiting) if (compareAccounts(one.account, account) < 0) account = one.account
  return account
}

/** The account with the most waiting requests. */
function crowded(waiting: readonly Waiter[]): Account {
  const counts = new Map<Account, number>()
  for (const { account } of waiting) counts.set(account, (counts.get(account) ?? 0) + 1)
  let { account } = waiting[0]!
  for (const [one, count] of counts) if (count > counts.get(account)!) account = one
  return account
}
