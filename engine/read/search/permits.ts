// Who may search at once, and who waits for it. So many requests run; so many more wait, and when
// one ends, one of the caller that used least is next. When there are too many, one of the caller
// that has most of them is turned away. Among those of a caller it is a random one: no request is
// always the one, and none can hold a place in front.
//
// Heavy requests (`turns.ts`) have half of the permits at most. And as many permits again are for
// callers of whom nothing runs: the first request of such a caller, unless it is heavy, waits for a
// thread alone, however many others come.
import { type Account, compareAccounts } from './accounts.ts'

export type Applicant = {
  readonly account: Account
  readonly isHeavy: boolean
  /** May run now; gives the permit back when it has ended. */
  readonly admitted: () => void
  readonly turnedAway: () => void
}

export type PermitsOptions = {
  readonly runningMax: number
  /** 0: what cannot run at once is turned away. */
  readonly waitingMax: number
  /** From 0 up to 1, as `Math.random`. */
  readonly random: () => number
}

export class Permits {
  readonly #options: PermitsOptions
  readonly #heavyMax: number
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

  /** How many were turned away since the start. */
  get turnedAway(): number {
    return this.#turnedAway
  }

  apply(applicant: Applicant): void {
    const { waitingMax } = this.#options
    // Those that wait and may run have been admitted already.
    if (this.#hasPermit(applicant)) {
      this.#admit(applicant)
      return
    }
    if (waitingMax === 0) {
      this.#turnedAway++
      applicant.turnedAway()
      return
    }
    const victim =
      this.#waiting.length >= waitingMax ? this.#takeRandom(crowded(this.#waiting)) : null
    this.#waiting.push(applicant)
    if (victim === null) return
    this.#turnedAway++
    victim.turnedAway()
  }

  /** It waits no longer; false: it did not wait. */
  withdraw(applicant: Applicant): boolean {
    const at = this.#waiting.indexOf(applicant)
    if (at < 0) return false
    this.#waiting.splice(at, 1)
    return true
  }

  /** One that was admitted has ended. */
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
    return eligible.length === 0 ? null : this.#takeRandom(first(eligible), eligible)
  }

  /** Takes one of the account; the last one takes its place: nothing has to be moved up. */
  #takeRandom(account: Account, among: readonly Applicant[] = this.#waiting): Applicant {
    const waiting = this.#waiting
    const own = among.filter((one) => one.account === account)
    const at = waiting.indexOf(own[Math.floor(this.#options.random() * own.length)]!)
    const taken = waiting[at]!
    waiting[at] = waiting[waiting.length - 1]!
    waiting.pop()
    return taken
  }
}

/** The account that is to be served first. */
function first(waiting: readonly Applicant[]): Account {
  let { account } = waiting[0]!
  for (const one of waiting) if (compareAccounts(one.account, account) < 0) account = one.account
  return account
}

/** The account of which most are waiting. */
function crowded(waiting: readonly Applicant[]): Account {
  const counts = new Map<Account, number>()
  for (const { account } of waiting) counts.set(account, (counts.get(account) ?? 0) + 1)
  let { account } = waiting[0]!
  for (const [one, count] of counts) if (count > counts.get(account)!) account = one
  return account
}
