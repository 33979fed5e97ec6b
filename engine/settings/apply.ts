// A change of settings meets the settings in force.
import { sameSetting } from './patches.ts'
import { TEXT_TOOLS, type TextTools } from './text-tools.ts'
import {
  type IndexSettings,
  SETTING_NAMES,
  type SettingName,
  type SettingsPatch,
  settingNamed,
} from './types.ts'

export type AppliedPatch = {
  readonly settings: IndexSettings
  /** The settings whose value is another one now. */
  readonly changed: ReadonlySet<SettingName>
}

/**
 * The settings after a change. Faults carry no mention of the index: a task puts it in front.
 * @throws EngineFault when the change does not fit what is stored.
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

/** The change that puts everything back to its default. */
export function resetPatch(): SettingsPatch {
  const patch: { [K in SettingName]?: null } = {}
  for (const name of SETTING_NAMES) patch[name] = null
  return patch
}
