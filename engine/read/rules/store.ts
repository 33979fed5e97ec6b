// The dynamic search rules of a database, as values of the manifest. Tasks change them: here is
// what the edit of a batch has to hold, and what there is to read.
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
import { decodeRule, encodeRule, patchedRule, type RulePatch, type SearchRule } from './rule.ts'

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

/** `rule` null: it is removed. */
export type RuleUpdate = { readonly uid: string; readonly rule: RulePatch | null }

/** The changes that updates amount to, one after the other. @throws EngineFault */
export function ruleChanges(
  state: State,
  updates: readonly RuleUpdate[],
  now: number,
): readonly Change[] {
  const records = recordsOf(RULES, state)
  const changed = new Map<string, SearchRule | null>()
  for (const { uid, rule } of updates) {
    const record = records.get(uid)
    const stored = record === undefined ? null : decodeRule(uid, record)
    const known = changed.has(uid) ? changed.get(uid)! : stored
    changed.set(uid, rule === null ? null : patchedRule(known, uid, rule, now))
  }
  return valueChanges(RULES, state, changed)
}

/** Values of the manifest for rules that come from elsewhere. */
export const ruleValues = (rules: readonly SearchRule[]): Change[] =>
  rules.map((rule) => valueChange(RULES, rule.uid, rule))

/** The changes that remove all rules. */
export const rulesRemoved = (state: State): Change[] =>
  [...recordsOf(RULES, state).keys()].map((uid) => valueChange(RULES, uid, null))

/** The encoded rules: the same map until a rule changes. */
export const ruleRecords = (state: State): ReadonlyMap<string, Uint8Array> =>
  recordsOf(RULES, state)

/** All rules, the one that was changed last first. @throws CorruptionError */
export function rulesOf(state: State): readonly SearchRule[] {
  const rules = [...decodedValues(RULES, state).values()]
  return rules.sort((a, b) => b.lastUpdatedAt - a.lastUpdatedAt || compareText(b.uid, a.uid))
}

/** Those that searches follow, in their order. @throws CorruptionError */
export function activeRules(state: State): readonly SearchRule[] {
  const rules = rulesOf(state).filter(({ active, actions }) => active && actions.length > 0)
  const rank = ({ precedence }: SearchRule): number => precedence ?? Number.POSITIVE_INFINITY
  const ordered = rules.sort((a, b) => {
    const [left, right] = [rank(a), rank(b)]
    return left === right ? compareText(a.uid, b.uid) : left - right
  })
  return ordered.slice(0, ACTIVE_RULES_MAX)
}
