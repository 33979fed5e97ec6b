// Mapped files that a thread no longer needs. Their pages are released immediately. They are
// unmapped, and the disk space of removed files is freed, only when the runtime has collected all
// references.
//
// A forced collection is expensive: V8 then marks from the roots alone and discards each hidden
// class that has no object at that moment, with all optimized code that depends on it. Under load a
// third of the processor time was spent on optimizing the same functions again. Collections that V8
// starts itself keep such classes. So this class waits for those; it forces one only if much memory
// is held, or if files are held for long.
import { MiB } from '../../../format/bytes/index.ts'
import { collectGarbage, releasePages } from './map.ts'

/** A dropped file: its memory and its length. */
export type DroppedFile = { readonly memory: WeakRef<ArrayBufferLike>; readonly bytes: number }

export type DroppedFilesOptions = {
  /** Runs a full collection of this thread. */
  readonly collect?: () => void
  /** Releases the pages of a file's memory. */
  readonly release?: (memory: ArrayBufferLike) => void
  /** Milliseconds between two checks whether files are still held. */
  readonly checkMs?: number
}

/**
 * Interval of checks; a forced collection happens at least this long after the files were dropped.
 */
const CHECK_MS = 5000
/** More held bytes than this force a collection. */
const BYTES_MAX = 64 * MiB
/** Files that are still held after this many checks, a minute, force a collection. */
const CHECKS_MAX = 12

export class DroppedFiles {
  readonly #collect: () => void
  readonly #release: (memory: ArrayBufferLike) => void
  readonly #checkMs: number
  #isCheckDue = false
  #held: DroppedFile[] = []
  /** Number of checks since the held files were empty. */
  #checks = 0

  constructor(options: DroppedFilesOptions = {}) {
    this.#collect = options.collect ?? collectGarbage
    this.#release = options.release ?? releasePages
    this.#checkMs = options.checkMs ?? CHECK_MS
  }

  add(files: readonly DroppedFile[]): void {
    if (files.length === 0) return
    for (const { memory } of files) {
      const held = memory.deref()
      if (held !== undefined) this.#release(held)
    }
    if (this.#held.length === 0) this.#checks = 0
    this.#held.push(...files)
    this.#checkLater()
  }

  #checkLater(): void {
    if (this.#isCheckDue) return
    this.#isCheckDue = true
    setTimeout(() => this.#check(), this.#checkMs)
  }

  #check(): void {
    this.#isCheckDue = false
    this.#held = this.#held.filter(({ memory }) => memory.deref() !== undefined)
    if (this.#held.length === 0) return
    const bytes = this.#held.reduce((sum, file) => sum + file.bytes, 0)
    this.#checks++
    if (bytes > BYTES_MAX || this.#checks >= CHECKS_MAX) {
      this.#held = []
      this.#collect()
    } else this.#checkLater()
  }
}
