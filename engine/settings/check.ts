// What can be said about a change before it meets the stored settings: is the feature on, do the
// values make sense by themselves. Its schema was checked where the change was read.
import { EngineFault, type Features } from '../model/index.ts'
import { featureRefusal } from './features.ts'
import type { FeatureNeed } from './setting.ts'
import { SETTING_NAMES, type SettingsPatch, settingNamed } from './types.ts'

/**
 * Every feature that a change needs must be on; putting back to the default never needs one.
 * @throws EngineFault
 */
export function checkPatchFeatures(patch: SettingsPatch, features: Features): void {
  for (const [feature, action] of needsOf(patch)) {
    if (features[feature]) continue
    throw new EngineFault('feature_not_enabled', featureRefusal(feature, action))
  }
}

/** Settings of a feature first. */
function needsOf(patch: SettingsPatch): readonly FeatureNeed[] {
  const whole: FeatureNeed[] = []
  const inside: FeatureNeed[] = []
  for (const name of SETTING_NAMES) {
    const given = patch[name]
    if (given === undefined || given === null) continue
    const { feature, needs } = settingNamed(name)
    if (feature !== undefined) {
      whole.push([feature, `setting \`${name}\` in the index settings`])
    }
    if (needs !== undefined) inside.push(...needs(given))
  }
  return [...whole, ...inside]
}

/** The values of a change, one by one and together. @throws EngineFault */
export function checkPatch(patch: SettingsPatch): void {
  for (const name of SETTING_NAMES) {
    const given = patch[name]
    if (given !== undefined && given !== null) settingNamed(name).check?.(given)
  }
}
