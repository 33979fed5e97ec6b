// A dynamic search rule: when it applies, and which documents it then puts where. Kept in the
// manifest as JSON text.
import { refuse } from '../../../format/errors.ts'
import { type Members, membersOf, valueJson } from '../../store/catalog/index.ts'

const SECTION = 'search rule'
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
export function decodeRule(uid: string, bytes: Uint8Array): SearchRule {
  const stored = objectOf(valueJson(SECTION, bytes))
  const { description, lastUpdatedAt, lastUpdatedNanos: nanos, precedence, ...others } = stored
  const { active, conditions, actions, ...rest } = others
  expect(nanos === undefined || typeof nanos === 'number', 'nanoseconds', nanos)
  expect(Object.keys(rest).length === 0, 'known members', Object.keys(rest)[0])
  expect(description === undefined || typeof description === 'string', 'a text', description)
  expect(typeof lastUpdatedAt === 'number', 'a moment', lastUpdatedAt)
  expect(precedence === undefined || typeof precedence === 'number', 'a number', precedence)
  expect(typeof active === 'boolean', 'a boolean', active)
  checkConditions(objectOf(conditions))
  expect(Array.isArray(actions), 'a list', actions)
  for (const action of actions as readonly unknown[]) checkAction(objectOf(action))
  return { uid, ...(stored as Omit<SearchRule, 'uid'>) }
}

function checkConditions({ time = {}, query = {}, filter, ...rest }: Members): void {
  expect(Object.keys(rest).length === 0, 'known conditions', Object.keys(rest)[0])
  const { start = '', end = '' } = objectOf(time)
  expect(typeof start === 'string' && typeof end === 'string', 'moments', typeof start)
  const { isEmpty = false, words = '' } = objectOf(query)
  expect(typeof isEmpty === 'boolean' && typeof words === 'string', 'words', typeof words)
  if (filter !== undefined) objectOf(objectOf(filter)['values'])
}

function checkAction({ selector, action }: Members): void {
  const { indexUid = '', id } = objectOf(selector)
  expect(typeof indexUid === 'string' && typeof id === 'string', 'a document', typeof id)
  const { type, position } = objectOf(action)
  expect(type === 'pin' && typeof position === 'number', 'a pin', type)
}

const objectOf = (value: unknown): Members => membersOf(SECTION, value)

function expect(holds: boolean, expected: string, got: unknown): void {
  if (!holds) refuse(SECTION, 0, 'bad_value', expected, typeof got === 'string' ? got : typeof got)
}
