// The only importer of the native Roaring package. It serves where many large encoded sets are
// combined at once (merging segments); a plain twin in the tests keeps it honest.
import { createRequire } from 'node:module'
import type { RoaringBitmap32 as Bitmap } from 'roaring'
import { encodeIds } from './codec-v1.ts'

let loaded: typeof import('roaring') | null = null
/** Loading takes about 10 ms: only writers pay for it, and only when they need it. */
const native = (): typeof import('roaring') => {
  loaded ??= createRequire(import.meta.url)('roaring') as typeof import('roaring')
  return loaded
}

/**
 * One operand of a merge: an encoded set, and the ids of it that no longer count (null: all count).
 */
export type MergeOperand = { readonly bytes: Uint8Array; readonly dead: Uint32Array | null }

/** The union of all operands without their dead ids, as ascending ids. The bytes were verified. */
export function mergeEncoded(operands: readonly MergeOperand[]): Uint32Array {
  const { RoaringBitmap32 } = native()
  const live: Bitmap[] = operands.map(({ bytes, dead }) => {
    const bitmap = RoaringBitmap32.deserialize(bytes, 'portable')
    if (dead !== null) bitmap.andNotInPlace(new RoaringBitmap32(dead))
    return bitmap
  })
  const union = live.length === 1 ? live[0]! : RoaringBitmap32.orMany(live)
  return union.toUint32Array()
}

/** `mergeEncoded`, encoded again. */
export const mergeEncodedIds = (operands: readonly MergeOperand[]): Uint8Array =>
  encodeIds(mergeEncoded(operands))
