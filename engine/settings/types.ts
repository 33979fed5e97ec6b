// The settings of an index and changes of them, as types, all taken from the registry.
import { SETTINGS } from './registry.ts'
import type { Setting } from './setting.ts'

export type SettingName = keyof typeof SETTINGS
/** In the declared order. */
export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[]

/** A setting by its name, for code that works on all of them. */
export const settingNamed = (name: SettingName): Setting<unknown, unknown> => SETTINGS[name]

type ValueOf<S> = S extends Setting<infer Value, infer _Patch> ? Value : never
type ChangeOf<S> = S extends Setting<infer _Value, infer Patch> ? Patch : never

/** Values that are complete and normalised. */
export type IndexSettings = {
  readonly [K in SettingName]: ValueOf<(typeof SETTINGS)[K]>
}

/** What a change says about one setting, apart from null. */
export type PatchOf<K extends SettingName> = ChangeOf<(typeof SETTINGS)[K]>

/**
 * A change as a task carries it: the settings that were sent, as they were sent, but with sets
 * sorted and rules completed. null puts a setting back to its default. Made by `server/parse`, or
 * `resetPatch`.
 */
export type SettingsPatch = { readonly [K in SettingName]?: PatchOf<K> | null }

/** Codes of the public catalogue for settings that are refused. */
export type SettingCode = (typeof SETTINGS)[SettingName]['code']

const DEFAULTS = Object.fromEntries(
  SETTING_NAMES.map((name) => [name, SETTINGS[name].default]),
) as IndexSettings

/** The settings of an index that has not been configured; shared, and must not be written to. */
export const defaultSettings = (): IndexSettings => DEFAULTS
