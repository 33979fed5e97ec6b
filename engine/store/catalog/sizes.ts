// Sizes of an index by layer, computed from the catalog without reading files.
import type { Layer } from '../../../format/manifest/index.ts'
import { documentsProfile, PROFILES } from '../layers/index.ts'
import type { IndexState } from './state.ts'

/** Returns the number of live documents of an index. */
export function documentCount(index: IndexState): number {
  let count = 0
  for (const { layer, documents, dead } of index.segments.values()) {
    if (layer === documentsProfile.name) count += documents - dead.size
  }
  return count
}

/** Returns bytes by layer, with an entry for each layer. */
export function sizesOf(index: IndexState | undefined): LayerSizes {
  const sizes: LayerSizes = Object.fromEntries(PROFILES.map(({ name }) => [name, 0]))
  for (const { layer, bytes } of index?.segments.values() ?? []) sizes[layer]! += bytes
  return sizes
}

type LayerSizes = { [layer: Layer]: number }

/** Returns the bytes of all layers. */
export function bytesOf(index: IndexState | undefined): number {
  let sum = 0
  for (const { bytes } of index?.segments.values() ?? []) sum += bytes
  return sum
}
