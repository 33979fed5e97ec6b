// Checks of a change that need no stored settings: required features, and values that are wrong by
// themselves. The schema was checked when the request was parsed.
import { EngineFault, type Features } from '../model/index.ts'
import { type FeatureNeed, featureRefusal } from './schema/index.ts'
import { SETTING_NAMES, type SettingsPatch, settingNamed } from './types.ts'

/**
 * Checks that every feature which a change needs is on; resetting to the default never needs one.
 * @throws EngineFault
 */
export function checkPatchFeatures(patch: SettingsPatch, features: Features): void {
  for (const [feature, action] of needsOf(patch)) {
    if (features[feature]) continue
    throw new EngineFault('feature_not_enabled', featureRefusal(feature, action))
  }
}

/** Returns the needed features, those of whole settings first. */
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

/** Checks the values of a change, individually and together. @throws EngineFault */
export function checkPatch(patch: SettingsPatch): void {
  for (const name of SETTING_NAMES) {
    const given = patch[name]
    if (given !== undefined && given !== null) settingNamed(name).check?.(given)
  }
}
