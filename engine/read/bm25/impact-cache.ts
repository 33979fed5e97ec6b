// Caches the bounds of words in segments, within a limit for the thread.
import { MiB } from '../../../format/bytes/index.ts'
import type { SegmentCaching } from '../segment-text/index.ts'
import type { Impacts } from './impacts.ts'

/** Approximate bytes of an entry with its objects, beside its numbers and its key. */
const ENTRY_BYTES = 600

const BYTES_MIN = 16 * MiB
/** The words of 200 searches for 14 words, in a million texts of 45 words, need 110 bytes of each. */
const BYTES_PER_DOCUMENT = 128
const BYTES_MAX = 128 * MiB

type Entry = { readonly key: string; readonly impacts: Impacts; readonly bytes: number }

export class ImpactCache implements SegmentCaching {
  readonly #places = new Map<string, number>()
  readonly #entries: Entry[] = []
  #bytes = 0
  #bytesMax: number
  #evicted = 0

  constructor(bytesMax = BYTES_MIN) {
    this.#bytesMax = bytesMax
  }

  /** Approximate bytes of all entries. */
  get byteLength(): number {
    return this.#bytes
  }

  /** Raises the limit for an index with ids below `idEnd`. */
  makeRoomFor(idEnd: number): void {
    const wanted = Math.min(BYTES_MAX, idEnd * BYTES_PER_DOCUMENT)
    this.#bytesMax = Math.max(this.#bytesMax, wanted)
  }

  get(key: string): Impacts | null {
    const place = this.#places.get(key)
    return place === undefined ? null : this.#entries[place]!.impacts
  }

  /** Adds bounds under a new key, and evicts others. */
  add(key: string, impacts: Impacts): void {
    const bytes = impacts.byteLength + ENTRY_BYTES + 2 * key.length
    if (bytes > this.#bytesMax) return
    this.shrinkTo(this.#bytesMax - bytes)
    this.#places.set(key, this.#entries.length)
    this.#entries.push({ key, impacts, bytes })
    this.#bytes += bytes
  }

  shrinkTo(bytes: number): void {
    while (this.#bytes > bytes) this.#evict()
  }

  dropClosed(isClosed: (key: string) => boolean): void {
    for (let place = this.#entries.length - 1; place >= 0; place--) {
      if (isClosed(this.#entries[place]!.key)) this.#remove(place)
    }
  }

  /**
   * Evicts an entry from a place that is as good as random: of searches in rotation that need more
   * than there is room for, some still find their words, but none if the oldest ones were evicted.
   */
  #evict(): void {
    this.#remove((Math.imul(++this.#evicted, 0x9e37_79b1) >>> 0) % this.#entries.length)
  }

  #remove(place: number): void {
    const entries = this.#entries
    const { bytes, key } = entries[place]!
    this.#bytes -= bytes
    this.#places.delete(key)
    const last = entries.pop()!
    if (place === entries.length) return
    entries[place] = last
    this.#places.set(last.key, place)
  }
}
