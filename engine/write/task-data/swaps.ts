// Pairs of indexes in the details of a swap, by their present names.
import { asIndexUid, type IndexUid } from '../../../format/ids.ts'

/** Returns the swaps of a task with present index names; `names` holds pair after pair. */
export const renamedSwaps = (
  swaps: readonly { readonly rename: boolean }[],
  names: readonly string[],
): readonly { readonly indexes: readonly [IndexUid, IndexUid]; readonly rename: boolean }[] =>
  swaps.map(({ rename }, i) => ({
    indexes: [asIndexUid(names[i * 2]!), asIndexUid(names[i * 2 + 1]!)] as const,
    rename,
  }))
