// Files that a thread does not need in memory any more. Their pages are given back at once. They
// are unmapped, and the disk space of removed ones comes back, when the runtime has collected what
// referred to them.
//
// A collection on demand is dear: V8 marks from the roots alone then and gives up each hidden class
// that has no object at that moment, with all optimized code that knows it. Under load a third of
// the processor time went into optimizing the same functions again. Collections that V8 begins by
// itself keep such classes. So those are waited for; one is forced when much memory is held, or
// when they are held for long.
import { MiB } from '../../../format/bytes/index.ts'
import { collectGarbage, releasePages } from './map.ts'

/** A file that was let go of: its memory, and how much that is. */
export type DroppedFile = { readonly memory: WeakRef<ArrayBufferLike>; readonly bytes: number }

export type DroppedFilesOptions = {
  /** Runs a full collection of this thread. */
  readonly collect?: () => void
  /** Gives back the pages of a file's memory. */
  readonly release?: (memory: ArrayBufferLike) => void
  /** How often it is looked whether they are still held. */
  readonly lookMs?: number
}

/** How often it is looked: what is forced comes so long after the files were let go of. */
const LOOK_MS = 5000
/** More than this is not left to chance. */
const BYTES_MAX = 64 * MiB
/** Nor is anything that is still held after so many looks: a minute. */
const LOOKS_MAX = 12

export class DroppedFiles {
  readonly #collect: () => void
  readonly #release: (memory: ArrayBufferLike) => void
  readonly #lookMs: number
  #isLookDue = false
  #held: DroppedFile[] = []
  /** How often those that are held were looked at. */
  #looks = 0

  constructor(options: DroppedFilesOptions = {}) {
    this.#collect = options.collect ?? collectGarbage
    this.#release = options.release ?? releasePages
    this.#lookMs = options.lookMs ?? LOOK_MS
  }

  add(files: readonly DroppedFile[]): void {
    if (files.length === 0) return
    for (const { memory } of files) {
      const held = memory.deref()
      if (held !== undefined) this.#release(held)
    }
    if (this.#held.length === 0) this.#looks = 0
    this.#held.push(...files)
    this.#lookLater()
  }

  #lookLater(): void {
    if (this.#isLookDue) return
    this.#isLookDue = true
    setTimeout(() => this.#look(), this.#lookMs)
  }

  #look(): void {
    this.#isLookDue = false
    this.#held = this.#held.filter(({ memory }) => memory.deref() !== undefined)
    if (this.#held.length === 0) return
    const bytes = this.#held.reduce((sum, file) => sum + file.bytes, 0)
    this.#looks++
    if (bytes > BYTES_MAX || this.#looks >= LOOKS_MAX) {
      this.#held = []
      this.#collect()
    } else this.#lookLater()
  }
}
