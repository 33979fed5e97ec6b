// Settings in their stored form: JSON text with every setting in the declared order, and nothing
// else. Equal settings have equal text. A setting that a text lacks has its default.

import { refuse } from '../../format/errors.ts'
import { checkedValue, isObject } from '../../format/schema/index.ts'
import {
  defaultSettings,
  type IndexSettings,
  SETTING_NAMES,
  type SettingName,
  settingNamed,
} from './types.ts'

const SECTION = 'settings'

/** Encodes settings. */
export function encodeSettings(settings: IndexSettings): string {
  const ordered: { [name: string]: unknown } = {}
  for (const name of SETTING_NAMES) ordered[name] = settings[name]
  return JSON.stringify(ordered)
}

/** Decodes settings. @throws CorruptionError for any text that `encodeSettings` does not write */
export function decodeSettings(text: string): IndexSettings {
  const stored = parse(text)
  const settings: { [name: string]: unknown } = { ...defaultSettings() }
  for (const [name, value] of Object.entries(stored)) {
    if (!isSettingName(name)) refuse(SECTION, 0, 'bad_value', 'a setting', name)
    settings[name] = checkedValue(settingNamed(name).stored, value, `${SECTION}, ${name}`)
  }
  return settings as IndexSettings
}

const parse = (text: string): { readonly [name: string]: unknown } => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (error) {
    // Only a SyntaxError is possible here: the text is not JSON.
    refuse(SECTION, 0, 'bad_value', 'JSON', String(error))
  }
  if (!isObject(value)) refuse(SECTION, 0, 'bad_value', 'an object', typeof value)
  return value
}

const isSettingName = (name: string): name is SettingName =>
  (SETTING_NAMES as readonly string[]).includes(name)
