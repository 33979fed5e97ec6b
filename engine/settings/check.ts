// What can be said about a change before it meets the stored settings: is the feature on, do the
// values make sense by themselves. The shape was checked where the change was read.

import type { Feature, Features } from '../model/index.ts'
import { EngineFault } from '../model/index.ts'
import { checkEmbedderPatches } from './embedder-checks.ts'
import type { EmbedderPatch } from './embedder-types.ts'
import { featureRefusal } from './features.ts'
import { rankingRulesProblem } from './ranking-rules.ts'
import { SETTINGS } from './settings.table.ts'
import { SETTING_NAMES, type SettingsPatch } from './types.ts'

/**
 * Every feature that a change needs must be on; putting back to the default never needs one.
 * @throws EngineFault
 */
export function checkPatchFeatures(patch: SettingsPatch, features: Features): void {
  for (const name of SETTING_NAMES) {
    const feature = SETTINGS[name].feature
    if (feature === null || patch[name] === undefined || patch[name] === null) continue
    need(features, feature, `setting \`${name}\` in the index settings`)
  }
  for (const embedder of Object.values(patch.embedders ?? {})) {
    if (embedder !== null) checkEmbedderFeatures(embedder, features)
  }
}

const need = (features: Features, feature: Feature, action: string): void => {
  if (!features[feature])
    throw new EngineFault('feature_not_enabled', featureRefusal(feature, action))
}

const checkEmbedderFeatures = (patch: EmbedderPatch, features: Features): void => {
  const isSet = (value: unknown): boolean => value !== undefined && value !== null
  if (patch.source === 'composite') {
    need(features, 'compositeEmbedders', 'using `"composite"` as source')
  }
  for (const part of ['searchEmbedder', 'indexingEmbedder'] as const) {
    if (isSet(patch[part])) need(features, 'compositeEmbedders', `setting \`${part}\``)
  }
  for (const embedder of [patch, patch.searchEmbedder, patch.indexingEmbedder]) {
    for (const fragments of ['indexingFragments', 'searchFragments'] as const) {
      if (isSet(embedder?.[fragments])) need(features, 'multimodal', `setting \`${fragments}\``)
    }
  }
}

/** The values of a change, one by one and together. @throws EngineFault */
export function checkPatch(patch: SettingsPatch): void {
  if (patch.rankingRules) {
    const problem = rankingRulesProblem(patch.rankingRules)
    if (problem !== null) throw new EngineFault('invalid_settings_ranking_rules', problem)
  }
  if (patch.embedders) checkEmbedderPatches(patch.embedders)
}
