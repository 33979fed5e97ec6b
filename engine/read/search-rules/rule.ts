// A dynamic search rule: when it applies, and what it does to the hits. Stored in the manifest as
// JSON text.
import { compareText, encoder } from '../../../format/bytes/index.ts'
import {
  anything,
  decodedJson,
  flag,
  mapOf,
  number,
  object,
  objectWith,
  open,
  part,
  text,
} from '../../../format/schema/index.ts'
import type { InlineRule, RuleActions, RuleConditions } from '../../model/index.ts'
import { type ListedAction, STORED_ACTIONS, storedActions } from './actions.ts'

export type SearchRule = {
  readonly uid: string
  readonly description?: string
  /** Microseconds since 1970. */
  readonly lastUpdatedAt: number
  /** Nanoseconds beyond the last whole microsecond, in imported rules. */
  readonly lastUpdatedNanos?: number
  /** Rules apply in ascending order; rules without a precedence come last. */
  readonly precedence?: number
  readonly active: boolean
  readonly conditions: RuleConditions
  readonly actions: RuleActions
}

type StoredRule = Omit<SearchRule, 'uid' | 'actions'> & {
  readonly actions: RuleActions | readonly ListedAction[]
}
type Time = NonNullable<RuleConditions['time']>
type Query = NonNullable<RuleConditions['query']>
type Filter = NonNullable<RuleConditions['filter']>

/** Rules from dumps may have further members inside conditions and actions. */
const STORED = objectWith<StoredRule>(
  {
    lastUpdatedAt: number,
    active: flag,
    conditions: part<RuleConditions>({
      time: open(part<Time>({ start: text, end: text })),
      query: open(part<Query>({ isEmpty: flag, words: text })),
      filter: open(object<Filter>({ values: mapOf(anything) })),
    }),
    actions: STORED_ACTIONS,
  },
  { description: text, lastUpdatedNanos: number, precedence: number },
)

/**
 * A change of a rule: an absent member keeps its value, null resets it to the value of a new rule.
 */
export type RulePatch = {
  readonly description?: string | null
  readonly precedence?: number | null
  readonly active?: boolean | null
  readonly conditions?: RuleConditions | null
  readonly actions?: RuleActions | null
}

/**
 * Returns the rule after a change that was accepted at `at`; `rule` is null if it does not exist
 * yet. A change without members changes no existing rule.
 */
export function patchedRule(
  rule: SearchRule | null,
  uid: string,
  patch: RulePatch,
  at: number,
): SearchRule {
  if (rule !== null && Object.keys(patch).length === 0) return rule
  const description = patch.description === undefined ? rule?.description : patch.description
  const precedence = patch.precedence === undefined ? rule?.precedence : patch.precedence
  const active = patch.active === undefined ? rule?.active : patch.active
  const conditions = patch.conditions === undefined ? rule?.conditions : patch.conditions
  const actions = patch.actions === undefined ? rule?.actions : patch.actions
  return {
    uid,
    ...(typeof description === 'string' ? { description } : {}),
    lastUpdatedAt: at,
    ...(typeof precedence === 'number' ? { precedence } : {}),
    active: active ?? true,
    conditions: conditions ?? {},
    actions: actions ?? {},
  }
}

export const encodeRule = ({ uid: _, ...rule }: SearchRule): Uint8Array =>
  encoder.encode(JSON.stringify(rule))

/** @throws CorruptionError for bytes that no release can have written */
export function decodeRule(uid: string, bytes: Uint8Array): SearchRule {
  const stored = decodedJson(STORED, bytes, 'search rule')
  return { uid, ...stored, actions: storedActions(stored.actions) }
}

/** Returns true if the rule does something when it applies. */
export const hasActions = ({ actions }: Pick<SearchRule, 'actions'>): boolean =>
  (actions.pin?.length ?? 0) + (actions.scale?.length ?? 0) > 0

/** A rule as a search applies it. */
export type AppliedRule = Omit<InlineRule, 'active'>

/** Compares rules by the order in which they apply: by precedence, then by uid. */
export function compareRules(a: AppliedRule, b: AppliedRule): number {
  const [left, right] = [rankOf(a), rankOf(b)]
  return left === right ? compareText(a.uid, b.uid) : left - right
}

const rankOf = ({ precedence }: AppliedRule): number => precedence ?? Number.POSITIVE_INFINITY
