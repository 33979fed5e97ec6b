// Sizes of an index by layer, from what the catalog knows: no file is looked at.
import type { Layer } from '../../../format/manifest/index.ts'
import { documentsProfile, PROFILES } from '../layers/index.ts'
import type { IndexState } from './state.ts'

/** Live documents of an index. */
export function documentCount(index: IndexState): number {
  let count = 0
  for (const { layer, documents, dead } of index.segments.values()) {
    if (layer === documentsProfile.name) count += documents - dead.size
  }
  return count
}

/** Bytes by layer; each layer is there. */
export function sizesOf(index: IndexState | undefined): LayerSizes {
  const sizes: LayerSizes = Object.fromEntries(PROFILES.map(({ name }) => [name, 0]))
  for (const { layer, bytes } of index?.segments.values() ?? []) sizes[layer]! += bytes
  return sizes
}

type LayerSizes = { [layer: Layer]: number }

/** Bytes of all layers. */
export const bytesOf = (index: IndexState | undefined): number =>
  Object.values(sizesOf(index)).reduce((sum, bytes) => sum + bytes, 0)
