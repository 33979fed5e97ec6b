// Settings of older dumps, in the form of the newest one.
import { isObject } from '../../../format/schema/index.ts'
import { newerSettings as newer } from '../../settings/index.ts'
import { type Members, membersOf } from './dump-error.ts'

/**
 * Settings of an index of version 1: attributes that were filterable were also sortable.
 * @throws DumpError if the value is not an object
 */
export function settingsOfV1(value: unknown, place: string): Members {
  return withSortable(membersOf(value ?? {}, place))
}

function withSortable(given: Members): Members {
  const sortable = given['attributesForFaceting']
  return { ...(sortable === undefined ? {} : { sortableAttributes: sortable }), ...given }
}

/**
 * A change of settings of version 1: members in snake case, each `Nothing`, `Clear` or an `Update`.
 * Unreadable members are left out.
 */
export function patchOfV1(value: unknown): Members {
  const patch: { [name: string]: unknown } = {}
  for (const [name, change] of Object.entries(isObject(value) ? value : {})) {
    const newer = V1_NAMES[name]
    if (newer === undefined) continue
    if (change === 'Clear') patch[newer] = null
    else if (isObject(change) && 'Update' in change) patch[newer] = updateOfV1(change['Update'])
  }
  return newer(withSortable(patch))
}

const V1_NAMES: { readonly [name: string]: string } = {
  ranking_rules: 'rankingRules',
  distinct_attribute: 'distinctAttribute',
  searchable_attributes: 'searchableAttributes',
  displayed_attributes: 'displayedAttributes',
  stop_words: 'stopWords',
  synonyms: 'synonyms',
  attributes_for_faceting: 'attributesForFaceting',
}

/** Rules are names with a capital, or an order with its field. */
const updateOfV1 = (value: unknown): unknown =>
  Array.isArray(value) ? value.map((one) => (isObject(one) ? orderOfV1(one) : lowered(one))) : value

function orderOfV1(rule: Members): unknown {
  const [order, field] = Object.entries(rule)[0] ?? []
  return order === undefined ? rule : `${field}:${order.toLowerCase()}`
}

const lowered = (value: unknown): unknown =>
  typeof value === 'string' && V1_RULES.has(value)
    ? value.charAt(0).toLowerCase() + value.slice(1)
    : value

const V1_RULES: ReadonlySet<string> = new Set([
  'Typo',
  'Words',
  'Proximity',
  'Attribute',
  'WordsPosition',
  'Exactness',
])

/** @throws DumpError if the value is not an object */
export const newerSettings = (value: unknown, place: string): Members =>
  newer(membersOf(value ?? {}, place))
