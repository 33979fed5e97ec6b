// Which attributes are in which languages.
import { list, nullable, object, texts } from '../../format/schema/index.ts'
import { matchesPattern } from './field-patterns.ts'
import { localeCode } from './locales.ts'
import { setting } from './setting.ts'

export type LocalizedRule = {
  readonly attributePatterns: readonly string[]
  /** Three-letter codes, once it is in force. */
  readonly locales: readonly string[]
}
type Localized = readonly LocalizedRule[] | null

export const localizedAttributes = setting<Localized>()({
  code: 'invalid_settings_localized_attributes',
  advice: 'send an array of rules with `attributePatterns` and `locales`.',
  change: 'whole',
  default: null,
  stored: nullable(list(object<LocalizedRule>({ attributePatterns: texts, locales: texts }))),
  merge: (_, rules) => rules.map(withLongCodes),
  fieldNames: (rules) => (rules ?? []).flatMap((rule) => rule.attributePatterns),
  handles: { layer: 'text', how: localesIn },
})

const withLongCodes = ({ attributePatterns, locales }: LocalizedRule): LocalizedRule => ({
  attributePatterns,
  locales: locales.map((code) => localeCode(code) ?? code),
})

/**
 * The languages allowed for a field, as three-letter codes; null: any. The first matching rule
 * wins.
 */
export const localesOf = (
  { localizedAttributes }: { readonly localizedAttributes: Localized },
  field: string,
): readonly string[] | null => localesIn(localizedAttributes, field)

function localesIn(rules: Localized, field: string): readonly string[] | null {
  for (const rule of rules ?? []) {
    if (rule.attributePatterns.some((pattern) => matchesPattern(pattern, field)))
      return rule.locales
  }
  return null
}
