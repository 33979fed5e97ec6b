// The Levenshtein automaton of *every* word, as tables · page: ./LEVENSHTEIN.md
//
// A *position* i^e means: the first i code points of the query were consumed at the cost of e
// edits; i_t^e is the middle of a swap. A *state* is a set of positions, shifted so that its lowest
// index is 0 (Schulz and Mihov). The next state depends only on where the code point occurs among
// the next five of the query: the *pattern*, five bits. So one table serves all queries.
//
// A state in use is one number: base × 4096 + id × 32. `base` is the amount by which the lowest
// position was shifted.
import { AUTOMATA } from './automata.table.ts'

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
export const IDS_RESERVED = 3

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
export const ACCEPT_SLOTS = 8
export const REST_MIN = -2

let cached: Automata | null = null

/** Returns the tables. They are stored, since the first search of a thread would compute them. */
export function automata(): Automata {
  cached ??= readAutomata()
  return cached
}

/** Returns the index into `accepts` of `state`, for a query of `queryLength` code points. */
export const acceptSlot = (state: number, queryLength: number): number => {
  const rest = queryLength - (state >>> BASE_SHIFT) - REST_MIN
  return ((state & ID_MASK) >>> 2) + (rest < ACCEPT_SLOTS ? rest : ACCEPT_SLOTS - 1)
}

/** Bytes of a state in the stored tables. */
const STATE_BYTES = (2 << PATTERN_BITS) + ACCEPT_SLOTS + 1

/** Reads the tables one after another, each without the room for unused ids. */
function readAutomata(): Automata {
  const bytes = Buffer.from(AUTOMATA, 'base64')
  const stateCount = bytes.length / STATE_BYTES
  const stepsEnd = stateCount << (ID_SHIFT + 1)
  const acceptsEnd = stepsEnd + stateCount * ACCEPT_SLOTS
  const steps = new Uint16Array(ID_MASK + 1)
  new Uint8Array(steps.buffer).set(bytes.subarray(0, stepsEnd))
  const accepts = new Uint8Array((ID_MASK + 1) >>> 2).fill(FAR)
  accepts.set(bytes.subarray(stepsEnd, acceptsEnd))
  const edits = new Uint8Array((ID_MASK + 1) >>> ID_SHIFT)
  edits.set(bytes.subarray(acceptsEnd))
  const initial = Array.from({ length: DISTANCE_MAX + 1 }, (_, limit) => firstId(limit) << ID_SHIFT)
  return { steps, accepts, edits, initial, stateCount }
}

/** The states in which nothing has been read come first. */
const firstId = (limit: number): number => IDS_RESERVED + limit
