// Caches document sets computed for single segments, within a limit. A segment never changes, so
// entries stay valid: a key begins with a number assigned when the thread opened the segment, and
// sets ignore tombstones. The caller removes dead documents.
//
// One cache serves all segments of a thread, so that the limit applies to the thread. Entries of
// closed segments are not used any more; they are removed for many segments at a time, because that
// visits every key.
import { MiB } from '../../../format/bytes/index.ts'
import { CacheBudget, type Shrinking, shrinkToFit } from '../../../format/cache/index.ts'
import type { IdSet } from '../../../format/idset/index.ts'
import type { SegmentSet } from './range-bits.ts'

/** Bytes of the sets of a thread: enough for some thousand searches of 25,000 documents. */
const BYTES_MAX = 24 * MiB
/**
 * For more documents: room for this many sets with a bit for each document, most of which are
 * smaller. With fewer, mixed searches in rotation evict each other's sets.
 */
const DENSE_SETS = 1024
/**
 * Limit for the largest indexes, which hold fewer such sets, unless the thread has more memory: see
 * `giveMemory`.
 */
const LARGE_BYTES_MAX = 192 * MiB

/** A limit in bytes: `sets` sets with a bit for each id, at least `min` and at most `max`. */
export type SetRoom = { readonly min: number; readonly sets: number; readonly max: number }

const ROOM: SetRoom = { min: BYTES_MAX, sets: DENSE_SETS, max: LARGE_BYTES_MAX }
/**
 * Sets of pairs are small, but take milliseconds to compute. Beside those of words, which are
 * copied from the segment in microseconds, most would be removed before they are used again: with
 * one cache, 400 mixed searches of a million documents in rotation read most of their pairs each
 * time.
 */
const PAIRS_ROOM: SetRoom = { min: 8 * MiB, sets: 192, max: 64 * MiB }

const bytesMaxOf = ({ max, min, sets }: SetRoom, idEnd: number): number =>
  Math.max(min, Math.min(max, (idEnd / 8) * sets))

/** Approximate bytes of a map entry with the prefix of its key and the object around a set. */
const ENTRY_BYTES = 160

/** UTF-16 units at the beginning of a key that identify the segment. */
const HEAD_UNITS = 2
/** Number of keys of closed segments at which entries are removed: that visits all entries. */
const CLOSED_MIN = 8

/** Returns true for the key of an entry of a segment that is closed. */
export type IsClosed = (key: string) => boolean

/** A cache of this thread whose keys begin with those of segments. */
export interface SegmentCaching extends Shrinking {
  /** Removes the entries of closed segments. */
  dropClosed(isClosed: IsClosed): void
}

type Entry<S> = { readonly sets: readonly S[]; readonly bytes: number; wasUsed: boolean }

/** `S`: the sets; a key belongs to sets of one kind. */
export class SetCache<S extends { readonly byteLength: number } = IdSet> implements SegmentCaching {
  #room: SetRoom
  #bytesMax: number
  readonly #budget: { fit(): void } | null
  /** Oldest first; an entry used since the last pass counts as new. */
  readonly #entries = new Map<string, Entry<S>>()
  #bytes = 0

  /** `budget`: shared with other caches; null for none. */
  constructor(room: SetRoom = ROOM, budget: { fit(): void } | null = null) {
    this.#room = room
    this.#bytesMax = room.min
    this.#budget = budget
  }

  /** Approximate bytes of all entries. */
  get byteLength(): number {
    return this.#bytes
  }

  /** Raises the largest limit to `max` bytes, for indexes that are opened later. */
  raiseMax(max: number): void {
    this.#room = { ...this.#room, max: Math.max(this.#room.max, max) }
  }

  /** Returns the limit in bytes for ids below `idEnd`. */
  bytesMaxOf(idEnd: number): number {
    return bytesMaxOf(this.#room, idEnd)
  }

  /** Raises the limit for an index with ids below `idEnd`; it is never lowered. */
  makeRoomFor(idEnd: number): void {
    this.#bytesMax = Math.max(this.#bytesMax, this.bytesMaxOf(idEnd))
  }

  /** Returns the set under `key`, computing it on first use. */
  one<T extends S>(key: string, make: () => T): T {
    return (this.find(key) ?? this.add(key, [make()]))[0] as T
  }

  /** Returns the sets under `key`, or null. */
  find(key: string): readonly S[] | null {
    const entry = this.#entries.get(key)
    if (entry === undefined) return null
    entry.wasUsed = true
    return entry.sets
  }

  /** Adds sets under a new key, and removes others until they fit. */
  add(key: string, sets: readonly S[]): readonly S[] {
    let bytes = ENTRY_BYTES + key.length * 2
    for (const set of sets) bytes += set.byteLength
    this.#entries.set(key, { sets, bytes, wasUsed: false })
    this.#bytes += bytes
    if (this.#bytes > this.#bytesMax) this.shrinkTo(this.#bytesMax)
    this.#budget?.fit()
    return sets
  }

  /** Replaces the sets under a key, or adds them. */
  replace(key: string, sets: readonly S[]): readonly S[] {
    const entry = this.#entries.get(key)
    if (entry !== undefined) {
      this.#entries.delete(key)
      this.#bytes -= entry.bytes
    }
    return this.add(key, sets)
  }

  dropClosed(isClosed: IsClosed): void {
    for (const [key, { bytes }] of this.#entries) {
      if (!isClosed(key)) continue
      this.#entries.delete(key)
      this.#bytes -= bytes
    }
  }

  /**
   * Removes entries until `bytes` are left. Second-chance eviction: entries used since the last
   * pass move to the end, others are removed.
   */
  shrinkTo(bytes: number): void {
    for (const [key, entry] of this.#entries) {
      if (this.#bytes <= bytes) return
      this.#entries.delete(key)
      if (entry.wasUsed) {
        entry.wasUsed = false
        this.#entries.set(key, entry)
      } else {
        this.#bytes -= entry.bytes
      }
    }
  }
}

/**
 * The caches of results of this thread, by what they hold: beside sets and pairs, bounds of bm25 and
 * what boosts read. They register when their modules are loaded.
 */
export const THREAD_BUDGET = new CacheBudget<
  'sets' | 'pairs' | 'bounds' | 'boosts',
  SegmentCaching
>(Number.POSITIVE_INFINITY)
/** Shared by all segments of this thread. */
export const THREAD_SETS = new SetCache<SegmentSet>(ROOM, THREAD_BUDGET)
/** The same for documents in which two groups of words are near each other. */
export const THREAD_PAIRS = new SetCache(PAIRS_ROOM, THREAD_BUDGET)
THREAD_BUDGET.add('sets', THREAD_SETS)
THREAD_BUDGET.add('pairs', THREAD_PAIRS)
let wordBytesMax = Number.POSITIVE_INFINITY

/**
 * Lets the caches of this thread use `bytes` of memory: two fifths for sets of whole indexes
 * (`CachedWordSets`); the rest for the caches of THREAD_BUDGET, of which the largest gives way when
 * it is used up.
 */
export function giveMemory(bytes: number): void {
  wordBytesMax = (bytes / 5) * 2
  THREAD_BUDGET.bytesMax = bytes - wordBytesMax
  THREAD_SETS.raiseMax((bytes / 5) * 2)
  THREAD_PAIRS.raiseMax(bytes / 5)
}

/** Returns the bytes of sets that are cached with the words of an index with ids below `idEnd`. */
export const wordSetBytesMax = (idEnd: number): number =>
  Math.min(wordBytesMax, THREAD_SETS.bytesMaxOf(idEnd))

/** Keeps the sets that are cached with the words of all indexes within the share of the thread. */
export const fitWordSets = (indexes: readonly Shrinking[]): void =>
  shrinkToFit(indexes, wordBytesMax)

let segmentsOpened = 0
const headsByReader = new WeakMap<object, string[]>()

/** Returns a unique prefix for keys of an open segment: two UTF-16 units. */
export function nextSegmentKey(reader: object): string {
  segmentsOpened++
  const head = String.fromCharCode(segmentsOpened >>> 16, segmentsOpened & 0xffff)
  const heads = headsByReader.get(reader)
  if (heads === undefined) headsByReader.set(reader, [head])
  else heads.push(head)
  return head
}

const segmentKeys = new WeakMap<object, string>()

/** Returns the prefix for keys of an open segment in a cache that has no other keys of it. */
export function segmentKey(reader: object): string {
  let key = segmentKeys.get(reader)
  if (key === undefined) segmentKeys.set(reader, (key = nextSegmentKey(reader)))
  return key
}

/** Key prefixes of segments whose entries are not removed yet. */
const closed = new Set<string>()

/** Removes the cached results of segments that this thread has closed. */
export function dropResultsOf(readers: readonly object[]): void {
  for (const reader of readers) for (const head of headsByReader.get(reader) ?? []) closed.add(head)
  if (closed.size < CLOSED_MIN) return
  for (const cache of THREAD_BUDGET.caches) {
    cache.dropClosed((key) => closed.has(key.slice(0, HEAD_UNITS)))
  }
  closed.clear()
}

/**
 * Encodes numbers as part of a key: two UTF-16 units each, so that different lists have different
 * keys.
 */
export function keyOfNumbers(numbers: Uint32Array, count: number): string {
  const units = new Uint16Array(numbers.buffer, numbers.byteOffset, count * 2)
  return String.fromCharCode.apply(null, units as unknown as number[])
}
