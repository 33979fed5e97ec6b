// Every error code with its status and type: those of the table, and one for each setting, in
// alphabetical order.
import {
  SETTING_NAMES,
  type SettingCode,
  type SettingName,
  settingNamed,
} from '../../engine/index.ts'
import { CODES } from './catalogue.table.ts'
import { type Entry, entry } from './entry.ts'

export type ErrorCode = keyof typeof CODES | SettingCode
/** Codes with a row in the table. */
export type TableCode = Exclude<ErrorCode, SettingCode>

const codeOf = (name: SettingName): string => settingNamed(name).code

const ofSettings = SETTING_NAMES.map(
  (name) => [codeOf(name), entry(400, 'invalid_request')] as const,
)

export const CATALOGUE = Object.fromEntries(
  [...Object.entries(CODES), ...ofSettings].sort(([a], [b]) => (a < b ? -1 : 1)),
) as { readonly [C in ErrorCode]: Entry }

/** Codes of settings → the values that they accept. */
export const SETTING_ADVICE = Object.fromEntries(
  SETTING_NAMES.map((name) => [
    codeOf(name),
    `The setting \`${name}\`: ${settingNamed(name).advice}`,
  ]),
) as { readonly [C in SettingCode]: string }
