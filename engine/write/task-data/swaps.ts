// Pairs of indexes in the details of a swap, by their present names.

/** Returns the swaps of a task with present index names; `names` holds pair after pair. */
export const renamedSwaps = (
  swaps: readonly { readonly rename: boolean }[],
  names: readonly string[],
): readonly { readonly indexes: readonly [string, string]; readonly rename: boolean }[] =>
  swaps.map(({ rename }, i) => ({ indexes: [names[i * 2]!, names[i * 2 + 1]!] as const, rename }))
