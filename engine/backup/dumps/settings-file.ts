// The settings of an index in a dump: the object that the API shows, with secrets in clear.
import { CorruptionError } from '../../../format/errors.ts'
import {
  applyPatch,
  decodeSettings,
  defaultSettings,
  encodeSettings,
  type IndexSettings,
  rankingRuleProblem,
  renderSetting,
  SETTING_NAMES,
  type SettingsPatch,
} from '../../settings/index.ts'
import { corrupted, type Members, membersOf } from './dump-error.ts'

export const dumpedSettings = (settings: IndexSettings): Members =>
  Object.fromEntries(
    SETTING_NAMES.map((name) => [
      name,
      name === 'embedders' ? settings.embedders : renderSetting(settings, name),
    ]),
  )

const FEATURES = { facetSearch: false, filter: { equality: true, comparison: false } }

/**
 * A change of settings as it may be applied: known settings only, left-out members filled in.
 * `place` is for the words of a failure. @throws DumpError when a value has not the shape it must
 */
export function settingsPatch(value: unknown, place: string): SettingsPatch {
  const given = membersOf(value, place)
  const patch: { [name: string]: unknown } = {}
  for (const name of SETTING_NAMES) if (given[name] !== undefined) patch[name] = given[name]
  if (Array.isArray(patch['filterableAttributes'])) {
    patch['filterableAttributes'] = patch['filterableAttributes'].map(withFeatures)
  }
  return patch
}

const withFeatures = (rule: unknown): unknown => {
  if (typeof rule !== 'object' || rule === null) return rule
  const { attributePatterns, features } = rule as { [member: string]: unknown }
  const given = (features ?? {}) as Partial<typeof FEATURES>
  const filter = { ...FEATURES.filter, ...given.filter }
  return { attributePatterns, features: { ...FEATURES, ...given, filter } }
}

/** The settings that a patch makes of the defaults. @throws DumpError, EngineFault */
export function settingsOf(patch: SettingsPatch, place: string): IndexSettings {
  for (const rule of patch.rankingRules ?? []) {
    const problem = rankingRuleProblem(rule)
    if (problem !== null) corrupted(place, problem.replace(/\.$/, ''))
  }
  try {
    return decodeSettings(encodeSettings(applyPatch(defaultSettings(), patch).settings))
  } catch (error) {
    // Values of another shape are met by code that expects theirs, or by the check of what is kept.
    const isMisfit = error instanceof CorruptionError || error instanceof TypeError
    if (!isMisfit) throw error
    return corrupted(place, 'a setting has not the shape that it must have')
  }
}
