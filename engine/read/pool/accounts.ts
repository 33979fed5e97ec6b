// Records how much thread time each caller has used, so that waiting callers can be served fairly:
// start-time fair queuing (P. Goyal, H. M. Vin, H. Cheng, 1996) over API keys, and within a key
// over addresses. Many people share a public key; the address distinguishes them. Addresses compete
// only within their key: a thousand addresses of one key together have the share of one key.
import { ACCOUNTS_MAX, DEBT_MS_MAX, LAST_SHARE, RECENT_MS } from '../jobs/index.ts'

/**
 * The identity of a caller: `key` names an API key, `address` a network of clients. Both are opaque
 * here.
 */
export type CallerId = { readonly key: string; readonly address: string }

/** The caller of searches that the server itself starts. */
export const NO_CALLER: CallerId = { key: '', address: '' }

/** Thread time in milliseconds that a key, or an address of a key, has used. */
type Share = {
  used: number
  /**
   * `used` of the member served last. A member that returns starts here, so it earns no credit for
   * its absence.
   */
  floor: number
}

export type Account = {
  readonly key: Share
  readonly own: Share
  /** Mean milliseconds of its searches without large requests; later searches have more weight. */
  meanMs: number
  /** The same for its requests with several searches. */
  severalMs: number
  /** True if its last request that was not large had several searches. */
  isSeveral: boolean
  /** Time of its last request that was not large. */
  smallAt: number
}

/** Returns the expected milliseconds of the next request of an account, if it is not large. */
export const expectedMs = ({ meanMs, severalMs }: Account, isSeveral: boolean): number =>
  isSeveral ? severalMs : meanMs

export class Accounts {
  readonly #now: () => number
  readonly #all: Share = { used: 0, floor: 0 }
  /** Least recently used first. */
  readonly #accounts = new Map<string, Account>()
  readonly #keys = new Map<string, { readonly share: Share; accounts: number }>()

  /** The last two callers with a request that was not large. */
  #last: Account | null = null
  #before: Account | null = null

  constructor(now: () => number) {
    this.#now = now
  }

  /** Returns the account of a caller and marks it as used most recently. */
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

  /** Notes that a search of the account starts. */
  served({ key, own }: Account): void {
    this.#all.floor = Math.max(this.#all.floor, key.used)
    key.floor = Math.max(key.floor, own.used)
  }

  /** Adds `ms` of thread time that a search of the account has used. */
  charge({ key, own }: Account, ms: number): void {
    key.used += ms
    own.used += ms
  }

  /** Updates the mean after a request, not a large one, that took `ms`. */
  learn(account: Account, ms: number, isSeveral = false): void {
    if (isSeveral) account.severalMs += (ms - account.severalMs) * LAST_SHARE
    else account.meanMs += (ms - account.meanMs) * LAST_SHARE
  }

  /** Notes that the account has sent a request that is not large. */
  noteSmall(account: Account, isSeveral = false): void {
    account.smallAt = this.#now()
    account.isSeveral = isSeveral
    if (account !== this.#last) this.#before = this.#last
    this.#last = account
  }

  /**
   * Returns true if another caller, whose searches take less than `ms` on average, sent a request
   * recently and may send the next one soon. Only the last two callers are checked: any further
   * caller sends its next request soon enough.
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

/** Limits `used` on both sides: no credit for absence, and no unlimited debt. */
function enter(share: Share, floor: number): void {
  share.used = Math.min(Math.max(share.used, floor), floor + DEBT_MS_MAX)
}

/** Negative if `a` is served before `b`. */
export const compareAccounts = (a: Account, b: Account): number =>
  a.key === b.key ? a.own.used - b.own.used : a.key.used - b.key.used
