// The languages of attributes, and whether words are also found by their stems.
import {
  either,
  flag,
  list,
  mapOf,
  nullable,
  objectWith,
  part,
  text,
  texts,
} from '../../../format/schema/index.ts'
import { EngineFault } from '../../model/index.ts'
import { STEMMED_LANGUAGES, STEMMINGS_MAX, Stemming, type StemOptions } from '../../text/index.ts'
import { matchesPattern, setting } from '../schema/index.ts'
import { localeCode } from './locales.ts'

export type LocalizedRule = {
  readonly attributePatterns: readonly string[]
  /** Three-letter codes, after merging. */
  readonly locales: readonly string[]
  /** Whether words are also found by the stems of these languages; absent for false. */
  readonly stemming?: boolean | StemOptions
}
type Localized = readonly LocalizedRule[] | null

export const localizedAttributes = setting<Localized>()({
  code: 'invalid_settings_localized_attributes',
  advice: 'send an array of rules with `attributePatterns` and `locales`.',
  change: 'whole',
  default: null,
  stored: nullable(
    list(
      objectWith<LocalizedRule>(
        { attributePatterns: texts, locales: texts },
        {
          stemming: either(flag, part<StemOptions>({ exceptions: texts, dictionary: mapOf(text) })),
        },
      ),
    ),
  ),
  check: checkStemming,
  merge: (_, rules) => rules.map(withLongCodes),
  fieldNames: (rules) => (rules ?? []).flatMap((rule) => rule.attributePatterns),
  handles: { layer: 'text', how: handlingOf },
})

function withLongCodes({ attributePatterns, locales, stemming }: LocalizedRule): LocalizedRule {
  const codes = locales.map((code) => localeCode(code) ?? code)
  if (!isOn(stemming)) return { attributePatterns, locales: codes }
  return { attributePatterns, locales: codes, stemming }
}

const isOn = (stemming: LocalizedRule['stemming']): stemming is true | StemOptions =>
  stemming !== undefined && stemming !== false

/** Refuses rules whose languages have no stems, and more rules with stems than words can name. */
function checkStemming(rules: readonly LocalizedRule[]): void {
  const stemmed = rules.filter(({ stemming }) => isOn(stemming))
  for (const { attributePatterns, locales } of stemmed) {
    if (locales.some((code) => STEMMED_LANGUAGES.includes(localeCode(code) ?? code))) continue
    const names = STEMMED_LANGUAGES.join('`, `')
    throw new EngineFault(
      'invalid_settings_localized_attributes',
      `The rule for \`${attributePatterns.join('`, `')}\` has \`stemming\`, and none of its ` +
        `locales has stems. Locales with stems are: \`${names}\`.`,
    )
  }
  if (stemmed.length <= STEMMINGS_MAX) return
  throw new EngineFault(
    'invalid_settings_localized_attributes',
    `\`stemming\` is in ${stemmed.length} rules: at most ${STEMMINGS_MAX} are allowed.`,
  )
}

const stemmings = new WeakMap<LocalizedRule, Stemming>()

/** Returns the stems of a field, or null for none. One object for each rule. */
export function stemmingOf(
  { localizedAttributes }: { readonly localizedAttributes: Localized },
  field: string,
): Stemming | null {
  const rule = ruleOf(localizedAttributes, field)
  if (rule === null || !isOn(rule.stemming)) return null
  let stemming = stemmings.get(rule)
  if (stemming === undefined) {
    stemming = new Stemming(rule.locales, rule.stemming === true ? {} : rule.stemming)
    stemmings.set(rule, stemming)
  }
  return stemming
}

/**
 * Returns the languages allowed for a field as three-letter codes, or null for any. The first
 * matching rule applies.
 */
export const localesOf = (
  { localizedAttributes }: { readonly localizedAttributes: Localized },
  field: string,
): readonly string[] | null => ruleOf(localizedAttributes, field)?.locales ?? null

/** Returns how words of a field are read: its languages, and its stems if it has some. */
function handlingOf(rules: Localized, field: string): unknown {
  const rule = ruleOf(rules, field)
  return isOn(rule?.stemming) ? [rule?.locales, rule?.stemming] : (rule?.locales ?? null)
}

function ruleOf(rules: Localized, field: string): LocalizedRule | null {
  const holds = (pattern: string): boolean => matchesPattern(pattern, field)
  return rules?.find(({ attributePatterns }) => attributePatterns.some(holds)) ?? null
}
