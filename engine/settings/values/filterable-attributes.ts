// The attributes that may be filtered by and counted as facets, and the allowed operations.
import { either, flag, list, object, text, texts } from '../../../format/schema/index.ts'
import { covers, matchesPattern, namesInside, replace, setting } from '../schema/index.ts'

export type FilterFeatures = {
  readonly facetSearch: boolean
  readonly filter: { readonly equality: boolean; readonly comparison: boolean }
}
export type FilterableRule = {
  readonly attributePatterns: readonly string[]
  readonly features: FilterFeatures
}
/** A plain name selects the field and all fields nested in it, with every feature. */
export type FilterableAttribute = string | FilterableRule

const ruleSchema = object<FilterableRule>({
  attributePatterns: texts,
  features: object<FilterFeatures>({
    facetSearch: flag,
    filter: object<FilterFeatures['filter']>({ equality: flag, comparison: flag }),
  }),
})

export const filterableAttributes = setting<readonly FilterableAttribute[]>()({
  code: 'invalid_settings_filterable_attributes',
  advice: 'send an array of names, or of rules with `attributePatterns` and `features`.',
  change: 'whole',
  default: [],
  stored: list(either(text, ruleSchema)),
  merge: replace,
  olderNames: ['attributesForFaceting'],
  fromDump: (given) => (Array.isArray(given) ? given.map(withFeatures) : given),
  fieldNames: (rules) =>
    rules.flatMap((rule) => (typeof rule === 'string' ? [rule] : rule.attributePatterns)),
  keeps: {
    layer: 'columns',
    fields: (rules) => ({
      holds(field) {
        const rule = filterableRuleOf(rules, field)
        if (rule === null) return false
        const { facetSearch, filter } = rule.features
        return facetSearch || filter.equality || filter.comparison
      },
      holdsBelow: (field) =>
        rules.some((rule) =>
          typeof rule === 'string'
            ? namesInside(field, rule)
            : rule.attributePatterns.some((p) => p.includes('*') || namesInside(field, p)),
        ),
    }),
  },
})

/** Features of a rule that names none. */
export const FEATURES_OF_A_RULE: FilterFeatures = {
  facetSearch: false,
  filter: { equality: true, comparison: false },
}

function withFeatures(rule: unknown): unknown {
  if (typeof rule !== 'object' || rule === null) return rule
  const { attributePatterns, features } = rule as { [member: string]: unknown }
  const given = (features ?? {}) as Partial<FilterFeatures>
  const filter = { ...FEATURES_OF_A_RULE.filter, ...given.filter }
  return { attributePatterns, features: { ...FEATURES_OF_A_RULE, ...given, filter } }
}

/** Features of a plain name in `filterableAttributes`: all. */
const FEATURES_OF_A_NAME: FilterFeatures = {
  facetSearch: true,
  filter: { equality: true, comparison: true },
}

/**
 * Returns the rule that applies to a field and its position in the list: the first match. Null if
 * no rule matches.
 */
export function filterableRuleOf(
  rules: readonly FilterableAttribute[],
  field: string,
): { readonly index: number; readonly features: FilterFeatures } | null {
  for (let index = 0; index < rules.length; index++) {
    const rule = rules[index]!
    if (typeof rule === 'string') {
      if (covers(rule, field)) return { index, features: FEATURES_OF_A_NAME }
    } else if (rule.attributePatterns.some((pattern) => matchesPattern(pattern, field))) {
      return { index, features: rule.features }
    }
  }
  return null
}
