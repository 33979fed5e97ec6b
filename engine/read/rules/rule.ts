// A dynamic search rule: when it applies, and which documents it then puts where. Kept in the
// manifest as JSON text.
import {
  anything,
  decodedJson,
  flag,
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

const encoder = new TextEncoder()

/** Moments are RFC 3339 texts under the offset they were given with. */
export type RuleConditions = {
  readonly time?: { readonly start?: string; readonly end?: string }
  readonly query?: { readonly isEmpty?: boolean; readonly words?: string }
  readonly filter?: { readonly values: { readonly [attribute: string]: unknown } }
}

export type RuleAction = {
  readonly selector: {
    /** Absent: whatever index is searched. */
    readonly indexUid?: string
    readonly id: string
  }
  readonly action: { readonly type: 'pin'; readonly position: number }
}

export type SearchRule = {
  readonly uid: string
  readonly description?: string
  /** Microseconds since 1970. */
  readonly lastUpdatedAt: number
  /** What is left of a microsecond, in rules that come from elsewhere. */
  readonly lastUpdatedNanos?: number
  /** The lowest goes first; rules without one go last. */
  readonly precedence?: number
  readonly active: boolean
  readonly conditions: RuleConditions
  readonly actions: readonly RuleAction[]
}

type StoredRule = Omit<SearchRule, 'uid'>
type Time = NonNullable<RuleConditions['time']>
type Query = NonNullable<RuleConditions['query']>
type Filter = NonNullable<RuleConditions['filter']>

/** Rules of dumps may say more, inside; the rest is as requests make it. */
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
          selector: open(objectWith<RuleAction['selector']>({ id: text }, { indexUid: text })),
          action: open(object<RuleAction['action']>({ type: oneOf(['pin']), position: number })),
        }),
      ),
    ),
  },
  { description: text, lastUpdatedNanos: number, precedence: number },
)

/** What can change: absence leaves a part as it is, null takes it back to what a new rule has. */
export type RulePatch = {
  readonly description?: string | null
  readonly precedence?: number | null
  readonly active?: boolean | null
  readonly conditions?: RuleConditions | null
  readonly actions?: readonly RuleAction[] | null
}

/** The rule after a change; `rule` is null where there was none. */
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

/** @throws CorruptionError for anything that `encodeRule` does not write */
export const decodeRule = (uid: string, bytes: Uint8Array): SearchRule => ({
  uid,
  ...decodedJson(STORED, bytes, 'search rule'),
})
