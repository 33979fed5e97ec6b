// Which layer a segment is of, with all that can be done to the segment.
import { assert } from '../../../format/errors.ts'
import type { Layer } from '../../../format/manifest/index.ts'
import type { SegmentLayer } from './layer.ts'
import { LAYERS } from './registry.ts'

/** The layer of that name, which is one that `hasLayer`. */
export function layerNamed(name: Layer): SegmentLayer {
  const layer = LAYERS.find((one) => one.name === name)
  assert(layer !== undefined, 'a segment is of a layer that there is')
  return layer
}

/** The layer whose frames are of this kind, or null. */
export const layerOfKind = (kind: string): SegmentLayer | null =>
  LAYERS.find((layer) => layer.kind === kind) ?? null
