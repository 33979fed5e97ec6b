// A dynamic search rule: its conditions, and the documents it pins to positions. Stored in the
// manifest as JSON text.
import { encoder } from '../../../format/bytes/index.ts'
import type { IndexUid } from '../../../format/ids.ts'
import {
  anything,
  decodedJson,
  flag,
  identifying,
  list,
  mapOf,
  number,
  object,
  objectWith,
  oneOf,
  open,
  part,
  text,
} from '../../../format/schema/index.ts'

/** Times are RFC 3339 texts with their original UTC offset. */
export type RuleConditions = {
  readonly time?: { readonly start?: string; readonly end?: string }
  readonly query?: { readonly isEmpty?: boolean; readonly words?: string }
  readonly filter?: { readonly values: { readonly [attribute: string]: unknown } }
}

export type RuleAction = {
  readonly selector: {
    /** Absent for any index. */
    readonly indexUid?: IndexUid
    readonly id: string
  }
  readonly action: { readonly type: 'pin'; readonly position: number }
}

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
  readonly actions: readonly RuleAction[]
}

type StoredRule = Omit<SearchRule, 'uid'>
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
    actions: list(
      open(
        object<RuleAction>({
          selector: open(
            objectWith<RuleAction['selector']>(
              { id: text },
              { indexUid: identifying<IndexUid>(text) },
            ),
          ),
          action: open(object<RuleAction['action']>({ type: oneOf(['pin']), position: number })),
        }),
      ),
    ),
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
  readonly actions?: readonly RuleAction[] | null
}

/** Returns the rule after a change; `rule` is null if it does not exist yet. */
export function patchedRule(
  rule: SearchRule | null,
  uid: string,
  patch: RulePatch,
  now: number,
): SearchRule {
  const description = patch.description === undefined ? rule?.description : patch.description
  const precedence = patch.precedence === undefined ? rule?.precedence : patch.precedence
  const active = patch.active === undefined ? rule?.active : patch.active
  const conditions = patch.conditions === undefined ? rule?.conditions : patch.conditions
  const actions = patch.actions === undefined ? rule?.actions : patch.actions
  return {
    uid,
    ...(typeof description === 'string' ? { description } : {}),
    lastUpdatedAt: now,
    ...(typeof precedence === 'number' ? { precedence } : {}),
    active: active ?? true,
    conditions: conditions ?? {},
    actions: actions ?? [],
  }
}

export const encodeRule = ({ uid: _, ...rule }: SearchRule): Uint8Array =>
  encoder.encode(JSON.stringify(rule))

/** @throws CorruptionError for bytes that `encodeRule` cannot have written */
export const decodeRule = (uid: string, bytes: Uint8Array): SearchRule => ({
  uid,
  ...decodedJson(STORED, bytes, 'search rule'),
})
