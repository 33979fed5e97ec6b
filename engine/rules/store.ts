// The dynamic search rules of a database, as values of the manifest. Tasks change them: here is
// what the edit of a batch has to hold, and what there is to read.
import { compareText } from '../../format/bytes/index.ts'
import type { Change } from '../../format/manifest/index.ts'
import type { State } from '../catalog/index.ts'
import { EngineFault } from '../errors.ts'
import { ACTIVE_RULES_MAX, RULES_BYTES_MAX } from './limits.ts'
import { decodeRule, encodeRule, patchedRule, type RulePatch, type SearchRule } from './rule.ts'

const SPACE = 'search-rules'

/** `rule` null: it goes. */
export type RuleUpdate = { readonly uid: string; readonly rule: RulePatch | null }

/** The changes that updates amount to, one after the other. @throws EngineFault */
export function ruleChanges(state: State, updates: readonly RuleUpdate[], now: number): Change[] {
  const stored = new Map(recordsOf(state))
  const touched = new Set<string>()
  for (const { uid, rule } of updates) {
    touched.add(uid)
    const record = stored.get(uid)
    const known = record === undefined ? null : decodeRule(uid, record)
    if (rule === null) stored.delete(uid)
    else stored.set(uid, encodeRule(patchedRule(known, uid, rule, now)))
  }
  let bytes = 0
  for (const [uid, record] of stored) bytes += uid.length + record.length
  if (bytes > RULES_BYTES_MAX) {
    throw new EngineFault(
      'database_size_limit_reached',
      `The dynamic search rules would take ${bytes} bytes and may take ${RULES_BYTES_MAX} at ` +
        'most: delete rules before creating others.',
    )
  }
  return [...touched].map((key) => valueSet(key, stored.get(key) ?? null))
}

/** Values of the manifest for rules that come from elsewhere. */
export const ruleValues = (rules: readonly SearchRule[]): Change[] =>
  rules.map((rule) => valueSet(rule.uid, encodeRule(rule)))

/** The changes that take all rules away. */
export const rulesRemoved = (state: State): Change[] =>
  [...recordsOf(state).keys()].map((key) => valueSet(key, null))

/** All rules, the one that was changed last first. @throws CorruptionError */
export function rulesOf(state: State): readonly SearchRule[] {
  const rules = [...recordsOf(state)].map(([uid, record]) => decodeRule(uid, record))
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

const NO_RECORDS: ReadonlyMap<string, Uint8Array> = new Map()

/** The same map as long as no rule changes. */
export const recordsOf = (state: State): ReadonlyMap<string, Uint8Array> =>
  state.values.get(SPACE) ?? NO_RECORDS

const valueSet = (key: string, value: Uint8Array | null): Change => ({
  kind: 'value-set',
  space: SPACE,
  key,
  value,
})
