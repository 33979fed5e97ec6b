// Functions over all layers.
import { assert } from '../../../format/errors.ts'
import type { Layer } from '../../../format/manifest/index.ts'
import { affectedFields, type IndexSettings } from '../../settings/index.ts'
import type { FieldNames } from './field-names.ts'
import { FieldPlan } from './field-plan.ts'
import type { LayerProfile } from './layer.ts'
import { PROFILES } from './registry.ts'

export const hasLayer = (name: Layer): boolean => PROFILES.some((layer) => layer.name === name)

/** Returns true if files of a layer have this extension, without its dot. */
export const hasExtension = (extension: string): boolean =>
  PROFILES.some((layer) => layer.extension === extension)

/** Returns the profile of a layer; `hasLayer(name)` must be true. */
export function profileNamed(name: Layer): LayerProfile {
  const profile = PROFILES.find((one) => one.name === name)
  assert(profile !== undefined, 'a segment is of a layer that there is')
  return profile
}

/** Returns the names of the layers that are built from the stored documents. */
export const derivedLayers = (): readonly Layer[] =>
  PROFILES.filter(({ isDerived }) => isDerived).map(({ name }) => name)

/**
 * Sets of layers as bits, by index in the registry: valid within one process, never stored on disk.
 */
export const layerBit = (name: Layer): number =>
  1 << PROFILES.findIndex((layer) => layer.name === name)

export const layerBits = (names: readonly Layer[]): number =>
  names.reduce((bits, name) => bits | layerBit(name), 0)

/** Returns all layers as bits. */
export const allLayerBits = (): number => layerBits(PROFILES.map(({ name }) => name))

/** Returns the layers that a change of any field affects, as bits. */
export const anyFieldBits = (settings: IndexSettings): number =>
  layerBits(PROFILES.filter((layer) => layer.use(settings) === null).map(({ name }) => name))

/** Returns the plan that maps each field to the layers that hold values of it. */
export const planOfLayers = (settings: IndexSettings, names: FieldNames): FieldPlan =>
  new FieldPlan(
    PROFILES.map((layer) => layer.use(settings)),
    names,
  )

/**
 * Returns the layers that must be rebuilt when the settings of an index change. `fields`: the
 * fields of the index (names with dots, as far as the settings before used them). The result is
 * exact for these fields: a change that affects none of them costs nothing, and later documents are
 * indexed under the new settings anyway.
 */
export function layersAffected(
  before: IndexSettings,
  after: IndexSettings,
  fields: readonly string[],
): readonly Layer[] {
  const concerned = affectedFields(before, after, fields)
  return PROFILES.filter((layer) => layer.affectedBy(before, after, concerned) === 'rebuild').map(
    ({ name }) => name,
  )
}
