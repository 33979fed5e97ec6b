// Sorts ids from several lists.

/** Up to this many ids are sorted here, because a call of the runtime takes longer. */
const INSERTION_MAX = 24

/** Sorts ids in place and removes duplicates. */
export function sortDistinct(ids: Uint32Array): Uint32Array {
  if (ids.length <= INSERTION_MAX) insertionSort(ids)
  else ids.sort()
  let n = 0
  for (let i = 0; i < ids.length; i++) if (i === 0 || ids[i] !== ids[n - 1]) ids[n++] = ids[i]!
  return ids.subarray(0, n)
}

function insertionSort(ids: Uint32Array): void {
  for (let i = 1; i < ids.length; i++) {
    const id = ids[i]!
    let j = i - 1
    for (; j >= 0 && ids[j]! > id; j--) ids[j + 1] = ids[j]!
    ids[j + 1] = id
  }
}
