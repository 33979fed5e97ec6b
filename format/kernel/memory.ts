// The memory of the kernel, shared by all search threads. It holds data of a segment once, written
// by the thread that needs them first; each thread also has regions for its own work.
//
//   page 0: a lock (0, or 1 + the thread that holds it), then the table of regions:
//   state · segment · part · first page · pages · threads that hold it, a bit each · 0 · 0
//
// A thread that ends leaves its regions and perhaps the lock behind; `forgetThread` releases them.
import { assert } from '../errors.ts'
import { CODE_PAGES_MAX, MEMORY_PAGES_MAX, TEXT_PAGES_MAX } from './limits.ts'
import { newWasmMemory, WASM_PAGE_BYTES, type WasmMemory } from './wasm.ts'

/** Number of threads that can share data: each has a bit of a 32-bit word. */
const SHARING_THREADS_MAX = 31

const LOCK = 0
const TABLE_AT = 8
const REGION_CELLS = 8
const TABLE_END = WASM_PAGE_BYTES / 4

const STATE = 0
const SEGMENT = 1
const PART = 2
const PAGE = 3
const PAGES = 4
const HOLDERS = 5

const FREE = 0
/** The only thread that holds the region is writing it. */
const FILLING = 1
const READY = 2

/** Value of SEGMENT in a region for one thread's own work. */
const NO_SEGMENT = -1

/** Value of SEGMENT for data that belong to no segment: tables that all threads use. */
export const ALL_SEGMENTS = -2

/** Values of PART: numbers from 0 on are the embedders of a segment, whose codes are held. */
export const DICTIONARY_PART = -1
export const POSTINGS_PART = -2

/** The lock is held for microseconds, unless its holder is paused or has ended. */
const LOCK_WAIT_MS = 1
const LOCK_WAITS_MAX = 100

/** The region that a caller requests. */
type RegionRequest = { readonly segment: number; readonly part: number; readonly bytes: number }

/** A region for one thread's own work: its cell in the table and its address. */
export type Region = { readonly cell: number; readonly at: number }

export const newKernelMemory = (): WasmMemory => newWasmMemory(MEMORY_PAGES_MAX)

export class KernelMemory {
  readonly memory: WasmMemory
  readonly #thread: number
  readonly #cells: Int32Array

  /** `thread`: number of this thread among those that share the memory. */
  constructor(memory: WasmMemory, thread: number) {
    assert(Number.isInteger(thread) && thread >= 0, 'a thread has a number')
    this.memory = memory
    this.#thread = thread
    this.#cells = new Int32Array(memory.buffer, 0, TABLE_END)
  }

  /**
   * Returns the address of a part of a segment. The first thread that calls this writes it with
   * `fill`. Returns null if another thread is writing it or there is no room.
   * @throws errors of `fill`
   */
  hold(wanted: RegionRequest, fill: (at: number) => void): number | null {
    if (this.#thread >= SHARING_THREADS_MAX) return null
    let isNew = false
    const cell = this.#locked(() => {
      const found = this.#findRegion(wanted)
      if (found !== null) {
        if (this.#cells[found + STATE] !== READY) return null
        this.#cells[found + HOLDERS]! |= 1 << this.#thread
        return found
      }
      const pages = Math.ceil(wanted.bytes / WASM_PAGE_BYTES)
      const most = wanted.part < 0 ? TEXT_PAGES_MAX : CODE_PAGES_MAX
      if (this.#pagesLike(wanted.part) + pages > most) return null
      isNew = true
      return this.#reserve(wanted, FILLING)
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

  /** Releases this thread's regions of a segment, which it must not read any more. */
  release(segment: number): void {
    this.#locked(() => {
      for (const cell of this.#used()) {
        if (this.#cells[cell + SEGMENT] === segment) dropHolder(this.#cells, cell, this.#thread)
      }
      return null
    })
  }

  /** Reserves a region for this thread alone. */
  takeRoom(bytes: number): Region {
    const wanted = { segment: NO_SEGMENT, part: 0, bytes }
    const cell = this.#locked(() => this.#reserve(wanted, READY))
    assert(cell !== null, 'the memory of the kernel has room to work in')
    return { cell, at: this.#cells[cell + PAGE]! * WASM_PAGE_BYTES }
  }

  freeRoom({ cell }: Region): void {
    Atomics.store(this.#cells, cell + STATE, FREE)
  }

  /** Number of pages that hold data of segments; for tests. */
  get heldPages(): number {
    return this.#locked(() => this.#pagesLike(0) + this.#pagesLike(-1)) ?? 0
  }

  /** Pages of codes, or of all other parts, as `part` is one of them. */
  #pagesLike(part: number): number {
    let pages = 0
    for (const cell of this.#used()) {
      const isOwn = this.#cells[cell + SEGMENT] === NO_SEGMENT
      if (!isOwn && this.#cells[cell + PART]! < 0 === part < 0) pages += this.#cells[cell + PAGES]!
    }
    return pages
  }

  #findRegion({ segment, part }: RegionRequest): number | null {
    for (const cell of this.#used()) {
      const isIt = this.#cells[cell + SEGMENT] === segment
      if (isIt && this.#cells[cell + PART] === part) return cell
    }
    return null
  }

  *#used(): Iterable<number> {
    for (let cell = TABLE_AT; cell < TABLE_END; cell += REGION_CELLS) {
      if (this.#cells[cell + STATE] !== FREE) yield cell
    }
  }

  /**
   * Reserves a region in the first gap that is large enough, or grows the memory. Returns null if
   * there is no room.
   */
  #reserve({ segment, part, bytes }: RegionRequest, state: number): number | null {
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
      this.#cells[cell + PART] = part
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
      // The maximum is reached, or the system has no more memory.
      if (error instanceof RangeError) return false
      throw error
    }
  }

  /**
   * Calls `work` while holding the lock and returns its result, or null if another thread holds the
   * lock for too long.
   */
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

/** Releases the lock and the regions of a thread that has ended. */
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

/** Removes a holder of a region; a region without holders becomes free. */
function dropHolder(cells: Int32Array, cell: number, thread: number): void {
  const bit = 1 << (thread % 32)
  if ((cells[cell + HOLDERS]! & bit) === 0) return
  if (Atomics.and(cells, cell + HOLDERS, ~bit) === bit) Atomics.store(cells, cell + STATE, FREE)
}
