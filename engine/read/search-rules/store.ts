// The dynamic search rules of a database, stored as values of the manifest: reads them, and
// computes the manifest changes for tasks that change them.
import { compareText } from '../../../format/bytes/index.ts'
import type { Change } from '../../../format/manifest/index.ts'
import { EngineFault } from '../../model/index.ts'
import type { State } from '../../store/catalog/index.ts'
import {
  decodedValues,
  recordsOf,
  type ValueSpace,
  valueChange,
  valueChanges,
} from '../../store/values/index.ts'
import { ACTIVE_RULES_MAX, RULES_BYTES_MAX } from './limits.ts'
import {
  compareRules,
  decodeRule,
  encodeRule,
  hasActions,
  patchedRule,
  type RulePatch,
  type SearchRule,
} from './rule.ts'

const RULES: ValueSpace<SearchRule> = {
  name: 'search-rules',
  encode: encodeRule,
  decode: (record, uid) => decodeRule(uid, record),
  limit: {
    bytesMax: RULES_BYTES_MAX,
    refuse: (_bytes, wanted) =>
      new EngineFault(
        'database_size_limit_reached',
        `The dynamic search rules would take ${wanted} bytes and may take ${RULES_BYTES_MAX} at ` +
          'most: delete rules before creating others.',
      ),
  },
}

/** `rule` is null to delete the rule. */
export type RuleUpdate = {
  readonly uid: string
  readonly rule: RulePatch | null
  /** When the change was accepted, in microseconds since 1970. */
  readonly enqueuedAt: number
}

/** Returns the manifest changes of updates applied one after the other. @throws EngineFault */
export function ruleChanges(state: State, updates: readonly RuleUpdate[]): readonly Change[] {
  const records = recordsOf(RULES, state)
  const changed = new Map<string, SearchRule | null>()
  for (const { uid, rule, enqueuedAt } of updates) {
    const record = records.get(uid)
    const stored = record === undefined ? null : decodeRule(uid, record)
    const current = changed.has(uid) ? changed.get(uid)! : stored
    changed.set(uid, rule === null ? null : patchedRule(current, uid, rule, enqueuedAt))
  }
  return valueChanges(RULES, state, changed)
}

/** Manifest changes that add imported rules. */
export const ruleValues = (rules: readonly SearchRule[]): Change[] =>
  rules.map((rule) => valueChange(RULES, rule.uid, rule))

/** Manifest changes that remove all rules. */
export const rulesRemoved = (state: State): Change[] =>
  [...recordsOf(RULES, state).keys()].map((uid) => valueChange(RULES, uid, null))

/** The encoded rules; returns the same map until a rule changes. */
export const ruleRecords = (state: State): ReadonlyMap<string, Uint8Array> =>
  recordsOf(RULES, state)

/** All rules, the last changed one first. @throws CorruptionError */
export function rulesOf(state: State): readonly SearchRule[] {
  const rules = [...decodedValues(RULES, state).values()]
  return rules.sort(byLastChange)
}

type Changed = Pick<SearchRule, 'uid' | 'lastUpdatedAt'>

/** Compares rules for lists: the last changed one comes first. */
export const byLastChange = (a: Changed, b: Changed): number =>
  b.lastUpdatedAt - a.lastUpdatedAt || compareText(b.uid, a.uid)

/** The rules that searches apply, in their order. @throws CorruptionError */
export function activeRules(state: State): readonly SearchRule[] {
  const rules = rulesOf(state).filter((rule) => rule.active && hasActions(rule))
  return rules.sort(compareRules).slice(0, ACTIVE_RULES_MAX)
}
