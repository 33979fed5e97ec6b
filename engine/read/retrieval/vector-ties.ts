// Documents that are equally near to a vector, in the same order on every instance of a network.
import { IdSet } from '../../../format/idset/index.ts'
import { TIES_READ_MAX } from '../jobs/index.ts'
import type { TieOrder } from '../rank/index.ts'
import type { Neighbour } from '../segments/index.ts'

/**
 * Returns the `count` nearest documents, and all that tie with the last of them, because external
 * ids break the tie later.
 */
export function withTies(
  find: (count: number) => readonly Neighbour[],
  count: number,
): readonly Neighbour[] {
  for (let tried = count + 1; ; tried *= 2) {
    const found = find(tried)
    const last = found[count - 1]?.similarity
    const isWhole = found.length < tried || found.at(-1)!.similarity !== last
    if (isWhole || tried >= TIES_READ_MAX) return found
  }
}

/** Puts equally near documents of a list, which is in order of similarity, in the order of ties. */
export function tiesInOrder(found: readonly Neighbour[], ties: TieOrder): readonly Neighbour[] {
  const ordered: Neighbour[] = []
  for (let begin = 0; begin < found.length; ) {
    const { similarity } = found[begin]!
    let end = begin + 1
    while (end < found.length && found[end]!.similarity === similarity) end++
    if (end === begin + 1) ordered.push(found[begin]!)
    else {
      const ids = found.slice(begin, end).map(({ id }) => id)
      for (const id of ties.first(IdSet.of(ids), ids.length)) ordered.push({ id, similarity })
    }
    begin = end
  }
  return ordered
}
