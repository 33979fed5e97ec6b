// Settings in the form for clients, tasks, dumps and other servers. Keys follow the declared order.
import type { Features } from '../model/index.ts'
import { sameSetting } from './schema/index.ts'
import {
  type IndexSettings,
  SETTING_NAMES,
  type SettingName,
  type SettingsPatch,
  settingNamed,
} from './types.ts'

/** Settings by name, each as JSON-ready data. */
export type RenderedSettings = { readonly [setting: string]: unknown }

/** Removes the settings of features that are off, and those shown only when set. */
export function settingsShown(rendered: RenderedSettings, features: Features): RenderedSettings {
  const shown: { [setting: string]: unknown } = {}
  for (const name of SETTING_NAMES) {
    const { default: byDefault, feature, isLeftOutUnlessSet } = settingNamed(name)
    if (feature !== undefined && !features[feature]) continue
    if (isLeftOutUnlessSet === true && sameSetting(rendered[name], byDefault)) continue
    shown[name] = rendered[name]
  }
  return shown
}

/** Returns one setting, even if its feature is off; secrets are masked. */
export function renderSetting(settings: IndexSettings, name: SettingName): unknown {
  const { render } = settingNamed(name)
  return render === undefined ? settings[name] : render(settings[name])
}

/**
 * Returns the details of a settings task: the named settings in the declared order, keys masked. A
 * reset of all settings does not name those that are shown only when set.
 */
export function detailsOf(patch: SettingsPatch): RenderedSettings {
  const isReset = SETTING_NAMES.every((name) => patch[name] === null)
  const details: { [setting: string]: unknown } = {}
  for (const name of SETTING_NAMES) {
    const given = patch[name]
    const { isLeftOutUnlessSet, renderPatch } = settingNamed(name)
    if (given === undefined || (isReset && isLeftOutUnlessSet === true)) continue
    details[name] = renderPatch === undefined ? given : renderPatch(given)
  }
  return details
}

/** Returns the details of a batch from two changes of a setting, both as their tasks show them. */
export function joinDetails(name: SettingName, before: unknown, after: unknown): unknown {
  const { joinDetails } = settingNamed(name)
  return joinDetails === undefined ? after : joinDetails(before, after)
}

/** Returns all settings for a dump, secrets in clear. */
export function transferSettings(settings: IndexSettings): RenderedSettings {
  const dumped: { [setting: string]: unknown } = {}
  for (const name of SETTING_NAMES) {
    const { default: byDefault, isLeftOutUnlessSet } = settingNamed(name)
    if (isLeftOutUnlessSet === true && sameSetting(settings[name], byDefault)) continue
    dumped[name] = transferSetting(settings, name)
  }
  return dumped
}

/** Returns settings for another server, secrets in clear; omits defaults that it may not know. */
export const exportSettings = (settings: IndexSettings): RenderedSettings =>
  settingsToSend(settings, transferSetting)

/** Returns settings for a file that a server accepts, secrets masked; omits as `exportSettings`. */
export const portableSettings = (settings: IndexSettings): RenderedSettings =>
  settingsToSend(settings, renderSetting)

function settingsToSend(
  settings: IndexSettings,
  rendered: (settings: IndexSettings, name: SettingName) => unknown,
): RenderedSettings {
  const sent: { [setting: string]: unknown } = {}
  for (const name of SETTING_NAMES) {
    const { default: byDefault, feature, ...rules } = settingNamed(name)
    const isOptional =
      feature !== undefined || rules.isExportedOnlyWhenSet === true || rules.isLeftOutUnlessSet
    if (isOptional && sameSetting(settings[name], byDefault)) continue
    sent[name] = rendered(settings, name)
  }
  return sent
}

function transferSetting(settings: IndexSettings, name: SettingName): unknown {
  const { transfer } = settingNamed(name)
  return transfer === undefined ? renderSetting(settings, name) : transfer(settings[name])
}
