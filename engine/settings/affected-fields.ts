// The effect of a change of settings on each field. A layer uses this to decide what it must
// rebuild; a change that affects no field of an index costs nothing.
import type { Layer } from '../../format/manifest/index.ts'
import { type FieldChoice, sameSetting } from './schema/index.ts'
import { type IndexSettings, SETTING_NAMES, settingNamed } from './types.ts'

/** Returns the fields whose values a layer stores because some setting selects them. */
export function selectedFields(layer: Layer, settings: IndexSettings): FieldChoice {
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
 * Returns a test whether a change makes a layer process the values of a field differently, for
 * fields that it stores before and after.
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
 * Returns fields that a change of settings may affect. `fields`: names of the index's fields, with
 * dots, that the settings before had selected.
 */
export const affectedFields = (
  before: IndexSettings,
  after: IndexSettings,
  fields: readonly string[],
): readonly string[] => [...fields, ...unseenNames(before, after, fields)]

/**
 * Returns names in the settings that may exist inside known fields without being listed: nested
 * values that no setting selects are not scanned. A name that matches a pattern represents it.
 */
function unseenNames(
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

/** Replaces the star of a pattern; no real name contains this character. */
const STAND_IN = '\u0001'

/** Returns every name and pattern with which settings select fields. */
const namesIn = (settings: IndexSettings): readonly string[] =>
  SETTING_NAMES.flatMap((name) => settingNamed(name).fieldNames?.(settings[name]) ?? [])
