// The order of the fragments of embedders on another server. Vectors of fragments are sent without
// names, so they must be in the order in which the receiver counts its fragments.
import { compareText } from '../../../format/bytes/index.ts'
import { isObject } from '../../../format/schema/index.ts'
import { embedderSpecs } from '../../settings/embedders/index.ts'
import type { IndexSettings } from '../../settings/index.ts'
import type { Remote } from './remote.ts'

/** By embedder: the names of its fragments for documents. */
export type FragmentOrders = { readonly [embedder: string]: readonly string[] }

/** The state of the index on the receiver, and whether it gets the settings of this index. */
type Receiver = { readonly exists: boolean; readonly getsSettings: boolean }

/**
 * Returns null if no embedder has fragments. Settings that are sent add fragments behind the
 * existing ones, by name. @throws EngineFault, Canceled
 */
export async function fragmentOrders(
  remote: Remote,
  path: string,
  { embedders }: IndexSettings,
  { exists, getsSettings }: Receiver,
): Promise<FragmentOrders | null> {
  const specs = embedderSpecs(embedders).filter(({ fragments }) => fragments.length > 0)
  if (specs.length === 0) return null
  const there = exists ? await remote.read(`${path}/settings/embedders`) : null
  const orders = specs.map(({ name, fragments }) => {
    const known = fragmentsIn(isObject(there) ? there[name] : null)
    const added = getsSettings ? fragments.filter((one) => !known.includes(one)) : []
    return [name, [...known, ...added.toSorted(compareText)]] as const
  })
  return Object.fromEntries(orders)
}

/** Returns the names of fragments for documents in an embedder as servers show it. */
function fragmentsIn(embedder: unknown): readonly string[] {
  if (!isObject(embedder)) return []
  const side = isObject(embedder['indexingEmbedder']) ? embedder['indexingEmbedder'] : embedder
  const fragments = side['indexingFragments']
  return isObject(fragments) ? Object.keys(fragments) : []
}
