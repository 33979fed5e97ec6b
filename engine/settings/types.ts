// Types of index settings and their changes, derived from the registry.
import { SETTINGS } from './registry.ts'
import type { Setting } from './schema/index.ts'

export type SettingName = keyof typeof SETTINGS
/** In the declared order. */
export const SETTING_NAMES = Object.keys(SETTINGS) as readonly SettingName[]

/** Returns a setting by its name, for code that works on all of them. */
export const settingNamed = (name: SettingName): Setting<unknown, unknown> => SETTINGS[name]

type ValueOf<S> = S extends Setting<infer Value, infer _Patch> ? Value : never
type ChangeOf<S> = S extends Setting<infer _Value, infer Patch> ? Patch : never

/** Complete and normalised values. */
export type IndexSettings = {
  readonly [K in SettingName]: ValueOf<(typeof SETTINGS)[K]>
}

/** A change of one setting, without null. */
export type PatchOf<K extends SettingName> = ChangeOf<(typeof SETTINGS)[K]>

/**
 * A change as a task stores it: the settings as they were sent, but with sets sorted and rules
 * completed. null resets a setting to its default. Created by `server/parse` or `resetPatch`.
 */
export type SettingsPatch = { readonly [K in SettingName]?: PatchOf<K> | null }

/** Catalogue codes for refused settings. */
export type SettingCode = (typeof SETTINGS)[SettingName]['code']

const DEFAULTS = Object.fromEntries(
  SETTING_NAMES.map((name) => [name, SETTINGS[name].default]),
) as IndexSettings

/** Returns the settings of a new index; a shared object that must not be changed. */
export const defaultSettings = (): IndexSettings => DEFAULTS
