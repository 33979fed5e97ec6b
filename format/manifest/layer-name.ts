// How an edit names the layer of a segment: the three oldest layers by number, all others by name.
// The manifest does not know which layers there are.
import { LAYER_NAME_MAX } from './limits.ts'

/** The name of a layer: small letters, at most `LAYER_NAME_MAX` of them. */
export type Layer = string

/** Written as their place in this list, which never changes. */
export const NUMBERED_LAYERS: readonly Layer[] = ['documents', 'text', 'columns']

export const isLayerName = (name: string): boolean =>
  name.length <= LAYER_NAME_MAX && /^[a-z]+$/.test(name)
