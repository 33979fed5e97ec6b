// Look-ups and walks by the kernel, over a copy of the dictionary in its memory · pages:
// ../kernel/KERNEL.md, ./LEVENSHTEIN.md
//
// The walks of ./fuzzy.ts and ./cursor.ts are the twins: they give the same keys, and take over
// where the kernel refuses: at damaged bytes, whose error they throw, and at queries or keys that
// do not fit into its room. The sizes here are those of `../kernel/dictionary.as`.
import { encoder } from '../bytes/index.ts'
import { ALL_SEGMENTS, DICTIONARY_PART, type Kernel, kernelIfAny } from '../kernel/index.ts'
import { FstCursor } from './cursor.ts'
import type { Fst } from './decode-v1.ts'
import { FuzzyCursor } from './fuzzy.ts'
import { KeyWalk } from './key-walk.ts'
import { CHAIN_LABELS } from './layout-v1.ts'
import { automata } from './parametric.ts'
import { FUZZY_QUERY_BYTES_MAX, type FuzzyOptions } from './pattern.ts'

const ROOM_BYTES = 203_520
/** A UTF-16 unit takes at most three bytes: such queries fit without counting. */
const QUERY_UNITS_MAX = Math.floor(FUZZY_QUERY_BYTES_MAX / 3)
const WALK_AT = 69_376
const STATUS_AT = WALK_AT + 20
const TOP_AT = WALK_AT + 16
const STACK_AT = WALK_AT + 1024
const FOUND_AT = 134_912
const KEYS_AT = 137_984
const STATUS_NEW = 0

const REFUSED = -1

/** Tables of the automaton and of chain labels, one copy for all threads. */
const ACCEPTS_AT = 8192
const EDITS_AT = 9216
const INITIAL_AT = 9344
const LABELS_AT = 9360
const TABLE_BYTES = LABELS_AT + 128

/** Keys of a batch: enough for most walks, and few enough for a walk that ends early. */
const BATCH_KEYS = 64
const WORDS_PER_KEY = 4
const SAME_FIRST = 256
const ASCII = 512

/** A thread's kernel with a room for walks, or null if there is none. */
type Host = {
  readonly kernel: Kernel
  readonly room: Buffer
  readonly numbers: Int32Array
  readonly tablesAt: number
}

let host: Host | null = null

function hostOf(kernel: Kernel): Host | null {
  if (host?.kernel === kernel) return host
  const tables = { segment: ALL_SEGMENTS, part: DICTIONARY_PART, bytes: TABLE_BYTES }
  const tablesAt = kernel.memory.hold(tables, (at) => writeTables(kernel, at))
  if (tablesAt === null) return null
  const room = kernel.lastingRoom(ROOM_BYTES)
  const numbers = new Int32Array(room.buffer, room.byteOffset, ROOM_BYTES / 4)
  host = { kernel, room, numbers, tablesAt }
  return host
}

function writeTables(kernel: Kernel, at: number): void {
  const { steps, accepts, edits, initial } = automata()
  const tables = new Uint8Array(TABLE_BYTES)
  tables.set(new Uint8Array(steps.buffer, steps.byteOffset, steps.byteLength))
  tables.set(accepts, ACCEPTS_AT)
  tables.set(edits, EDITS_AT)
  const view = new DataView(tables.buffer)
  for (let limit = 0; limit < initial.length; limit++) {
    view.setInt32(INITIAL_AT + limit * 4, initial[limit]!, true)
  }
  tables.set(CHAIN_LABELS, LABELS_AT)
  kernel.write(at, tables)
}

/** A dictionary in the memory of the kernel. Belongs to one thread. */
export class KernelFst {
  readonly #fst: Fst
  readonly #host: Host
  /** Address of its nodes. */
  readonly #at: number

  private constructor(fst: Fst, host: Host, at: number) {
    this.#fst = fst
    this.#host = host
    this.#at = at
  }

  /**
   * Returns the dictionary of a segment in the memory of the kernel, which the first thread copies
   * there; null if there is no kernel, no room, or another thread is copying. `segment`: its
   * number, under which `KernelMemory.release` releases it.
   */
  static of(fst: Fst, segment: number): KernelFst | null {
    const kernel = kernelIfAny()
    const found = kernel === null ? null : hostOf(kernel)
    if (found === null) return null
    const wanted = { segment, part: DICTIONARY_PART, bytes: fst.bytes.length }
    const at = found.kernel.memory.hold(wanted, (to) => found.kernel.write(to, fst.bytes))
    return at === null ? null : new KernelFst(fst, found, at)
  }

  /** Returns the ordinal of a key, or -1. @throws CorruptionError */
  ordinalOf(key: string): number {
    const { kernel, tablesAt, room } = this.#host
    const { size, keyBytesMax, bytes } = this.#fst
    if (key.length <= QUERY_UNITS_MAX) {
      const length = room.write(key, 0, FUZZY_QUERY_BYTES_MAX, 'utf8')
      const { byteOffset } = room
      const found = kernel.exports.ordinalOf(
        this.#at,
        bytes.length,
        size,
        keyBytesMax,
        tablesAt,
        byteOffset,
        length,
      )
      if (found !== REFUSED) return found < 0 ? -1 : found
    }
    return this.#fst.ordinalOf(encoder.encode(key))
  }

  /** Walks over the keys near a query: see `FuzzyCursor`. */
  near(query: string, options: FuzzyOptions): KeyWalk {
    const { maxDistance, otherFirstDistanceMax, prefix } = options
    const packed = maxDistance | ((otherFirstDistanceMax + 1) << 2) | (prefix ? 16 : 0)
    return new KernelWalk(this, query, packed, () => new FuzzyCursor(this.#fst, query, options))
  }

  /** Walks over the keys that begin with `prefix`, itself included. */
  prefixed(prefix: string): KeyWalk {
    return new KernelWalk(this, prefix, -1, () => {
      const cursor = new FstCursor(this.#fst)
      cursor.seekPrefix(encoder.encode(prefix))
      return cursor
    })
  }

  /**
   * Reads the next keys of a walk. `state`: a copy of its state after the last batch, or null at
   * the beginning. Returns null where the twin must take over.
   */
  batch(query: string, options: number, state: Uint8Array | null): Batch | null {
    const { kernel, room, numbers, tablesAt } = this.#host
    const { size, keyBytesMax, bytes } = this.#fst
    if (query.length > QUERY_UNITS_MAX) return null
    const length = room.write(query, 0, FUZZY_QUERY_BYTES_MAX, 'utf8')
    if (state === null) numbers[STATUS_AT >>> 2] = STATUS_NEW
    else room.set(state, WALK_AT)
    const { near, prefixed } = kernel.exports
    const own = room.byteOffset
    const end = bytes.length
    const count =
      options < 0
        ? prefixed(this.#at, end, size, keyBytesMax, tablesAt, own, length, BATCH_KEYS)
        : near(this.#at, end, size, keyBytesMax, tablesAt, own, length, options, BATCH_KEYS)
    if (count === REFUSED) return null
    if (count === 0) return EMPTY_BATCH
    const from = FOUND_AT >>> 2
    const found = numbers.slice(from, from + count * WORDS_PER_KEY)
    const keys = room.subarray(KEYS_AT, KEYS_AT + found[count * WORDS_PER_KEY - 1]!)
    const stateEnd = STACK_AT + numbers[TOP_AT >>> 2]!
    const isEnd = numbers[STATUS_AT >>> 2] !== WALKING
    return {
      count,
      found,
      keys: Buffer.from(keys),
      state: isEnd ? null : new Uint8Array(room.subarray(WALK_AT, stateEnd)),
    }
  }
}

const WALKING = 1

/** Keys of a walk. */
type Batch = {
  readonly count: number
  /** By key: ordinal, distance and flags, hash, end of its bytes in `keys`. */
  readonly found: Int32Array
  readonly keys: Buffer
  /** State of the walk after them; null at its end. */
  readonly state: Uint8Array | null
}

const EMPTY_BATCH: Batch = {
  count: 0,
  found: new Int32Array(0),
  keys: Buffer.alloc(0),
  state: null,
}

class KernelWalk extends KeyWalk {
  readonly #dictionary: KernelFst
  readonly #query: string
  readonly #options: number
  readonly #twin: () => FuzzyCursor | FstCursor
  #batch: Batch | null = null
  #index = 0
  /** Keys of earlier batches. */
  #before = 0

  /** `options`: those of `near`, or -1 for `prefixed`. */
  constructor(
    dictionary: KernelFst,
    query: string,
    options: number,
    twin: () => FuzzyCursor | FstCursor,
  ) {
    super(null)
    this.#dictionary = dictionary
    this.#query = query
    this.#options = options
    this.#twin = twin
  }

  override next(): boolean {
    if (this.cursor !== null) return super.next()
    const last = this.#batch
    if (last === null || this.#index === last.count) {
      if (last !== null && last.state === null) return false
      this.#before += last?.count ?? 0
      this.#index = 0
      this.#batch = this.#dictionary.batch(this.#query, this.#options, last?.state ?? null)
      if (this.#batch === null) return this.#continueWithTwin()
      if (this.#batch.count === 0) return false
    }
    const { found, keys } = this.#batch!
    const at = this.#index++ * WORDS_PER_KEY
    const flags = found[at + 1]!
    const from = at === 0 ? 0 : found[at - 1]!
    this.ordinal = found[at]!
    this.distance = flags & 255
    this.sameFirst = (flags & SAME_FIRST) !== 0
    this.hash = found[at + 2]! >>> 0
    this.text = keys.toString((flags & ASCII) === 0 ? 'utf8' : 'latin1', from, found[at + 3]!)
    return true
  }

  /** Walks again from the beginning, without the keys that were returned before. */
  #continueWithTwin(): boolean {
    this.cursor = this.#twin()
    for (let i = 0; i < this.#before; i++) if (!this.cursor.next()) return false
    return super.next()
  }
}
