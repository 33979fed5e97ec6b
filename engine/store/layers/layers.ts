// Questions about layers that are answered by looking at all of them.
import { assert } from '../../../format/errors.ts'
import type { Layer } from '../../../format/manifest/index.ts'
import { fieldsConcerned, type IndexSettings } from '../../settings/index.ts'
import type { FieldNames } from './field-names.ts'
import { FieldPlan } from './field-plan.ts'
import type { LayerProfile } from './layer.ts'
import { PROFILES } from './registry.ts'

export const hasLayer = (name: Layer): boolean => PROFILES.some((layer) => layer.name === name)

/** Whether files of a layer have this extension, without its dot. */
export const hasExtension = (extension: string): boolean =>
  PROFILES.some((layer) => layer.extension === extension)

/** What is known of the layer of that name, which is one that `hasLayer`. */
export function profileNamed(name: Layer): LayerProfile {
  const profile = PROFILES.find((one) => one.name === name)
  assert(profile !== undefined, 'a segment is of a layer that there is')
  return profile
}

/** Names of the layers that are built from the stored documents. */
export const derivedLayers = (): readonly Layer[] =>
  PROFILES.filter(({ isDerived }) => isDerived).map(({ name }) => name)

/** Sets of layers as bits, by their place in the registry: for one process, never for the disk. */
export const layerBit = (name: Layer): number =>
  1 << PROFILES.findIndex((layer) => layer.name === name)

export const layerBits = (names: readonly Layer[]): number =>
  names.reduce((bits, name) => bits | layerBit(name), 0)

/** All layers, as bits. */
export const allLayerBits = (): number => layerBits(PROFILES.map(({ name }) => name))

/** The layers that a change of any field concerns. */
export const anyFieldBits = (settings: IndexSettings): number =>
  layerBits(PROFILES.filter((layer) => layer.use(settings) === null).map(({ name }) => name))

/** Field by field, the layers that hold something of it, as bits. */
export const planOfLayers = (settings: IndexSettings, names: FieldNames): FieldPlan =>
  new FieldPlan(
    PROFILES.map((layer) => layer.use(settings)),
    names,
  )

/**
 * The layers that have to be built again when the settings of an index change that has these fields
 * (names with dots, as far as the settings before had a use for them). Exact for them: a change
 * that concerns none costs nothing, and documents that come later are indexed under the new
 * settings anyway.
 */
export function layersAffected(
  before: IndexSettings,
  after: IndexSettings,
  fields: readonly string[],
): readonly Layer[] {
  const concerned = fieldsConcerned(before, after, fields)
  return PROFILES.filter((layer) => layer.affectedBy(before, after, concerned) === 'rebuild').map(
    ({ name }) => name,
  )
}
