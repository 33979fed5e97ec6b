// The postings of stored prefixes until all terms have arrived: their section comes after those of
// the terms, and takes up to half of a large segment. In memory, or in a scratch file.
import { MiB } from '../bytes/index.ts'
import { assert } from '../errors.ts'

/** A file for bytes that do not fit in memory; its owner removes it. */
export interface Scratch {
  write(at: number, bytes: Uint8Array): void
  /** Fills `target`; returns the number of bytes read. */
  read(at: number, target: Uint8Array): number
}

/**
 * A stored prefix: its key (the bytes as one big-endian u32, zero-padded) and its posting, padded
 * to a multiple of 4 bytes.
 */
export type StoredPrefix = { readonly key: number; readonly posting: Uint8Array }

/** Bytes in memory before they are moved to a scratch file. */
const MEMORY_BYTES_MAX = 16 * MiB

/** `posting`: null if it is in the scratch file, at `at`. */
type Kept = {
  readonly key: number
  readonly length: number
  at: number
  posting: Uint8Array | null
}

export class StoredPrefixes {
  readonly #openScratch: (() => Scratch) | null
  readonly #memoryBytesMax: number
  #scratch: Scratch | null = null
  readonly #kept: Kept[] = []
  /** The first of `#kept` in memory. */
  #first = 0
  #memoryBytes = 0
  #scratchBytes = 0

  /** `openScratch` is called at most once; null keeps everything in memory. */
  constructor(openScratch: (() => Scratch) | null, memoryBytesMax = MEMORY_BYTES_MAX) {
    this.#openScratch = openScratch
    this.#memoryBytesMax = memoryBytesMax
  }

  get count(): number {
    return this.#kept.length
  }

  /** Adds a posting without padding, which is copied. */
  add(key: number, bytes: Uint8Array): void {
    const length = (bytes.length + 3) & ~3
    const posting = new Uint8Array(length)
    posting.set(bytes)
    this.#kept.push({ key, length, at: 0, posting })
    this.#memoryBytes += length
    if (this.#openScratch !== null && this.#memoryBytes > this.#memoryBytesMax) {
      this.#scratch ??= this.#openScratch()
      this.#moveTo(this.#scratch)
    }
  }

  /** Returns all prefixes by ascending key. */
  *sorted(): Iterable<StoredPrefix> {
    for (const { key, length, at, posting } of this.#kept.sort((a, b) => a.key - b.key)) {
      yield { key, posting: posting ?? this.#read(at, length) }
    }
  }

  #read(at: number, length: number): Uint8Array {
    const posting = new Uint8Array(length)
    const read = this.#scratch!.read(at, posting)
    assert(read === length, 'the scratch file has all bytes that were written')
    return posting
  }

  #moveTo(scratch: Scratch): void {
    const bytes = new Uint8Array(this.#memoryBytes)
    let at = 0
    for (; this.#first < this.#kept.length; this.#first++) {
      const one = this.#kept[this.#first]!
      bytes.set(one.posting!, at)
      one.at = this.#scratchBytes + at
      one.posting = null
      at += one.length
    }
    scratch.write(this.#scratchBytes, bytes)
    this.#scratchBytes += at
    this.#memoryBytes = 0
  }
}
