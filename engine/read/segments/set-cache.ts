// Sets of documents that were computed for single segments, for as long as there is room. A segment
// never changes, so an entry is never wrong: its key begins with the number that its segment got
// when the thread opened it, and tombstones are not in it. The caller takes dead documents out.
//
// One cache serves all segments of a thread, so that its ceiling is the thread's. Entries of
// segments that the thread has let go of are asked for no more: they are removed, many segments at
// a time, as that takes a look at every key.
import { MiB } from '../../../format/bytes/index.ts'
import type { IdSet } from '../../../format/idset/index.ts'

/** What the sets of a thread may take, in bytes: some thousand searches of 25,000 documents. */
const BYTES_MAX = 24 * MiB
/**
 * Where there are more documents, so many sets with a bit for each of them: 64 MB for a million.
 * With 24 MB, 400 mixed searches in turn took a fifth more.
 */
const DENSE_SETS = 512
/** Beyond so many bytes the largest indexes have fewer. */
const LARGE_BYTES_MAX = 192 * MiB

/** What sets of ids below `idEnd` may take, in bytes. */
export const setBytesMaxOf = (idEnd: number): number =>
  Math.max(BYTES_MAX, Math.min(LARGE_BYTES_MAX, (idEnd / 8) * DENSE_SETS))

/** An entry of a map with its key's head and the object around a set, about. */
const ENTRY_BYTES = 160

/** Units that begin the keys of a segment. */
const HEAD_UNITS = 2
/** Segments that are gone before their entries are looked for: 20,000 keys take a millisecond. */
const GONE_MIN = 8

type Entry = { readonly sets: readonly IdSet[]; readonly bytes: number; wasUsed: boolean }

export class SetCache {
  #bytesMax: number
  /** The oldest first, those that were used since they were last looked at counted as new. */
  readonly #entries = new Map<string, Entry>()
  #bytes = 0
  /** Heads of segments that are gone. */
  readonly #gone = new Set<string>()

  constructor(bytesMax = BYTES_MAX) {
    this.#bytesMax = bytesMax
  }

  /** What all entries take, about. */
  get byteLength(): number {
    return this.#bytes
  }

  /** The ceiling rises for an index of ids below `idEnd`, and stays there. */
  makeRoomFor(idEnd: number): void {
    this.#bytesMax = Math.max(this.#bytesMax, setBytesMaxOf(idEnd))
  }

  /** The set under `key`, made on first use. */
  one(key: string, make: () => IdSet): IdSet {
    return this.find(key)?.[0] ?? this.add(key, [make()])[0]!
  }

  /** The sets under `key`, or null. */
  find(key: string): readonly IdSet[] | null {
    const entry = this.#entries.get(key)
    if (entry === undefined) return null
    entry.wasUsed = true
    return entry.sets
  }

  /** Puts sets under a key that is not there, and takes out others until they fit. */
  add(key: string, sets: readonly IdSet[]): readonly IdSet[] {
    let bytes = ENTRY_BYTES + key.length * 2
    for (const set of sets) bytes += set.byteLength
    this.#entries.set(key, { sets, bytes, wasUsed: false })
    this.#bytes += bytes
    if (this.#bytes > this.#bytesMax) this.#makeRoom()
    return sets
  }

  /** The segments that these keys were given for are gone, see `nextSegmentKey`. */
  dropSegments(heads: readonly string[]): void {
    for (const head of heads) this.#gone.add(head)
    if (this.#gone.size < GONE_MIN) return
    for (const [key, { bytes }] of this.#entries) {
      if (!this.#gone.has(key.slice(0, HEAD_UNITS))) continue
      this.#entries.delete(key)
      this.#bytes -= bytes
    }
    this.#gone.clear()
  }

  /** Second chance: what was used since the last look goes to the end, what was not goes. */
  #makeRoom(): void {
    for (const [key, entry] of this.#entries) {
      if (this.#bytes <= this.#bytesMax) return
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

/** Of all segments of this thread. */
export const THREAD_SETS = new SetCache()

let segmentsOpened = 0
const headsByReader = new WeakMap<object, string[]>()

/** A head for keys of a segment that this thread has opened: two UTF-16 units, given once. */
export function nextSegmentKey(reader: object): string {
  segmentsOpened++
  const head = String.fromCharCode(segmentsOpened >>> 16, segmentsOpened & 0xffff)
  const heads = headsByReader.get(reader)
  if (heads === undefined) headsByReader.set(reader, [head])
  else heads.push(head)
  return head
}

/** The thread has let go of these segments: what was computed for them goes. */
export const dropSetsOf = (readers: readonly object[]): void =>
  THREAD_SETS.dropSegments(readers.flatMap((reader) => headsByReader.get(reader) ?? []))

/** Numbers as part of a key: two UTF-16 units each, so that no two lists are alike. */
export function keyOfNumbers(numbers: Uint32Array, count: number): string {
  const units = new Uint16Array(numbers.buffer, numbers.byteOffset, count * 2)
  return String.fromCharCode.apply(null, units as unknown as number[])
}
