// Applies a change of settings to the present settings.
import { sameSetting, TEXT_TOOLS, type TextTools } from './schema/index.ts'
import {
  type IndexSettings,
  SETTING_NAMES,
  type SettingName,
  type SettingsPatch,
  settingNamed,
} from './types.ts'

export type AppliedPatch = {
  readonly settings: IndexSettings
  /** The settings whose value has changed. */
  readonly changed: ReadonlySet<SettingName>
}

/**
 * Returns the settings after a change. Messages of faults do not name the index: the task adds it.
 * @throws EngineFault if the change does not fit the present settings
 */
export function applyPatch(
  current: IndexSettings,
  patch: SettingsPatch,
  text: TextTools = TEXT_TOOLS,
): AppliedPatch {
  const next: { [name: string]: unknown } = { ...current }
  const changed = new Set<SettingName>()
  for (const name of SETTING_NAMES) {
    const given = patch[name]
    if (given === undefined) continue
    const setting = settingNamed(name)
    next[name] = given === null ? setting.default : setting.merge(current[name], given, text)
    if (!sameSetting(current[name], next[name])) changed.add(name)
  }
  return { settings: next as IndexSettings, changed }
}

/** Returns the change that resets every setting to its default. */
export function resetPatch(): SettingsPatch {
  const patch: { [K in SettingName]?: null } = {}
  for (const name of SETTING_NAMES) patch[name] = null
  return patch
}
