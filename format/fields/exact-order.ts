// The order of numbers that are a double and a residue · ./FIELDS.md, "Block"
import { isBelow } from '../bytes/index.ts'

/** Returns the indices of the numbers in their order; equal ones stay in theirs. */
export const exactOrder = (values: Float64Array, residues: Int16Array): Uint32Array =>
  Uint32Array.from(values.keys()).sort((a, b) => {
    const [x, y] = [values[a]!, values[b]!]
    if (x !== y) return x - y
    if (isBelow(x, y)) return -1
    return isBelow(y, x) ? 1 : residues[a]! - residues[b]!
  })
