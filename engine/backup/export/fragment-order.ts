// In which order another server has the fragments of embedders. Vectors of fragments travel without
// the names of these, so they are sent in the order in which the receiver counts its fragments.
import { compareText } from '../../../format/bytes/index.ts'
import { isObject } from '../../../format/schema/index.ts'
import { embedderSpecs, type IndexSettings } from '../../settings/index.ts'
import type { Remote } from './remote.ts'

/** By embedder the names of its fragments for documents. */
export type FragmentOrders = { readonly [embedder: string]: readonly string[] }

/** What the receiver has of the index, and whether it gets the settings of this one. */
type Receiver = { readonly exists: boolean; readonly getsSettings: boolean }

/**
 * null: no embedder has fragments. Settings that are sent add fragments behind those that are
 * there, by name. @throws EngineFault, Canceled
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

/** The names of fragments for documents in an embedder as servers show it. */
function fragmentsIn(embedder: unknown): readonly string[] {
  if (!isObject(embedder)) return []
  const side = isObject(embedder['indexingEmbedder']) ? embedder['indexingEmbedder'] : embedder
  const fragments = side['indexingFragments']
  return isObject(fragments) ? Object.keys(fragments) : []
}
