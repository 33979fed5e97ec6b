// What a change of settings costs, field by field. A layer asks here what the settings want of it;
// a change that concerns none of the fields of an index costs nothing.
import type { Layer } from '../../format/manifest/index.ts'
import { sameSetting } from './patches.ts'
import type { FieldChoice } from './setting.ts'
import { type IndexSettings, SETTING_NAMES, settingNamed } from './types.ts'

/** The fields whose values a layer keeps because some setting chooses them. */
export function fieldsKept(layer: Layer, settings: IndexSettings): FieldChoice {
  const choices = SETTING_NAMES.flatMap((name) => {
    const { keeps } = settingNamed(name)
    return keeps?.layer === layer ? [keeps.fields(settings[name])] : []
  })
  return {
    holds: (field) => choices.some((choice) => choice.holds(field)),
    holdsBelow: (field) => choices.some((choice) => choice.holdsBelow(field)),
  }
}

/**
 * Whether a change makes a layer handle values of a field in another way, given that it keeps them
 * before and after.
 */
export function handlingChanged(
  layer: Layer,
  before: IndexSettings,
  after: IndexSettings,
): (field: string) => boolean {
  const changed = SETTING_NAMES.filter(
    (name) =>
      settingNamed(name).handles?.layer === layer && !sameSetting(before[name], after[name]),
  )
  return (field) =>
    changed.some((name) => {
      const { how } = settingNamed(name).handles!
      return how === undefined || !sameSetting(how(before[name], field), how(after[name], field))
    })
}

/**
 * Fields that a change of settings may treat differently. `fields`: of the index, names with dots,
 * as far as the settings before had a use for them.
 */
export const fieldsConcerned = (
  before: IndexSettings,
  after: IndexSettings,
  fields: readonly string[],
): readonly string[] => [...fields, ...namesNotMet(before, after, fields)]

/**
 * Names in the settings that may exist inside known fields without having been met: values that no
 * setting asked for are not looked into. A name that matches stands for a pattern.
 */
function namesNotMet(
  before: IndexSettings,
  after: IndexSettings,
  fields: readonly string[],
): readonly string[] {
  const known = new Set(fields)
  const names = new Set<string>()
  for (const pattern of [...namesIn(before), ...namesIn(after)]) {
    const name = pattern.replaceAll('*', STAND_IN)
    if (known.has(name)) continue
    const dot = name.indexOf('.')
    if (pattern.includes('*') ? fields.length > 0 : dot >= 0 && known.has(name.slice(0, dot))) {
      names.add(name)
    }
  }
  return [...names]
}

/** Stands for what a star matches; no real name has this character. */
const STAND_IN = '\u0001'

/** Every name and pattern that settings use to choose fields. */
const namesIn = (settings: IndexSettings): readonly string[] =>
  SETTING_NAMES.flatMap((name) => settingNamed(name).fieldNames?.(settings[name]) ?? [])
