// The languages of attributes.
import { list, nullable, object, texts } from '../../../format/schema/index.ts'
import { matchesPattern, setting } from '../schema/index.ts'
import { localeCode } from './locales.ts'

export type LocalizedRule = {
  readonly attributePatterns: readonly string[]
  /** Three-letter codes, after merging. */
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
 * Returns the languages allowed for a field as three-letter codes, or null for any. The first
 * matching rule applies.
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
