// The clock of a simulation: timers in order of time, then of creation. It replaces the timers and
// clocks of the process while a simulation runs, so the code under test needs no seam.
//
// Each timer belongs to the owner that is current when it is set: a running instance, or the
// clients. Work of one owner runs until nothing is left to do before the work of another begins, so
// the owner of everything between two timers is that of the timer that began it. The timers of an
// instance that was killed never fire.

/** Something that runs: an instance from its start to its end, or the clients. */
export type Owner = {
  readonly name: string
  isAlive: boolean
  /** The work to do when it continues, while it is stopped; null while it runs. */
  held: (() => void)[] | null
  /** Milliseconds that its wall clock is ahead. */
  readonly aheadMs: number
}

export const ownerOf = (name: string, aheadMs = 0): Owner => ({
  name,
  isAlive: true,
  held: null,
  aheadMs,
})

type Entry = {
  at: number
  order: number
  readonly everyMs: number | null
  readonly owner: Owner
  readonly action: () => void
  isSet: boolean
}

/** The wall clock at the start of each simulation: 1 January 2027. */
const EPOCH_MS = Date.UTC(2027, 0, 1)
/** Immediate callbacks between two timers after which a simulation counts as caught in a loop. */
const IMMEDIATES_MAX = 200_000

const turn = setImmediate
const nextTurn = (): Promise<void> => new Promise((resolve) => turn(resolve))

export class Clock {
  /** Milliseconds since the start of the simulation. */
  now = 0
  current: Owner
  readonly #heap: Entry[] = []
  /** Work on other threads, in the order of its beginning, and what follows once it is done. */
  readonly #outside: { next: (() => void) | null }[] = []
  readonly #immediate: { readonly owner: Owner; readonly action: () => void }[] = []
  #order = 0

  constructor(first: Owner) {
    this.current = first
  }

  get wallMs(): number {
    return EPOCH_MS + this.now + this.current.aheadMs
  }

  /** Calls `action` as work of `owner` after `ms`, unless the owner has ended. */
  after(
    ms: number,
    action: () => void,
    owner = this.current,
    everyMs: number | null = null,
  ): Entry {
    const delay = ms > 0 && ms < 2 ** 31 ? ms : 0
    const entry = {
      at: this.now + delay,
      order: this.#order++,
      everyMs,
      owner,
      action,
      isSet: true,
    }
    this.#push(entry)
    return entry
  }

  immediately(action: () => void): void {
    this.#immediate.push({ owner: this.current, action })
  }

  /**
   * Notes work that another thread begins: it ends before the clock goes on, and works end in the
   * order of their beginnings. The returned function receives what follows from it when it is done.
   */
  outside(): (next: () => void) => void {
    const work: { next: (() => void) | null } = { next: null }
    this.#outside.push(work)
    return (next) => {
      work.next = next
    }
  }

  /** Resolves as work of the current owner after `ms`. */
  sleep(ms: number): Promise<void> {
    return new Promise((resolve) => this.after(ms, resolve))
  }

  /** Passes the outcome of another owner's work on to the current one. */
  hand<T>(work: Promise<T>): Promise<T> {
    const { current } = this
    return new Promise((resolve, reject) => {
      work.then(
        (value) => this.after(0, () => resolve(value), current),
        (error: unknown) => this.after(0, () => reject(error), current),
      )
    })
  }

  /** Runs work as that of `owner`, which continues until it waits. */
  as<T>(owner: Owner, work: () => T): T {
    const before = this.current
    this.current = owner
    try {
      return work()
    } finally {
      this.current = before
    }
  }

  /** Lets an owner that was stopped continue: everything that it has missed happens now. */
  resume(owner: Owner): void {
    const { held } = owner
    owner.held = null
    for (const action of held ?? []) action()
  }

  /** Runs everything that the last timer has caused and that waits for no other timer. */
  async settle(): Promise<void> {
    for (let immediates = 0; ; ) {
      await nextTurn()
      const next = this.#immediate.shift()
      if (next !== undefined) {
        if (++immediates > IMMEDIATES_MAX) throw new Error('the simulation is caught in a loop')
        if (!next.owner.isAlive) continue
        this.current = next.owner
        next.action()
      } else if (this.#outside.length === 0) return
      else if (this.#outside[0]!.next !== null) this.#outside.shift()!.next!()
    }
  }

  /** Moves to the next timer and runs it. Returns its owner, or null if no timer is left. */
  async step(): Promise<Owner | null> {
    for (;;) {
      const next = this.#pop()
      if (next === null) return null
      if (!next.isSet || !next.owner.isAlive) continue
      const { held } = next.owner
      if (held !== null) {
        held.push(() => this.#push(Object.assign(next, { at: this.now, order: this.#order++ })))
        continue
      }
      this.now = next.at
      this.current = next.owner
      if (next.everyMs === null) next.isSet = false
      else {
        Object.assign(next, { at: this.now + next.everyMs, order: this.#order++ })
        this.#push(next)
      }
      next.action()
      await this.settle()
      return next.owner
    }
  }

  #push(entry: Entry): void {
    const heap = this.#heap
    let at = heap.push(entry) - 1
    for (;;) {
      const parent = (at - 1) >> 1
      if (at === 0 || !isBefore(entry, heap[parent]!)) break
      heap[at] = heap[parent]!
      at = parent
    }
    heap[at] = entry
  }

  #pop(): Entry | null {
    const heap = this.#heap
    const [first] = heap
    const last = heap.pop()
    if (first === undefined || last === undefined) return null
    if (heap.length === 0) return first
    let at = 0
    for (;;) {
      let child = 2 * at + 1
      if (child >= heap.length) break
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++
      if (!isBefore(heap[child]!, last)) break
      heap[at] = heap[child]!
      at = child
    }
    heap[at] = last
    return first
  }
}

const isBefore = (a: Entry, b: Entry): boolean =>
  a.at < b.at || (a.at === b.at && a.order < b.order)
