// Which experimental features are on, as values of the manifest.
import type { Change } from '../format/manifest/index.ts'
import { FEATURES, type Feature, type Features } from './api.ts'
import type { Manifest } from './catalog/index.ts'

const SPACE = 'features'
const ON = Uint8Array.of(1)

export function featuresOf({ state }: Pick<Manifest, 'state'>): Features {
  const on = state.values.get(SPACE)
  const features = FEATURES.map((feature) => [feature, on?.has(feature) ?? false] as const)
  return Object.fromEntries(features) as Features
}

export const featureChange = (key: Feature, isOn: boolean): Change => ({
  kind: 'value-set',
  space: SPACE,
  key,
  value: isOn ? ON : null,
})
