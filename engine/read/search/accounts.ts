// Who has used how much of the search threads, so that those who wait can be served in turn: start-
// time fair queuing (P. Goyal, H. M. Vin, H. Cheng, 1996) over keys, and within a key over
// addresses. A public key is shared by many people: one of them is told from the others by the
// address. An address counts for nothing against another key: a thousand addresses of one key have
// the share of one key.
import { ACCOUNTS_MAX, DEBT_MS_MAX, LAST_SHARE, RECENT_MS } from './limits.ts'

/** Who asks: `key` names an API key, `address` a network of clients. Opaque here. */
export type CallerId = { readonly key: string; readonly address: string }

/** For what the server asks itself. */
export const NO_CALLER: CallerId = { key: '', address: '' }

/** Milliseconds of thread time used, of a key or of an address of it. */
type Share = {
  used: number
  /** `used` of the one served last: who comes back is not rewarded for having been away. */
  floor: number
}

export type Account = {
  readonly key: Share
  readonly own: Share
  /** What its searches took, the later ones counting for more: large requests left out. */
  meanMs: number
  /** The same of its requests for several searches. */
  severalMs: number
  /** Whether the last one that is not large asked for several searches. */
  isSeveral: boolean
  /** When it asked last for something that is not large. */
  smallAt: number
}

/** What the next request of an account is expected to take, if it is not large. */
export const expectedMs = ({ meanMs, severalMs }: Account, isSeveral: boolean): number =>
  isSeveral ? severalMs : meanMs

export class Accounts {
  readonly #now: () => number
  readonly #all: Share = { used: 0, floor: 0 }
  /** The one seen last at the end. */
  readonly #accounts = new Map<string, Account>()
  readonly #keys = new Map<string, { readonly share: Share; accounts: number }>()

  /** The two callers that asked last for something that is not large. */
  #last: Account | null = null
  #before: Account | null = null

  constructor(now: () => number) {
    this.#now = now
  }

  /** The account of a caller that asks now. */
  of({ key, address }: CallerId): Account {
    const id = `${key} ${address}`
    const account = this.#accounts.get(id) ?? this.#opened(key)
    this.#accounts.delete(id)
    this.#accounts.set(id, account)
    enter(account.key, this.#all.floor)
    enter(account.own, account.key.floor)
    if (this.#accounts.size > ACCOUNTS_MAX) this.#forgetOldest()
    return account
  }

  /** One of its searches begins. */
  served({ key, own }: Account): void {
    this.#all.floor = Math.max(this.#all.floor, key.used)
    key.floor = Math.max(key.floor, own.used)
  }

  /** One of its searches has used a thread for `ms`. */
  charge({ key, own }: Account, ms: number): void {
    key.used += ms
    own.used += ms
  }

  /** One of its requests, not a large one, took `ms`. */
  learn(account: Account, ms: number, isSeveral = false): void {
    if (isSeveral) account.severalMs += (ms - account.severalMs) * LAST_SHARE
    else account.meanMs += (ms - account.meanMs) * LAST_SHARE
  }

  /** It asks for something that is not large. */
  noteSmall(account: Account, isSeveral = false): void {
    account.smallAt = this.#now()
    account.isSeveral = isSeveral
    if (account !== this.#last) this.#before = this.#last
    this.#last = account
  }

  /**
   * Whether another caller, whose searches take less than `ms` in the mean, asked of late and so
   * may ask again. The two that asked last are looked at: what others there are ask again soon.
   */
  hasQuickerThan(account: Account, ms: number): boolean {
    const since = this.#now() - RECENT_MS
    const other = this.#last === account ? this.#before : this.#last
    return other !== null && other.smallAt >= since && expectedMs(other, other.isSeveral) < ms
  }

  #opened(name: string): Account {
    const key = this.#keys.get(name) ?? { share: { used: 0, floor: 0 }, accounts: 0 }
    this.#keys.set(name, key)
    key.accounts++
    const times = { meanMs: 0, severalMs: 0, isSeveral: false, smallAt: 0 }
    return { key: key.share, own: { used: 0, floor: 0 }, ...times }
  }

  #forgetOldest(): void {
    const [oldest] = this.#accounts.keys()
    this.#accounts.delete(oldest!)
    const name = oldest!.slice(0, oldest!.indexOf(' '))
    const key = this.#keys.get(name)!
    if (--key.accounts === 0) this.#keys.delete(name)
  }
}

/** Neither credit for time away nor a debt without end. */
function enter(share: Share, floor: number): void {
  share.used = Math.min(Math.max(share.used, floor), floor + DEBT_MS_MAX)
}

/** Negative where `a` is to be served before `b`. */
export const compareAccounts = (a: Account, b: Account): number =>
  a.key === b.key ? a.own.used - b.own.used : a.key.used - b.key.used
