// Schedules the warm-up of search threads. V8 runs code slowly until it has been executed often,
// and a thread needs some thousand searches for that. Threads therefore search the largest index
// while they are idle, after a start and after an index has grown much larger.
//
//   idle ──► piece of some searches in one thread ──► pause as long as the piece took ──► idle?
//
// The first thread runs some searches right after the start of the server, before it listens: the
// first client's search would be the first to run that code, and would open the segments.
//
// An arriving request ends the piece at its next checkpoint. These searches have no caller, no
// permit and no answer, and are not counted in metrics. Their effects are compiled code, open
// segments and cached sets of words that occur in documents.
import { documentsOf, type ViewRef } from '../../store/views/index.ts'
import {
  SEARCHES_PER_PIECE_MAX,
  type ViewKey,
  WARM_DOCUMENTS_MIN,
  WARM_THREADS,
  type WarmUpJob,
  type WarmUpPiece,
} from '../jobs/index.ts'

/**
 * Numbers of the searches of the first thread at the start, one piece each: two words, a word and a
 * prefix, three words. They are run until the first request arrives.
 */
const AT_START = [1, 10, 5] as const
/** Milliseconds without a request before warm-up starts. */
const IDLE_MS = 200
/** Target duration of a piece; its number of searches is adjusted from the previous piece. */
const PIECE_MS = 8
const PAUSE_MS_MIN = 2
/** After this much growth an index is treated as a new one by warm-up. */
const GROWTH = 4

export type WarmUpParts = {
  readonly threads: number
  /** Whether the first thread searches right after the start; absent means true. */
  readonly searchesAtStart?: boolean
  /** Returns the milliseconds that the thread of a slot may spend. */
  readonly msMax: (slot: number) => number
  /** Returns true if no request runs or waits, and no documents are indexed. */
  readonly isIdle: () => boolean
  readonly isStarted: (slot: number) => boolean
  /** Runs a piece on a thread, which is started if necessary. */
  readonly run: (slot: number, view: ViewRef, piece: WarmUpPiece) => Promise<'done' | 'ended'>
  /** Ends the running piece. */
  readonly interrupt: () => void
  readonly now: () => number
}

type Progress = { ms: number; next: number; count: number; isWarm: boolean }

const cold = (): Progress => ({ ms: 0, next: 0, count: 1, isWarm: false })

export class WarmUp {
  readonly #parts: WarmUpParts
  readonly #slots: Progress[]
  /** The index to search; null if all are too small. */
  #view: { readonly ref: ViewRef; readonly documents: number } | null = null
  /** Number of documents at the last warm-up. */
  #documents = 0
  #touchedAt: number
  #isRunning = false
  /** Number of searches of `AT_START` that were run, or all of them once a request has arrived. */
  #startPieces: number
  /** True after a search failed or ended its thread: warm-up is not tried again with this index. */
  #hasFailed = false
  #timer: NodeJS.Timeout | null = null

  constructor(parts: WarmUpParts) {
    this.#parts = parts
    this.#slots = Array.from({ length: parts.threads }, cold)
    this.#startPieces = parts.searchesAtStart === false ? AT_START.length : 0
    this.#touchedAt = parts.now()
  }

  /** Notes a new view of an index. */
  published(ref: ViewRef): void {
    const documents = documentsOf(ref)
    const { documents: most, ref: chosen } = this.#view ?? { documents: 0, ref: null }
    if (chosen?.index !== ref.index && documents <= most) return
    this.#pause()
    this.#view = documents < WARM_DOCUMENTS_MIN ? null : { ref, documents }
    if (this.#view === null) return
    if (documents >= this.#documents * GROWTH) {
      this.#documents = documents
      this.#hasFailed = false
      for (let slot = 0; slot < this.#slots.length; slot++) this.#slots[slot] = cold()
    }
    this.#continue()
  }

  /** Notes that these views can no longer be read. */
  retired(views: readonly ViewKey[]): void {
    const { index, sequence } = this.#view?.ref ?? { index: null, sequence: null }
    if (views.some((view) => view.index === index && view.sequence === sequence)) this.#view = null
  }

  /** Notes that the slot has a new thread. */
  started(slot: number): void {
    this.#slots[slot] = cold()
    if (this.#view !== null) this.#schedule(IDLE_MS)
  }

  /**
   * Notes that a request has arrived: ends the running piece; warm-up continues after some idle
   * time.
   */
  touch(): void {
    this.#startPieces = AT_START.length
    this.#pause()
  }

  #pause(): void {
    this.#touchedAt = this.#parts.now()
    if (this.#isRunning) this.#parts.interrupt()
  }

  close(): void {
    this.#view = null
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  get #isStarting(): boolean {
    return this.#startPieces < AT_START.length && !this.#hasFailed
  }

  /**
   * Plans the next step. At the start it runs right after the running code of the main thread,
   * without waiting for its event loop: that thread is busy for ten more milliseconds, in which a
   * search thread would have nothing to do.
   */
  #continue(): void {
    if (!this.#isStarting) {
      this.#schedule(IDLE_MS)
      return
    }
    queueMicrotask(() => {
      if (this.#isStarting) void this.#step()
    })
  }

  #schedule(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      void this.#step()
    }, ms).unref()
  }

  async #step(): Promise<void> {
    if (this.#isStarting && this.#view !== null && !this.#isRunning && this.#parts.isIdle()) {
      return this.#runAtStart(this.#view.ref)
    }
    const { isIdle, run, now, msMax } = this.#parts
    const slot = this.#next()
    if (this.#view === null || slot < 0 || this.#isRunning) return
    const begun = now()
    // Batches follow one another with short gaps: one look between them is not enough.
    if (!isIdle()) this.#touchedAt = begun + IDLE_MS
    if (begun - this.#touchedAt < IDLE_MS) return this.#schedule(IDLE_MS)
    const { next: from, count, ms: spent } = this.#slots[slot]!
    const isLast = spent >= msMax(slot)
    // The thread in reserve runs less code than the first one.
    const keepsCode = isLast && slot === 0
    const { ref } = this.#view
    this.#isRunning = true
    const outcome = await run(slot, ref, { from, count, keepsCode })
    this.#isRunning = false
    const ms = now() - begun
    // Read again: a new object if the thread was started for this piece.
    const progress = this.#slots[slot]!
    progress.ms += ms
    if (outcome === 'ended' && this.#touchedAt < begun) {
      // The thread or the index cannot be searched; requests will report the reason.
      this.#hasFailed = true
    } else if (outcome === 'done') {
      progress.isWarm = isLast
      progress.next += count
      const fitting = Math.round((count * PIECE_MS) / Math.max(ms, 1))
      progress.count = Math.min(Math.max(fitting, 1), SEARCHES_PER_PIECE_MAX)
    }
    this.#schedule(Math.max(ms, PAUSE_MS_MIN))
  }

  async #runAtStart(ref: ViewRef): Promise<void> {
    const from = AT_START[this.#startPieces++]!
    const begun = this.#parts.now()
    this.#isRunning = true
    const outcome = await this.#parts.run(0, ref, { from, count: 1, keepsCode: false })
    this.#isRunning = false
    if (outcome === 'ended' && this.#touchedAt < begun) this.#hasFailed = true
    this.#continue()
  }

  /** Returns the slot to warm up next, one slot after another, or -1 if all are warm. */
  #next(): number {
    if (this.#hasFailed) return -1
    const { isStarted } = this.#parts
    return this.#slots.findIndex(
      ({ isWarm }, slot) => !isWarm && (slot < WARM_THREADS || isStarted(slot)),
    )
  }
}

export function warmUpJob(job: number, view: ViewRef, piece: WarmUpPiece): WarmUpJob {
  const { index, sequence } = view
  const { from, count, keepsCode } = piece
  return { kind: 'warm-up', job, view: { index, sequence }, from, count, keepsCode }
}
