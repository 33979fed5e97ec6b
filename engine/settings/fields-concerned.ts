// Which fields a change of settings may treat differently. A layer compares what it does with each
// before and after; a change that concerns none of the fields of an index costs nothing.
import { rankingRuleOf } from './ranking-rules.ts'
import type { IndexSettings } from './types.ts'

/** `fields`: of the index, names with dots, as far as the settings before had a use for them. */
export const fieldsConcerned = (
  before: IndexSettings,
  after: IndexSettings,
  fields: readonly string[],
): readonly string[] => [...fields, ...namesNotMet(before, after, fields)]

/** Whether two values of a setting say the same. */
export const sameSetting = (a: unknown, b: unknown): boolean =>
  a === b || JSON.stringify(a) === JSON.stringify(b)

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

/** Stands for what a star matches; in no real name, as nobody writes it. */
const STAND_IN = '\u0001'

/** Every name and pattern that settings use to choose fields. */
function namesIn(settings: IndexSettings): readonly string[] {
  const { searchableAttributes, filterableAttributes, localizedAttributes } = settings
  const fieldRules = settings.rankingRules.flatMap((rule) => {
    const parsed = rankingRuleOf(rule)
    return parsed?.kind === 'field' ? [parsed.field] : []
  })
  return [
    ...(searchableAttributes ?? []),
    ...filterableAttributes.flatMap((rule) =>
      typeof rule === 'string' ? [rule] : rule.attributePatterns,
    ),
    ...settings.sortableAttributes,
    ...(settings.distinctAttribute === null ? [] : [settings.distinctAttribute]),
    ...fieldRules,
    ...(localizedAttributes ?? []).flatMap((rule) => rule.attributePatterns),
  ]
}
