// Adds the texts of `server/parse/texts` to the schemas of requests.
import { SETTING_NAMES, type SettingName } from '../../engine/index.ts'
import { SETTING_ROUTES } from '../parse/index.ts'
import type { JsonSchema } from '../parse/schema/index.ts'
import {
  type LongText,
  longText,
  type MemberText,
  SETTING_TEXTS,
  type Text,
  type Texts,
} from '../parse/texts/index.ts'
import { COMMON_TEXTS, TEXTS_OF_ROUTES } from './texts.table.ts'

/** A route as the table of texts names it. */
type Named = { readonly method: string; readonly path: string }

const SETTING = /^\/indexes\/:indexUid\/settings\/(.+)$/

/** Returns the setting that a route reads or changes, or null. */
const settingOf = ({ path }: Named): SettingName | null => {
  const part = SETTING.exec(path)?.[1]
  return SETTING_NAMES.find((name) => SETTING_ROUTES[name].path === part) ?? null
}

/** Returns the texts about the parameters of a route and the members of its body. */
export function textsOf(route: Named): Texts {
  const setting = settingOf(route)
  const own =
    setting === null
      ? TEXTS_OF_ROUTES[`${route.method} ${route.path}`]
      : textOfSetting(setting)?.members
  return { ...COMMON_TEXTS, ...own }
}

/** A setting of a test has no text. */
const textOfSetting = (name: SettingName): MemberText | undefined => SETTING_TEXTS[name]

/** Returns the schema of a body with the texts about all of its members. */
export function describedBody(route: Named, schema: JsonSchema): JsonSchema {
  const setting = settingOf(route)
  const described = withTexts(schema, textsOf(route))
  const text = setting === null ? undefined : textOfSetting(setting)
  return text === undefined ? described : { ...described, ...keywordsOf(text) }
}

/** Returns the schema with texts about its members, and about those in lists, maps and choices. */
export function withTexts(schema: JsonSchema, texts: Texts): JsonSchema {
  const inside = (inner: unknown): JsonSchema => withTexts(inner as JsonSchema, texts)
  const { properties, items, additionalProperties: more, anyOf } = schema
  return {
    ...schema,
    ...(properties === undefined ? {} : { properties: describedMembers(properties, texts) }),
    ...(items === undefined ? {} : { items: inside(items) }),
    ...(typeof more === 'object' ? { additionalProperties: inside(more) } : {}),
    ...(Array.isArray(anyOf) ? { anyOf: anyOf.map(inside) } : {}),
  }
}

const describedMembers = (properties: unknown, texts: Texts): JsonSchema =>
  Object.fromEntries(
    Object.entries(properties as { readonly [name: string]: JsonSchema }).map(([name, schema]) => {
      const text: Text | undefined = Object.hasOwn(texts, name) ? texts[name] : undefined
      if (text === undefined) return [name, schema]
      const { members = {} } = longText(text)
      return [name, { ...withTexts(schema, members), ...keywordsOf(text) }]
    }),
  )

/** Returns a text as keywords of JSON Schema; a member with examples shows them. */
function keywordsOf(text: Text): JsonSchema {
  const { about, since, examples }: LongText & Partial<MemberText> = longText(text)
  return {
    description: about,
    ...(examples === undefined ? {} : { examples }),
    ...(since === undefined ? {} : { 'x-since': since }),
  }
}
