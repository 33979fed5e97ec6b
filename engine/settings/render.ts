// Settings as clients read them, and changes as tasks show them. Keys follow the declared order.
import type { Features } from '../model/index.ts'
import { renderEmbedderPatches, renderEmbedders } from './embedders.ts'
import { SETTINGS } from './settings.table.ts'
import { type IndexSettings, SETTING_NAMES, type SettingName, type SettingsPatch } from './types.ts'

/** Settings by name, each as JSON-ready data. */
export type RenderedSettings = { readonly [setting: string]: unknown }

/** All settings; those of a feature that is off are left out. */
export function renderSettings(settings: IndexSettings, features: Features): RenderedSettings {
  const shown: { [setting: string]: unknown } = {}
  for (const name of SETTING_NAMES) {
    const feature = SETTINGS[name].feature
    if (feature === null || features[feature]) shown[name] = renderSetting(settings, name)
  }
  return shown
}

/** One setting, whatever features are on. */
export function renderSetting(settings: IndexSettings, name: SettingName): unknown {
  switch (name) {
    case 'displayedAttributes':
    case 'searchableAttributes':
      return settings[name] ?? ['*']
    case 'embedders':
      return renderEmbedders(settings.embedders)
    default:
      return settings[name]
  }
}

/** What the task of a change shows: the settings it names, in the declared order, keys masked. */
export function detailsOf(patch: SettingsPatch): RenderedSettings {
  const details: { [setting: string]: unknown } = {}
  for (const name of SETTING_NAMES) {
    if (patch[name] !== undefined) details[name] = detailOf(patch, name)
  }
  return details
}

const detailOf = (patch: SettingsPatch, name: SettingName): unknown => {
  switch (name) {
    case 'displayedAttributes':
    case 'searchableAttributes':
      return patch[name] ?? ['*']
    case 'embedders':
      return patch.embedders ? renderEmbedderPatches(patch.embedders) : null
    default:
      return patch[name]
  }
}

/** The change that puts everything back to its default. */
export function resetPatch(): SettingsPatch {
  const patch: { [K in SettingName]?: null } = {}
  for (const name of SETTING_NAMES) patch[name] = null
  return patch
}
