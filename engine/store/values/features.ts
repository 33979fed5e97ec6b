// Experimental features that are enabled, as values of the manifest.
import type { Change } from '../../../format/manifest/index.ts'
import { FEATURES, type Feature, type Features } from '../../model/index.ts'
import type { Manifest } from '../catalog/index.ts'
import { recordsOf, type ValueSpace, valueChange } from './space.ts'

const ON = Uint8Array.of(1)

/** An enabled feature has a record; a disabled one has no record. */
const SWITCHES: ValueSpace<true> = {
  name: 'features',
  encode: () => ON,
  decode: () => true,
  limit: null,
}

/** Returns the records of enabled features; the same map until a feature is switched. */
export const featureRecords = ({
  state,
}: Pick<Manifest, 'state'>): ReadonlyMap<string, Uint8Array> => recordsOf(SWITCHES, state)

export function featuresOf({ state }: Pick<Manifest, 'state'>): Features {
  const on = recordsOf(SWITCHES, state)
  const features = FEATURES.map((feature) => [feature, on.has(feature)] as const)
  return Object.fromEntries(features) as Features
}

export const featureChange = (feature: Feature, isOn: boolean): Change =>
  valueChange(SWITCHES, feature, isOn ? true : null)
