// Test support: computes the tables of the Levenshtein automaton from its rules · page:
// ./LEVENSHTEIN.md
import { assert } from '../errors.ts'
import {
  ACCEPT_SLOTS,
  type Automata,
  BASE_SHIFT,
  DISTANCE_MAX,
  FAR,
  ID_MASK,
  IDS_RESERVED,
  PATTERN_BITS,
  REST_MIN,
  SETTLED,
} from './parametric.ts'

const ID_SHIFT = PATTERN_BITS

/** Returns the text of `./automata.table.ts`. */
export function automataTable({ steps, accepts, edits, stateCount }: Automata): string {
  const bytes = Buffer.concat([
    new Uint8Array(steps.buffer, 0, stateCount << (ID_SHIFT + 1)),
    accepts.subarray(0, stateCount * ACCEPT_SLOTS),
    edits.subarray(0, stateCount),
  ])
  const lines = bytes.toString('base64').match(/.{1,96}/g) ?? []
  return (
    '// The tables of ./parametric.ts, in base64. ./levenshtein.test.ts writes them with UPDATE_GOLDEN=1;\n' +
    '// do not edit by hand.\n' +
    `export const AUTOMATA = [\n${lines.map((line) => `  '${line}',\n`).join('')}].join('')\n`
  )
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

export function buildAutomata(): Automata {
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
