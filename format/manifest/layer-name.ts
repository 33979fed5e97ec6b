// The encoding of layers in an edit: the three oldest layers by number, all others by name. The
// manifest has no list of existing layers.
import { LAYER_NAME_MAX } from './limits.ts'

/** The name of a layer: at most `LAYER_NAME_MAX` small letters. */
export type Layer = string

/** These layers are written as their index in this list, which must never change. */
export const NUMBERED_LAYERS: readonly Layer[] = ['documents', 'text', 'columns']

export const isLayerName = (name: string): boolean =>
  name.length <= LAYER_NAME_MAX && /^[a-z]+$/.test(name)
