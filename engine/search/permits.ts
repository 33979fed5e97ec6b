// Who may search at once, and who waits for it. So many requests run; so many more wait, and when
// one ends, a random one of those that wait is next. When there are too many, a random one of them
// is turned away: no client is always the one, and nobody can hold a place in front.

export type Applicant = {
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
  readonly #waiting: Applicant[] = []
  #running = 0
  #turnedAway = 0

  constructor(options: PermitsOptions) {
    this.#options = options
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
    const { runningMax, waitingMax } = this.#options
    if (this.#running < runningMax && this.#waiting.length === 0) {
      this.#running++
      applicant.admitted()
      return
    }
    if (waitingMax === 0) {
      this.#turnedAway++
      applicant.turnedAway()
      return
    }
    const victim = this.#waiting.length >= waitingMax ? this.#takeRandom() : null
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
  giveBack(): void {
    if (this.#waiting.length === 0) {
      this.#running--
      return
    }
    this.#takeRandom().admitted()
  }

  /** The last one takes the place of the one that goes: nothing has to be moved up. */
  #takeRandom(): Applicant {
    const waiting = this.#waiting
    const at = Math.floor(this.#options.random() * waiting.length)
    const taken = waiting[at]!
    waiting[at] = waiting[waiting.length - 1]!
    waiting.pop()
    return taken
  }
}
