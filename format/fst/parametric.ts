// The Levenshtein automaton of *every* word, as tables that are computed once · page:
// ./LEVENSHTEIN.md
//
// A *position* i^e means: the first i code points of the query were consumed at the cost of e
// edits; i_t^e is the middle of a swap. A *state* is a set of positions, shifted so that its lowest
// index is 0 (Schulz and Mihov). The next state depends only on where the code point occurs among
// the next five of the query: the *pattern*, five bits. So one table serves all queries.
//
// A state in use is one number: base × 4096 + id × 32. `base` is the amount by which the lowest
// position was shifted.
import { assert } from '../errors.ts'

/** Code points of the query that one step examines: 2 × the greatest distance + 1. */
export const PATTERN_BITS = 5
export const DISTANCE_MAX = 2

const ID_SHIFT = PATTERN_BITS
/** State ids take seven bits above the pattern's five. */
export const BASE_SHIFT = 12
export const ID_MASK = (1 << BASE_SHIFT) - 1
/** The bits of the id, without the five bits below it; ./pattern.ts uses those. */
export const ID_BITS = ID_MASK & ~((1 << PATTERN_BITS) - 1)

/** The state from which no word can be accepted. */
export const DEAD = 0
/**
 * The state before anything is read. Every step from it is `DEAD`, so the walk chooses the first
 * state itself.
 */
export const START = 1 << ID_SHIFT
/** The state in which every word is accepted; every step stays in it. */
export const SETTLED = 2 << ID_SHIFT

/** Ids 0 to 2 are `DEAD`, `START` and `SETTLED`. */
const IDS_RESERVED = 3

/** Greater than any distance that can be requested. */
export const FAR = 255

export type Automata = {
  /** By id × 32 + pattern: the amount to add to the state without its id, or `DEAD`. */
  readonly steps: Uint16Array
  /**
   * By id × 8 + clamped (code points of the query after the base, plus 2): the distance, or `FAR`.
   */
  readonly accepts: Uint8Array
  /** By id: the least number of edits among its positions. No word reached from it is nearer. */
  readonly edits: Uint8Array
  /** By the distance allowed: the state at base 0 before anything is read. */
  readonly initial: readonly number[]
  readonly stateCount: number
}

/** Slots per id in `accepts`: the query length minus the base is −2 to 4, or more. */
const ACCEPT_SLOTS = 8
const REST_MIN = -2

let cached: Automata | null = null

/** Returns the tables. The first call computes them. */
export function automata(): Automata {
  cached ??= buildAutomata()
  return cached
}

/** Returns the index into `accepts` of `state`, for a query of `queryLength` code points. */
export const acceptSlot = (state: number, queryLength: number): number => {
  const rest = queryLength - (state >>> BASE_SHIFT) - REST_MIN
  return ((state & ID_MASK) >>> 2) + (rest < ACCEPT_SLOTS ? rest : ACCEPT_SLOTS - 1)
}

/**
 * A packed set of positions: for each of five indexes, two bits with the edits of i^e; then ten
 * bits with the edits of i_t^e.
 */
type Positions = number
const INDEXES = 5
const ABSENT = 3
const ALL_ABSENT = 0xfffff
/** The set {0^0}. */
const BEGINNING: Positions = ALL_ABSENT & ~3

type AutomatonState = { readonly limit: number; readonly positions: Positions }

function buildAutomata(): Automata {
  const states: AutomatonState[] = []
  const ids = new Map<number, number>()
  const idOf = (limit: number, positions: Positions): number => {
    const name = positions * (DISTANCE_MAX + 1) + limit
    let id = ids.get(name)
    if (id === undefined) {
      id = states.length + IDS_RESERVED
      states.push({ limit, positions })
      ids.set(name, id)
    }
    return id
  }
  const initial: number[] = []
  for (let limit = 0; limit <= DISTANCE_MAX; limit++) {
    initial.push(idOf(limit, BEGINNING) << ID_SHIFT)
  }
  const steps = new Uint16Array(ID_MASK + 1)
  steps.fill(SETTLED, SETTLED, SETTLED + (1 << PATTERN_BITS))
  // The loop appends to `states`.
  for (let i = 0; i < states.length; i++) {
    const { limit, positions } = states[i]!
    const row = (i + IDS_RESERVED) << ID_SHIFT
    // A smaller distance examines fewer code points.
    const patterns = 1 << (2 * limit + 1)
    for (let pattern = 0; pattern < patterns; pattern++) {
      const base = step(positions, pattern, limit)
      if (base < 0) continue
      const target = (base << BASE_SHIFT) | (idOf(limit, packReached(base)) << ID_SHIFT)
      for (let at = pattern; at < 1 << PATTERN_BITS; at += patterns) steps[row | at] = target
    }
  }
  assert(states.length + IDS_RESERVED < 1 << (BASE_SHIFT - ID_SHIFT), 'ids take seven bits')
  return { steps, ...measure(states), initial, stateCount: states.length + IDS_RESERVED }
}

function measure(states: readonly AutomatonState[]): { accepts: Uint8Array; edits: Uint8Array } {
  const accepts = new Uint8Array((ID_MASK + 1) >>> 2).fill(FAR)
  const edits = new Uint8Array((ID_MASK + 1) >>> ID_SHIFT)
  states.forEach(({ limit, positions }, i) => {
    const id = i + IDS_RESERVED
    edits[id] = limit
    for (let index = 0; index < INDEXES; index++) {
      const e = (positions >>> (2 * index)) & 3
      const swap = (positions >>> (2 * (index + INDEXES))) & 3
      edits[id] = Math.min(edits[id]!, e, swap)
      if (e === ABSENT) continue
      for (let slot = 0; slot < ACCEPT_SLOTS - 1; slot++) {
        const distance = e + Math.abs(slot + REST_MIN - index)
        const at = id * ACCEPT_SLOTS + slot
        if (distance <= limit && distance < accepts[at]!) accepts[at] = distance
      }
    }
  })
  return { accepts, edits }
}

/**
 * By index, the least edits of the positions after a step, or `ABSENT`. Scratch that `step` fills.
 */
const plain = new Uint8Array(INDEXES + 3)
const swaps = new Uint8Array(INDEXES + 3)

/** Reads a code point that occurs where `pattern` says. Returns the lowest index reached, or -1. */
function step(positions: Positions, pattern: number, limit: number): number {
  plain.fill(ABSENT)
  swaps.fill(ABSENT)
  for (let i = 0; i < INDEXES; i++) {
    const e = (positions >>> (2 * i)) & 3
    const here = pattern >> i
    const swap = (positions >>> (2 * (i + INDEXES))) & 3
    if (swap !== ABSENT && here & 1) lower(plain, i + 2, swap)
    if (e === ABSENT) continue
    if (here & 1) lower(plain, i + 1, e)
    else if (e < limit) {
      lower(plain, i, e + 1)
      lower(plain, i + 1, e + 1)
      if (here & 2) lower(swaps, i, e + 1)
      if (here & 2) lower(plain, i + 2, e + 1)
      else if (here & 4 && e + 2 <= limit) lower(plain, i + 3, e + 2)
    }
  }
  dropRedundant()
  for (let i = 0; i < plain.length; i++) {
    if (plain[i] !== ABSENT || swaps[i] !== ABSENT) return i
  }
  return -1
}

function lower(edits: Uint8Array, index: number, e: number): void {
  if (e < edits[index]!) edits[index] = e
}

/**
 * Drops each position that accepts nothing which another position does not accept at no higher
 * cost: i^e makes j^f redundant if |i − j| ≤ f − e, and the swap j_t^f if |i − k| < f − e for a k
 * of j, j + 1, j + 2, since the swap, read as a removal, a replacement or an insertion, costs one
 * edit more.
 */
function dropRedundant(): void {
  for (let i = 0; i < plain.length; i++) {
    const e = plain[i]!
    if (e === ABSENT) continue
    for (let j = 0; j < plain.length; j++) {
      if (j !== i && plain[j] !== ABSENT && Math.abs(i - j) <= plain[j]! - e) plain[j] = ABSENT
      const far = i < j ? j - i : i > j + 2 ? i - j - 2 : 0
      if (swaps[j] !== ABSENT && far < swaps[j]! - e) swaps[j] = ABSENT
    }
  }
}

/** Packs the positions that `step` reached, shifted down by `base`. */
function packReached(base: number): Positions {
  let positions = 0
  for (let i = INDEXES - 1; i >= 0; i--) positions = (positions << 2) | (swaps[base + i] ?? ABSENT)
  for (let i = INDEXES - 1; i >= 0; i--) positions = (positions << 2) | (plain[base + i] ?? ABSENT)
  return positions
}
