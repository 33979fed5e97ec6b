// The writer lease as one process sees it: it may hold it, wait for it, or have lost it. Every
// change of the record is a conditional write, so a process that was stopped for a while and goes
// on with an old record changes nothing. Silence is measured by the steady clock of this process.
// That clock stands still while a machine sleeps, so the right to act is measured by one that does
// not.
// Page: WRITER.md
import { asTaskUid, type TaskUid } from '../../../format/ids.ts'
import { Canceled, EngineFault } from '../../model/index.ts'
import { microClock, sleepUnlessAborted, steadyMs } from '../../time/index.ts'
import { ArchiveError } from '../archive/index.ts'
import { positionOf } from './keys.ts'
import { HELD_SHARE, LOOK_MS_MAX, RENEWALS_PER_LEASE } from './limits.ts'
import type { StoredRecord, WriterStore } from './writer-store.ts'
import { encodeWriter, endOf, endsWith, type WriterRecord } from './writer-v1.ts'

export type WriterLeaseOptions = {
  readonly store: WriterStore
  /** The identity of the database folder. */
  readonly instance: string
  /** Drawn at the start of this process. */
  readonly process: string
  readonly leaseMs: number
  readonly say: (level: 'info' | 'warn', message: string) => void
  /** Milliseconds of a clock that is never set, in place of both clocks; for tests. */
  readonly now?: () => number
}

/** The state of a place before its first term under a lease. */
export type Start = { readonly term: number; readonly head: string | null }

/** That of an empty place; of no use where there is a record. */
export const FIRST: Start = { term: 0, head: null }

/** Writes of one change: the first, one for each earlier write without an answer, and some more. */
const WRITES_MAX = 5

type Seen = { readonly stored: StoredRecord; readonly since: number }

export class WriterLease {
  readonly #options: WriterLeaseOptions
  readonly #now: () => number
  /** As `#now`, and ahead of it by the time for which the machine slept. */
  readonly #awakeNow: () => number
  /** The record as it was read or written last, and since when it has been the same. */
  #seen: Seen | null = null
  /**
   * The next beat: each attempt has another one. So a record found in the store is that of the last
   * attempt, or of an earlier one, which has not extended the right to act.
   */
  #beats = 0
  /** The term that this process holds or held, or 0. */
  #term = 0
  /** When the right to act as the writer ends, unless it is renewed. */
  #heldUntil = Number.NEGATIVE_INFINITY
  #isLost = false
  #problem: string | null = null
  /** The last write; the next one waits for it. Never rejects. */
  #tail: Promise<unknown> = Promise.resolve()
  #lose: () => void = () => undefined
  /** Resolves when another process has taken the lease. */
  readonly lost = new Promise<void>((resolve) => {
    this.#lose = resolve
  })

  constructor(options: WriterLeaseOptions) {
    this.#options = options
    this.#now = options.now ?? steadyMs
    const micros = microClock()
    this.#awakeNow = options.now ?? (() => micros() / 1000)
  }

  get term(): number {
    return this.#term
  }

  get isLost(): boolean {
    return this.#isLost
  }

  get instance(): string {
    return this.#options.instance
  }

  /** The record that was seen last, or null. */
  get record(): WriterRecord | null {
    return this.#seen?.stored.record ?? null
  }

  /** The smallest uid of a task of this instance that is not published. */
  get nextTask(): TaskUid {
    const { record } = this
    if (record === null) return asTaskUid(0)
    const { instance } = this.#options
    return (
      (record.instance === instance ? record : endOf(record, instance))?.nextTask ?? asTaskUid(0)
    )
  }

  /** Why the last request failed, or null. */
  get problem(): string | null {
    return this.#problem
  }

  /** Whether this process may act as the writer now. Ask right before each act. */
  get isHeld(): boolean {
    return !this.#isLost && this.#awakeNow() < this.#heldUntil
  }

  /** Reads the record. @throws EngineFault, ArchiveError, Canceled */
  async look(): Promise<WriterRecord | null> {
    const stored = await this.#options.store.get()
    this.#note(stored)
    return stored?.record ?? null
  }

  /** Whether another process may take the lease, as far as this one has watched the record. */
  get isFree(): boolean {
    if (this.#seen === null) return true
    const { stored, since } = this.#seen
    const { record } = stored
    if (record?.isReleased === true || record?.instance === this.#options.instance) return true
    return this.#now() - since >= (record ?? this.#options).leaseMs
  }

  /**
   * Begins a term, unless the record has changed since it was seen. `start`: for a place without a
   * record. Returns whether this process holds the lease.
   * @throws EngineFault, ArchiveError, Canceled
   */
  claim(start: Start): Promise<boolean> {
    return this.#inTurn(async () => {
      const before = this.record
      const { instance, process, leaseMs } = this.#options
      const { term, head, nextTask } = before ?? { ...start, nextTask: asTaskUid(0) }
      if (before !== null && this.#isOwnClaim(before)) {
        if (!(await this.#put({ ...before, beat: this.#beats++ }))) return false
        this.#term = before.term
        return true
      }
      const { instance: former = '', ends = [] } = before ?? {}
      const record = {
        term: term + 1,
        instance,
        head,
        nextTask,
        process,
        leaseMs,
        beat: this.#beats++,
        isReleased: false,
        ends: before === null ? [] : endsWith(ends, { term, instance: former, head, nextTask }),
      }
      if (!(await this.#put(record))) return false
      this.#term = record.term
      return true
    })
  }

  /** Whether this process claimed the lease, and the answer was lost: it has done nothing since. */
  #isOwnClaim({ process, term, isReleased, head }: WriterRecord): boolean {
    const isNew = term > this.#term && positionOf(head ?? '').term < term
    return process === this.#options.process && !isReleased && isNew
  }

  /** Extends the lease. @throws EngineFault, ArchiveError, Canceled */
  renew(): Promise<void> {
    return this.#change((record) => record)
  }

  /**
   * Makes a state that is in the store the newest one; it is published when this resolves.
   * @throws EngineFault `writer_lease_lapsed` if another process has the lease; as `renew`
   */
  publish(head: string, nextTask: TaskUid): Promise<void> {
    return this.#change((record) => ({ ...record, head, nextTask }))
  }

  /** Gives the lease back, so that another process can take it at once. @throws as `renew` */
  async release(): Promise<void> {
    if (this.#term === 0 || this.#isLost) return
    await this.#change((record) => ({ ...record, isReleased: true }))
    this.#heldUntil = Number.NEGATIVE_INFINITY
  }

  /** Gives up what this process has not published: another one has the lease. */
  yield(): void {
    this.#isLost = true
  }

  /** Renews the lease until it is lost or `signal` is aborted. */
  async keep(signal: AbortSignal): Promise<void> {
    const { leaseMs } = this.#options
    while (!signal.aborted && !this.#isLost) {
      const dueAt = this.#heldUntil - leaseMs * (HELD_SHARE - 1 / RENEWALS_PER_LEASE)
      const pause =
        this.#problem === null ? dueAt - this.#awakeNow() : leaseMs / RENEWALS_PER_LEASE / 4
      await sleepUnlessAborted(Math.max(pause, 0), signal)
      if (signal.aborted || this.#awakeNow() < dueAt) continue
      await this.#quietly('renewed', () => this.renew())
    }
  }

  /**
   * Watches the record until this process may take the lease and has taken it, or `signal` is
   * aborted. `isReady`: whether this instance has the state of that name. Returns whether it holds
   * the lease.
   */
  async await(isReady: (head: string | null) => boolean, signal: AbortSignal): Promise<boolean> {
    while (!signal.aborted) {
      const mine = await this.#quietly('read', async () => {
        const record = await this.look()
        if (record === null || !this.isFree || !isReady(record.head)) return false
        return this.claim(FIRST)
      })
      if (mine === true) return true
      const { leaseMs } = this.record ?? this.#options
      await sleepUnlessAborted(Math.min(leaseMs / 8, LOOK_MS_MAX), signal)
    }
    return false
  }

  /** Changes the record of this process's term. */
  #change(change: (record: WriterRecord) => WriterRecord): Promise<void> {
    return this.#inTurn(async () => {
      // An earlier write whose answer was lost may have been executed: then the record is another
      // one of the same term, and the change is applied to that.
      for (let i = 0; i < WRITES_MAX && !this.#isLost; i++) {
        const { record } = this
        if (record === null) break
        if (await this.#put({ ...change(record), beat: this.#beats++ })) return
        const { process } = this.#options
        const isOwn = this.record?.term === this.#term && this.record.process === process
        if (!isOwn) this.#loseNow()
      }
      const words = this.#isLost
        ? 'Another instance is the writer now.'
        : 'The store refuses the writer record.'
      throw new EngineFault('writer_lease_lapsed', words)
    })
  }

  /** Writes the record, which has a beat of its own, if it is as it was seen; else reads it. */
  async #put(record: WriterRecord): Promise<boolean> {
    const { store, leaseMs } = this.#options
    const bytes = encodeWriter(record)
    const begun = this.#awakeNow()
    const etag = await store.put(bytes, this.#seen?.stored.etag ?? null)
    if (etag !== null) {
      this.#seen = { stored: { record, bytes, etag }, since: this.#now() }
      this.#heldUntil = begun + leaseMs * HELD_SHARE
      return true
    }
    const found = await store.get()
    this.#note(found)
    // The first attempt of this write was executed, and its answer was lost.
    if (found === null || Buffer.compare(found.bytes, bytes) !== 0) return false
    this.#heldUntil = begun + leaseMs * HELD_SHARE
    return true
  }

  #note(stored: StoredRecord | null): void {
    const isSame = stored !== null && this.#seen?.stored.etag === stored.etag
    if (!isSame) this.#seen = stored === null ? null : { stored, since: this.#now() }
  }

  #loseNow(): void {
    this.#isLost = true
    const { record } = this
    const gone = this.#seen === null ? 'its record was removed' : 'its record is damaged'
    const by = record === null ? gone : `it has the term ${record.term} now`
    this.#options.say('warn', `Another instance took the writer lease: ${by}.`)
    this.#lose()
  }

  /** Does work that is tried again after a failure, which is logged once. */
  async #quietly<T>(what: string, work: () => Promise<T>): Promise<T | null> {
    const { say } = this.#options
    try {
      const value = await work()
      if (this.#problem !== null) say('info', 'The writer lease works again.')
      this.#problem = null
      return value
    } catch (error) {
      const isTemporary =
        error instanceof EngineFault || error instanceof ArchiveError || error instanceof Canceled
      if (!isTemporary) throw error
      if (this.#isLost) return null
      const words = error.message === '' ? 'the store does not answer in time' : error.message
      if (this.#problem === null) say('warn', `The writer lease could not be ${what}: ${words}`)
      this.#problem = words
      return null
    }
  }

  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#tail.then(work)
    this.#tail = done.catch(() => undefined)
    return done
  }
}
