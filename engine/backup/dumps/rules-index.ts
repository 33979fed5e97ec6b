// Dynamic search rules in a dump: documents of a hidden index. Layout: ./DUMPS.md
import { expiryText } from '../../admin/keys/index.ts'
import type { SearchRule } from '../../read/search-rules/index.ts'
import { defaultSettings, type IndexSettings } from '../../settings/index.ts'
import { type Members, membersOf, textOf } from './dump-error.ts'
import { readMoment } from './moments.ts'

const NANOS_PER_MICRO = 1000
const MICROS = 1_000_000

/** Returns a rule as the document of a dump. */
export function ruleDocument(rule: SearchRule): Members {
  const { filter, ...conditions } = rule.conditions
  const { description, precedence, lastUpdatedAt, lastUpdatedNanos = 0 } = rule
  const nanos = (lastUpdatedAt % MICROS) * NANOS_PER_MICRO + lastUpdatedNanos
  return {
    uid: rule.uid,
    ...(description === undefined ? {} : { description }),
    lastUpdatedAt: expiryText({
      seconds: Math.floor(lastUpdatedAt / MICROS),
      nanos,
      offsetMinutes: 0,
    }),
    ...(precedence === undefined ? {} : { precedence }),
    active: rule.active,
    conditions: {
      ...conditions,
      ...(filter === undefined
        ? {}
        : { filter: { ...filter, nbConstraints: Object.keys(filter.values).length } }),
    },
    actions: rule.actions,
  }
}

/**
 * Returns the rule of a document, unchecked: `encodeRule` and `decodeRule` check it, and turn the
 * list of actions of 1.50 into an object.
 */
export function ruleOfDocument(value: unknown, place: string): SearchRule {
  const { uid, lastUpdatedAt, active, conditions, actions, ...rest } = membersOf(value, place)
  const at = typeof lastUpdatedAt === 'string' ? readMoment(lastUpdatedAt) : null
  const { filter, ...others } = membersOf(conditions ?? {}, place)
  const values = filter === undefined || filter === null ? null : membersOf(filter, place)['values']
  const { description, precedence } = rest
  return {
    uid: textOf(uid, place),
    ...(typeof description === 'string' ? { description } : {}),
    lastUpdatedAt: at?.micros ?? 0,
    ...(at === null || at.nanos === 0 ? {} : { lastUpdatedNanos: at.nanos }),
    ...(typeof precedence === 'number' ? { precedence } : {}),
    active: active !== false,
    conditions: { ...withoutNulls(others), ...(values === null ? {} : { filter: { values } }) },
    actions: actions ?? {},
  } as SearchRule
}

const withoutNulls = (members: Members): Members =>
  Object.fromEntries(Object.entries(members).filter(([, value]) => value !== null))

const filterable = (pattern: string, comparison: boolean) => ({
  attributePatterns: [pattern],
  features: { facetSearch: false, filter: { equality: true, comparison } },
})

/** Returns the settings of the hidden index, for all readers of dumps. */
export function rulesIndexSettings(): IndexSettings {
  const settings = defaultSettings()
  return {
    ...settings,
    searchableAttributes: ['conditions.query.words', 'description'],
    filterableAttributes: [
      filterable('active', false),
      filterable('conditions.time.start', true),
      filterable('conditions.time.end', true),
      filterable('conditions.query.isEmpty', false),
      filterable('conditions.filter.values.*', true),
      filterable('conditions.filter.nbConstraints', true),
    ],
    sortableAttributes: ['lastUpdatedAt', 'precedence'],
    proximityPrecision: 'byAttribute',
    typoTolerance: { ...settings.typoTolerance, enabled: false, disableOnNumbers: true },
    facetSearch: false,
    prefixSearch: 'disabled',
  }
}
