// Requests about dynamic search rules.

import {
  type Expiry,
  expiryText,
  type InlineRule,
  type RuleConditions,
  type RulePatch,
  readExpiry,
} from '../../engine/index.ts'
import { actions } from './rule-actions.ts'
import {
  anything,
  checked,
  count,
  flag,
  indexUidProblem,
  invalid,
  isIndexUid,
  mapOf,
  member,
  nullable,
  object,
  PAGE_LIMIT_DEFAULT,
  partial,
  required,
  type Schema,
  text,
  ValidationError,
  type WholeBody,
  wholeBody,
} from './schema/index.ts'

export type RuleListing = {
  readonly showTarget: boolean
  readonly offset: number
  readonly limit: number
  readonly filter: { readonly query: string | null; readonly active: boolean | null } | null
}

const listing: Schema<RuleListing> = object<RuleListing>({
  offset: member(count, 'invalid_dynamic_search_rule_offset', 0),
  limit: member(count, 'invalid_dynamic_search_rule_limit', PAGE_LIMIT_DEFAULT),
  filter: member(
    nullable(
      object<NonNullable<RuleListing['filter']>>({
        query: member(nullable(text), 'invalid_dynamic_search_rule_filter_query', null),
        active: member(nullable(flag), 'invalid_dynamic_search_rule_filter_active', null),
      }),
    ),
    'invalid_dynamic_search_rule_filter',
    null,
  ),
  showTarget: member(flag, null, false),
})

/** Reads the body that lists a page of rules. @throws ApiError */
export const readRuleListing: WholeBody<RuleListing> = wholeBody(listing)

/** With time and offset; a date alone is not a moment. */
const MOMENT = /^\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)$/

const moment: Schema<Expiry> = checked(text, (spelling) => {
  const found = MOMENT.test(spelling) ? readExpiry(spelling) : null
  if (found !== null) return found
  throw invalid(
    `\`${spelling}\` is not a valid date. It should follow the RFC 3339 format to represents a ` +
      'date or datetime in the future or specified as a null value. ' +
      "e.g. 'YYYY-MM-DD' or 'YYYY-MM-DD HH:MM:SS'.\n",
  )
})

type Span = { readonly start: Expiry | null; readonly end: Expiry | null }
type Time = NonNullable<RuleConditions['time']>
type Query = NonNullable<RuleConditions['query']>
type Filter = NonNullable<RuleConditions['filter']>

const time: Schema<Time> = checked(
  object<Span>(
    { start: member(nullable(moment), null, null), end: member(nullable(moment), null, null) },
    { ignoreUnknown: true },
  ),
  ({ start, end }) => {
    if (start !== null && end !== null && isEarlier(end, start)) {
      const reason = `\`end\` (\`${momentText(end)}\`) should be later than \`start\` (\`${momentText(start)}\`)`
      throw ofRequest(reason)
    }
    return {
      ...(start === null ? {} : { start: expiryText(start) }),
      ...(end === null ? {} : { end: expiryText(end) }),
    }
  },
)

const isEarlier = (a: Expiry, b: Expiry): boolean =>
  a.seconds === b.seconds ? a.nanos < b.nanos : a.seconds < b.seconds

/** `2020-01-01 0:00:00.0 +00:00:00` */
function momentText(at: Expiry): string {
  const [day = '', clock = ''] = expiryText({ ...at, nanos: 0 }).split('T')
  const [hour = '0', minutes = '', seconds = ''] = clock.split(/[:Z+-]/)
  const fraction = String(at.nanos).padStart(9, '0').replace(/0+$/, '').padEnd(1, '0')
  const total = Math.abs(at.offsetMinutes)
  const [h, m] = [Math.floor(total / 60), total % 60].map((n) => String(n).padStart(2, '0'))
  const sign = at.offsetMinutes < 0 ? '-' : '+'
  return `${day} ${Number(hour)}:${minutes}:${seconds}.${fraction} ${sign}${h}:${m}:00`
}

/** A contradiction between two members: a fault of the whole request, not of the conditions. */
const ofRequest = (reason: string): ValidationError =>
  new ValidationError({ kind: 'invalid', reason }, 'bad_request')

type FlatQuery = { readonly isEmpty: boolean | null; readonly words: string | null }

const query: Schema<Query> = checked(
  object<FlatQuery>({
    isEmpty: member(nullable(flag), null, null),
    words: member(nullable(text), null, null),
  }),
  ({ isEmpty, words }) => {
    if (isEmpty === true && words !== null) {
      throw ofRequest('either `isEmpty` or `words` can be used, not both at once')
    }
    return {
      ...(isEmpty === null ? {} : { isEmpty }),
      ...(words === null ? {} : { words }),
    }
  },
)

const filter: Schema<Filter> = object<Filter>({ values: member(mapOf(anything), null, {}) })

type Flat = {
  readonly time: Time | null
  readonly query: Query | null
  readonly filter: Filter | null
}

const conditions: Schema<RuleConditions> = checked(
  object<Flat>({
    time: member(nullable(time), null, null),
    query: member(nullable(query), null, null),
    filter: member(nullable(filter), null, null),
  }),
  (flat) => ({
    ...(flat.time === null ? {} : { time: flat.time }),
    ...(flat.query === null ? {} : { query: flat.query }),
    ...(flat.filter === null ? {} : { filter: flat.filter }),
  }),
)

const CODES = {
  description: 'invalid_dynamic_search_rule_description',
  precedence: 'invalid_dynamic_search_rule_priority',
  active: 'invalid_dynamic_search_rule_active',
  conditions: 'invalid_dynamic_search_rule_conditions',
  actions: 'invalid_dynamic_search_rule_actions',
} as const

const patch: Schema<RulePatch> = partial<RulePatch>(
  {
    description: nullable(text),
    precedence: nullable(count),
    active: nullable(flag),
    conditions: nullable(conditions),
    actions: nullable(actions),
  },
  CODES,
)

/** Reads the body that creates or changes a rule. @throws ApiError */
export const readRulePatch: WholeBody<RulePatch> = wholeBody(patch)

const uid = checked(text, (found) => {
  if (isIndexUid(found)) return found
  throw invalid(indexUidProblem(found))
})

type FlatRule = Pick<InlineRule, 'uid'> & {
  readonly [K in Exclude<keyof InlineRule, 'uid'>]-?: InlineRule[K] | null
}

/** A rule that is sent with a search. */
export const inlineRule: Schema<InlineRule> = checked(
  object<FlatRule>({
    uid: required(uid, 'invalid_dynamic_search_rule_uid', 'bad_request'),
    precedence: member(nullable(count), CODES.precedence, null),
    active: member(nullable(flag), CODES.active, null),
    conditions: member(nullable(conditions), CODES.conditions, null),
    actions: member(nullable(actions), CODES.actions, null),
  }),
  ({ uid: named, precedence, active, ...rest }) => ({
    uid: named,
    ...(precedence === null ? {} : { precedence }),
    active: active ?? true,
    conditions: rest.conditions ?? {},
    actions: rest.actions ?? {},
  }),
)
