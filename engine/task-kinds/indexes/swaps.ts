// Swaps and renames of indexes, all or none. A swap exchanges the names; the data stays where it
// is. Duplicate names in a request were refused when the task was accepted.
import { compareText } from '../../../format/bytes/index.ts'
import type { IndexUid } from '../../../format/ids.ts'
import type { Change } from '../../../format/manifest/index.ts'
import { EngineFault } from '../../model/index.ts'
import { indexOfUid, type State } from '../../store/catalog/index.ts'

/** `rename`: the first index gets the second name, which must be unused. */
export type IndexSwap = {
  readonly indexes: readonly [IndexUid, IndexUid]
  readonly rename: boolean
}
type Swaps = readonly IndexSwap[]

export type SwapChanges = {
  readonly changes: readonly Change[]
  readonly swapped: readonly (readonly [IndexUid, IndexUid])[]
}

/** @throws EngineFault index_not_found, index_already_exists */
export function swapChanges(state: State, swaps: Swaps): SwapChanges {
  refuseMissing(state, swaps)
  refuseUsedNames(state, swaps)
  const changes: Change[] = []
  for (const { indexes, rename } of swaps) {
    const [from, to] = indexes
    changes.push({ kind: 'index-renamed', index: indexOfUid(state, from)!.index, uid: to })
    if (rename) continue
    changes.push({ kind: 'index-renamed', index: indexOfUid(state, to)!.index, uid: from })
  }
  return { changes, swapped: swaps.map(({ indexes }) => indexes) }
}

function refuseMissing(state: State, swaps: Swaps): void {
  const missing = new Set<IndexUid>()
  for (const { indexes, rename } of swaps) {
    for (const uid of rename ? [indexes[0]] : indexes) {
      if (indexOfUid(state, uid) === undefined) missing.add(uid)
    }
  }
  if (missing.size === 0) return
  const names = listed(missing)
  const words = missing.size === 1 ? `Index ${names} not found.` : `Indexes ${names} not found.`
  throw new EngineFault('index_not_found', words)
}

function refuseUsedNames(state: State, swaps: Swaps): void {
  const conflicts = swaps.filter(
    ({ indexes, rename }) => rename && indexOfUid(state, indexes[1]) !== undefined,
  )
  if (conflicts.length === 0) return
  const [from, to] = conflicts[0]!.indexes
  const words =
    conflicts.length === 1
      ? `Cannot rename \`${from}\` to \`${to}\` as the index already exists. ` +
        `Hint: You can remove \`${to}\` first and then do your remove.`
      : 'The following indexes are being renamed but cannot because their new name conflicts with an ' +
        `already existing index: ${listed(conflicts.map(({ indexes }) => indexes[1]))}. ` +
        "Renaming doesn't overwrite the other index name."
  throw new EngineFault('index_already_exists', words)
}

const listed = (names: Iterable<string>): string =>
  [...new Set(names)]
    .sort(compareText)
    .map((name) => `\`${name}\``)
    .join(', ')
