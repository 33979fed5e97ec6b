// The memory of the kernel: one for all search threads. Codes of segments lie in it once, whichever
// thread put them there; each thread has a region of its own to work in.
//
//   page 0: a lock (0, or 1 + the thread that holds it), then the table of regions:
//   state · segment · embedder · first page · pages · threads that hold it, a bit each · 0 · 0
//
// A thread that ends leaves its regions and maybe the lock behind: `forgetThread` gives them back.
import { assert } from '../errors.ts'
import { CODE_PAGES_MAX, MEMORY_PAGES_MAX } from './limits.ts'
import { newWasmMemory, WASM_PAGE_BYTES, type WasmMemory } from './wasm.ts'

/** Threads that can share codes: each has a bit. */
const SHARING_THREADS_MAX = 31

const LOCK = 0
const TABLE_AT = 8
const REGION_CELLS = 8
const TABLE_END = WASM_PAGE_BYTES / 4

const STATE = 0
const SEGMENT = 1
const EMBEDDER = 2
const PAGE = 3
const PAGES = 4
const HOLDERS = 5

const FREE = 0
/** The one thread that holds it is writing it. */
const FILLING = 1
const READY = 2

/** In place of a segment: what one thread works in. */
const NO_SEGMENT = -1

/** The lock is held for microseconds, unless the thread that has it is paused or has ended. */
const LOCK_WAIT_MS = 1
const LOCK_WAITS_MAX = 100

/** What region is wanted. */
type Wanted = { readonly segment: number; readonly embedder: number; readonly bytes: number }

/** A region that a thread works in. */
export type Region = { readonly cell: number; readonly at: number }

export const newCodeMemory = (): WasmMemory => newWasmMemory(MEMORY_PAGES_MAX)

export class CodeMemory {
  readonly memory: WasmMemory
  readonly #thread: number
  readonly #cells: Int32Array

  /** `thread`: the number of this thread among those that share the memory. */
  constructor(memory: WasmMemory, thread: number) {
    this.memory = memory
    this.#thread = thread
    this.#cells = new Int32Array(memory.buffer, 0, TABLE_END)
  }

  /**
   * The address of what `fill` writes for an embedder of a segment, once for all threads. null:
   * another thread is just writing it, or there is no room.
   * @throws what `fill` throws
   */
  hold(wanted: Wanted, fill: (at: number) => void): number | null {
    if (this.#thread >= SHARING_THREADS_MAX) return null
    let isNew = false
    const cell = this.#locked(() => {
      const found = this.#regionOf(wanted)
      if (found !== null) {
        if (this.#cells[found + STATE] !== READY) return null
        this.#cells[found + HOLDERS]! |= 1 << this.#thread
        return found
      }
      const pages = Math.ceil(wanted.bytes / WASM_PAGE_BYTES)
      if (this.#codePages() + pages > CODE_PAGES_MAX) return null
      isNew = true
      return this.#place(wanted, FILLING)
    })
    if (cell === null) return null
    const at = this.#cells[cell + PAGE]! * WASM_PAGE_BYTES
    if (!isNew) return at
    let isFilled = false
    try {
      fill(at)
      isFilled = true
    } finally {
      Atomics.store(this.#cells, cell + STATE, isFilled ? READY : FREE)
    }
    return at
  }

  /** This thread reads nothing of a segment any more. */
  release(segment: number): void {
    this.#locked(() => {
      for (const cell of this.#used()) {
        if (this.#cells[cell + SEGMENT] === segment) dropHolder(this.#cells, cell, this.#thread)
      }
      return null
    })
  }

  /** Room for this thread alone. */
  takeRoom(bytes: number): Region {
    const wanted = { segment: NO_SEGMENT, embedder: 0, bytes }
    const cell = this.#locked(() => this.#place(wanted, READY))
    assert(cell !== null, 'the memory of the kernel has room to work in')
    return { cell, at: this.#cells[cell + PAGE]! * WASM_PAGE_BYTES }
  }

  freeRoom({ cell }: Region): void {
    Atomics.store(this.#cells, cell + STATE, FREE)
  }

  /** Pages of codes that are held, for tests and limits. */
  get codePages(): number {
    return this.#locked(() => this.#codePages()) ?? 0
  }

  #codePages(): number {
    let pages = 0
    for (const cell of this.#used()) {
      if (this.#cells[cell + SEGMENT] !== NO_SEGMENT) pages += this.#cells[cell + PAGES]!
    }
    return pages
  }

  #regionOf({ segment, embedder }: Wanted): number | null {
    for (const cell of this.#used()) {
      const isIt = this.#cells[cell + SEGMENT] === segment
      if (isIt && this.#cells[cell + EMBEDDER] === embedder) return cell
    }
    return null
  }

  *#used(): Iterable<number> {
    for (let cell = TABLE_AT; cell < TABLE_END; cell += REGION_CELLS) {
      if (this.#cells[cell + STATE] !== FREE) yield cell
    }
  }

  /** Notes a region in the first gap that is large enough; the memory grows where no gap is. */
  #place({ segment, embedder, bytes }: Wanted, state: number): number | null {
    const pages = Math.ceil(bytes / WASM_PAGE_BYTES)
    const used = [...this.#used()].sort((a, b) => this.#cells[a + PAGE]! - this.#cells[b + PAGE]!)
    let first = 1
    for (const cell of used) {
      if (this.#cells[cell + PAGE]! - first >= pages) break
      first = this.#cells[cell + PAGE]! + this.#cells[cell + PAGES]!
    }
    const missing = first + pages - this.memory.buffer.byteLength / WASM_PAGE_BYTES
    if (missing > 0 && !this.#grow(missing)) return null
    for (let cell = TABLE_AT; cell < TABLE_END; cell += REGION_CELLS) {
      if (this.#cells[cell + STATE] !== FREE) continue
      this.#cells[cell + SEGMENT] = segment
      this.#cells[cell + EMBEDDER] = embedder
      this.#cells[cell + PAGE] = first
      this.#cells[cell + PAGES] = pages
      this.#cells[cell + HOLDERS] = 1 << (this.#thread % 32)
      this.#cells[cell + STATE] = state
      return cell
    }
    return null
  }

  #grow(pages: number): boolean {
    try {
      this.memory.grow(pages)
      return true
    } catch (error) {
      // Its maximum is reached, or the system gives no more.
      if (error instanceof RangeError) return false
      throw error
    }
  }

  /** What `work` gives with the lock held; null: another thread has the lock for too long. */
  #locked<T>(work: () => T): T | null {
    const mine = this.#thread + 1
    for (let waits = 0; ; waits++) {
      const holder = Atomics.compareExchange(this.#cells, LOCK, 0, mine)
      if (holder === 0) break
      if (waits === LOCK_WAITS_MAX) return null
      Atomics.wait(this.#cells, LOCK, holder, LOCK_WAIT_MS)
    }
    try {
      return work()
    } finally {
      unlock(this.#cells, mine)
    }
  }
}

/** Gives back what a thread that has ended held. */
export function forgetThread(memory: WasmMemory, thread: number): void {
  const cells = new Int32Array(memory.buffer, 0, TABLE_END)
  unlock(cells, thread + 1)
  for (let cell = TABLE_AT; cell < TABLE_END; cell += REGION_CELLS) {
    if (cells[cell + STATE] !== FREE) dropHolder(cells, cell, thread)
  }
}

function unlock(cells: Int32Array, holder: number): void {
  if (Atomics.compareExchange(cells, LOCK, holder, 0) === holder) Atomics.notify(cells, LOCK, 1)
}

/** A region that no thread holds is free. */
function dropHolder(cells: Int32Array, cell: number, thread: number): void {
  const bit = 1 << (thread % 32)
  if ((cells[cell + HOLDERS]! & bit) === 0) return
  if (Atomics.and(cells, cell + HOLDERS, ~bit) === bit) Atomics.store(cells, cell + STATE, FREE)
}
