// Limits how many requests search at the same time and how many wait. A limited number runs and a
// limited number waits; when a request ends, the oldest request of the caller with the least use is
// next. When too many wait, a random request of the caller with the most waiting requests is
// refused.
//
// Heavy requests (`turns.ts`) get at most half of the permits. A second set of permits of the same
// size is reserved for callers with no running request: the first request of such a caller, unless
// it is heavy, waits only for a thread, however many requests others send.
import { type Account, compareAccounts } from './accounts.ts'

export type Applicant = {
  readonly account: Account
  readonly isHeavy: boolean
  /** Called when the request may run; it gives the permit back at its end. */
  readonly admitted: () => void
  readonly turnedAway: () => void
}

export type PermitsOptions = {
  readonly runningMax: number
  /** 0 refuses every request that cannot run immediately. */
  readonly waitingMax: number
  /** A number from 0 to below 1, like `Math.random`. */
  readonly random: () => number
}

export class Permits {
  readonly #options: PermitsOptions
  readonly #heavyMax: number
  /** Oldest first. */
  readonly #waiting: Applicant[] = []
  #running = 0
  #heavy = 0
  readonly #runningOf = new Map<Account, number>()
  #turnedAway = 0

  constructor(options: PermitsOptions) {
    this.#options = options
    this.#heavyMax = Math.ceil(options.runningMax / 2)
  }

  get running(): number {
    return this.#running
  }

  get waiting(): number {
    return this.#waiting.length
  }

  /** Requests refused since the start. */
  get turnedAway(): number {
    return this.#turnedAway
  }

  apply(applicant: Applicant): void {
    const { waitingMax } = this.#options
    // Waiting requests that may run have been admitted before, so there is no queue to respect
    // here.
    if (this.#hasPermit(applicant)) {
      this.#admit(applicant)
      return
    }
    if (waitingMax === 0) {
      this.#turnedAway++
      applicant.turnedAway()
      return
    }
    const victim = this.#waiting.length >= waitingMax ? this.#takeVictim() : null
    this.#waiting.push(applicant)
    if (victim === null) return
    this.#turnedAway++
    victim.turnedAway()
  }

  /** Removes a request from the queue; returns false if it was not waiting. */
  withdraw(applicant: Applicant): boolean {
    const at = this.#waiting.indexOf(applicant)
    if (at < 0) return false
    this.#waiting.splice(at, 1)
    return true
  }

  /** Gives back the permit of a request that has ended. */
  giveBack({ account, isHeavy }: Pick<Applicant, 'account' | 'isHeavy'>): void {
    this.#running--
    if (isHeavy) this.#heavy--
    const left = this.#runningOf.get(account)! - 1
    if (left > 0) this.#runningOf.set(account, left)
    else this.#runningOf.delete(account)
    for (let next = this.#takeNext(); next !== null; next = this.#takeNext()) this.#admit(next)
  }

  #hasPermit({ account, isHeavy }: Applicant): boolean {
    const { runningMax } = this.#options
    if (isHeavy) return this.#running < runningMax && this.#heavy < this.#heavyMax
    const isFirst = !this.#runningOf.has(account)
    return this.#running < (isFirst ? 2 * runningMax : runningMax)
  }

  #admit(applicant: Applicant): void {
    const { account, isHeavy } = applicant
    this.#running++
    if (isHeavy) this.#heavy++
    this.#runningOf.set(account, (this.#runningOf.get(account) ?? 0) + 1)
    applicant.admitted()
  }

  #takeNext(): Applicant | null {
    const eligible = this.#waiting.filter((one) => this.#hasPermit(one))
    if (eligible.length === 0) return null
    const account = first(eligible)
    return this.#take(eligible.find((one) => one.account === account)!)
  }

  /** Removes a random request of the account with the most waiting ones. */
  #takeVictim(): Applicant {
    const account = crowded(this.#waiting)
    const own = this.#waiting.filter((one) => one.account === account)
    return this.#take(own[Math.floor(this.#options.random() * own.length)]!)
  }

  #take(applicant: Applicant): Applicant {
    this.#waiting.splice(this.#waiting.indexOf(applicant), 1)
    return applicant
  }
}

/** The account to serve first. */
function first(waiting: readonly Applicant[]): Account {
  let { account } = waiting[0]!
  for (const one of waiting) if (compareAccounts(one.account, account) < 0) account = one.account
  return account
}

/** The account with the most waiting requests. */
function crowded(waiting: readonly Applicant[]): Account {
  const counts = new Map<Account, number>()
  for (const { account } of waiting) counts.set(account, (counts.get(account) ?? 0) + 1)
  let { account } = waiting[0]!
  for (const [one, count] of counts) if (count > counts.get(account)!) account = one
  return account
}
