// When search threads prepare themselves: V8 runs code slowly until it has seen it at work, and a
// thread needs some thousand searches for that. So threads search the largest index while nothing
// else is to be done, after a start and after an index has become much larger.
//
//   idle ──► piece of some searches in one thread ──► pause as long as the piece took ──► idle?
//
// A request that comes ends the piece at its next checkpoint. These searches have no caller, no
// permit and no answer: they count nowhere. What they leave behind is compiled code, open segments
// and cached sets of words that documents have.
import type { ViewRef } from '../../store/views/index.ts'
import { SEARCHES_PER_PIECE_MAX, WARM_DOCUMENTS_MIN, WARM_THREADS } from './limits.ts'
import type { ViewKey, WarmUpJob, WarmUpPiece } from './protocol.ts'

/** Nothing was asked for so long. */
const IDLE_MS = 200
/** A piece takes about so long: the number of its searches follows from the one before. */
const PIECE_MS = 8
const PAUSE_MS_MIN = 2
/** An index that has grown so much is another one to the code that searches it. */
const GROWTH = 4

export type WarmUpParts = {
  readonly threads: number
  /** What a thread may spend, in milliseconds. */
  readonly msMax: number
  /** Whether no request runs or waits. */
  readonly isIdle: () => boolean
  readonly isStarted: (slot: number) => boolean
  /** Runs a piece, in a thread that is started if need be. */
  readonly run: (slot: number, view: ViewRef, piece: WarmUpPiece) => Promise<'done' | 'ended'>
  /** Ends the piece that runs. */
  readonly interrupt: () => void
  readonly now: () => number
}

type Progress = { ms: number; next: number; count: number; isWarm: boolean }

const cold = (): Progress => ({ ms: 0, next: 0, count: 1, isWarm: false })

export class WarmUp {
  readonly #parts: WarmUpParts
  readonly #slots: Progress[]
  /** The index that is searched; null: every index is too small. */
  #view: { readonly ref: ViewRef; readonly documents: number } | null = null
  /** Documents that the threads were prepared with. */
  #documents = 0
  #touchedAt: number
  #isRunning = false
  /** A search of it failed, or ended its thread: it is not tried again with this index. */
  #hasFailed = false
  #timer: NodeJS.Timeout | null = null

  constructor(parts: WarmUpParts) {
    this.#parts = parts
    this.#slots = Array.from({ length: parts.threads }, cold)
    this.#touchedAt = parts.now()
  }

  /** There is a new view of an index. */
  published(ref: ViewRef): void {
    const documents = documentsOf(ref)
    const { documents: most, ref: chosen } = this.#view ?? { documents: 0, ref: null }
    if (chosen?.index !== ref.index && documents <= most) return
    this.touch()
    this.#view = documents < WARM_DOCUMENTS_MIN ? null : { ref, documents }
    if (this.#view === null) return
    if (documents >= this.#documents * GROWTH) {
      this.#documents = documents
      this.#hasFailed = false
      for (let slot = 0; slot < this.#slots.length; slot++) this.#slots[slot] = cold()
    }
    this.#schedule(IDLE_MS)
  }

  /** These views can be read no more. */
  retired(views: readonly ViewKey[]): void {
    const { index, sequence } = this.#view?.ref ?? { index: null, sequence: null }
    if (views.some((view) => view.index === index && view.sequence === sequence)) this.#view = null
  }

  /** The thread of a slot is a new one. */
  started(slot: number): void {
    this.#slots[slot] = cold()
    if (this.#view !== null) this.#schedule(IDLE_MS)
  }

  /** A request has come: what runs ends, and goes on when nothing was asked for a while. */
  touch(): void {
    this.#touchedAt = this.#parts.now()
    if (this.#isRunning) this.#parts.interrupt()
  }

  close(): void {
    this.#view = null
    if (this.#timer !== null) clearTimeout(this.#timer)
  }

  #schedule(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = null
      void this.#step()
    }, ms).unref()
  }

  async #step(): Promise<void> {
    const { isIdle, run, now, msMax } = this.#parts
    const slot = this.#next()
    if (this.#view === null || slot < 0 || this.#isRunning) return
    const begun = now()
    if (!isIdle() || begun - this.#touchedAt < IDLE_MS) return this.#schedule(IDLE_MS)
    const { next: from, count, ms: spent } = this.#slots[slot]!
    const isLast = spent >= msMax
    const { ref } = this.#view
    this.#isRunning = true
    const outcome = await run(slot, ref, { from, count, isLast })
    this.#isRunning = false
    const ms = now() - begun
    // Another object if the thread was started for this piece.
    const progress = this.#slots[slot]!
    progress.ms += ms
    if (outcome === 'ended' && this.#touchedAt < begun) {
      // A thread or an index that cannot be searched: requests will tell of it.
      this.#hasFailed = true
    } else if (outcome === 'done') {
      progress.isWarm = isLast
      progress.next += count
      const fitting = Math.round((count * PIECE_MS) / Math.max(ms, 1))
      progress.count = Math.min(Math.max(fitting, 1), SEARCHES_PER_PIECE_MAX)
    }
    this.#schedule(Math.max(ms, PAUSE_MS_MIN))
  }

  /** The slot whose turn it is: one after the other; below 0: all are warm. */
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
  const { from, count, isLast } = piece
  return { kind: 'warm-up', job, view: { index, sequence }, from, count, isLast }
}

/** Those of its largest layer: about as many as are alive. */
function documentsOf({ segments }: ViewRef): number {
  const byLayer = new Map<string, number>()
  for (const { layer, documents } of segments) {
    byLayer.set(layer, (byLayer.get(layer) ?? 0) + documents)
  }
  return Math.max(0, ...byLayer.values())
}
