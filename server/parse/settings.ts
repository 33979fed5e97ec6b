// Changes of settings, all or one: their bodies, and the route of each setting. The order of checks
// on a route: schema (here), name of the index, features and values (`engine/settings`).

import {
  SETTING_NAMES,
  SETTINGS,
  type SettingCode,
  type SettingName,
  type SettingsPatch,
  settingNamed,
} from '../../engine/index.ts'
import { asKeywords } from '../../format/schema/index.ts'
import {
  type JsonSchema,
  partial,
  readBody,
  type Schema,
  type WholeBody,
  wholeBody,
} from './schema/index.ts'
import { SETTING_SCHEMAS } from './settings.table.ts'

export type SettingRoute = {
  /** Last part of the path, below `/indexes/{uid}/settings/`. */
  readonly path: string
  readonly verb: 'PUT' | 'PATCH'
  readonly code: SettingCode
}

const routeOf = (name: SettingName): SettingRoute => ({
  path: name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
  verb: SETTINGS[name].change === 'members' ? 'PATCH' : 'PUT',
  code: SETTINGS[name].code,
})

export const SETTING_ROUTES = Object.fromEntries(
  SETTING_NAMES.map((name) => [name, routeOf(name)]),
) as { readonly [K in SettingName]: SettingRoute }

const codes = Object.fromEntries(SETTING_NAMES.map((name) => [name, SETTINGS[name].code])) as {
  readonly [K in SettingName]: SettingCode
}

/** Clients of the reference do not know these settings, so messages do not suggest them. */
const unlisted = SETTING_NAMES.filter((name) => settingNamed(name).isLeftOutUnlessSet === true)

const whole: Schema<SettingsPatch> = partial<SettingsPatch>(SETTING_SCHEMAS, codes, { unlisted })

/** Reads the body of a change of several settings. @throws ApiError */
export const readSettings: WholeBody<SettingsPatch> = wholeBody(whole)

/** Reads the body of a change of one setting; paths in messages begin below it. @throws ApiError */
export const readSetting = (name: SettingName, body: Uint8Array): SettingsPatch => ({
  [name]: readBody<unknown>(body, SETTING_SCHEMAS[name], SETTINGS[name].code),
})

/** Returns the schema of the body of a change of one setting. */
export const settingSchema = (name: SettingName): JsonSchema => asKeywords(SETTING_SCHEMAS[name])
