// Finds the layer of a segment, including its work.
import { assert } from '../../../format/errors.ts'
import type { Layer } from '../../../format/manifest/index.ts'
import type { SegmentLayer } from './layer.ts'
import { LAYERS } from './registry.ts'

/** Returns a layer by name; `hasLayer(name)` must be true. */
export function layerNamed(name: Layer): SegmentLayer {
  const layer = LAYERS.find((one) => one.name === name)
  assert(layer !== undefined, 'a segment is of a layer that there is')
  return layer
}

/** Returns the layer whose frames have this kind, or null. */
export const layerOfKind = (kind: string): SegmentLayer | null =>
  LAYERS.find((layer) => layer.kind === kind) ?? null
