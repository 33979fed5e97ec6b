// Removes dead documents from ids and bits.
import type { IdSet } from '../../../format/idset/index.ts'

/** Moves the ids of ids[from, to) that are not in `dead` to `from`; returns their end. */
function dropMembers(ids: Uint32Array, from: number, to: number, dead: IdSet): number {
  let n = from
  for (let i = from; i < to; i++) {
    ids[n] = ids[i]!
    if (!dead.has(ids[i]!)) n++
  }
  return n
}

/** Returns a copy without the members of `dead`. */
export function withoutMembers(ids: Uint32Array, dead: IdSet): Uint32Array {
  const out = ids.slice()
  return out.subarray(0, dropMembers(out, 0, out.length, dead))
}

/** Clears the bits of all members. */
export function clearMembers(bits: Uint32Array, dead: IdSet): void {
  if (dead.words !== null) {
    const end = Math.min(bits.length, dead.words.length)
    for (let w = 0; w < end; w++) bits[w]! &= ~dead.words[w]!
    return
  }
  for (const id of dead.ids!) bits[id >>> 5]! &= ~(1 << (id & 31))
}
