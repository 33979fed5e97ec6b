// Dynamic search rules: their records, their changes in the manifest, and the changes that wait.
export { withActionsAsObject } from './actions.ts'
export {
  PINS_MAX,
  QUERY_WORDS_MAX,
  RULES_BYTES_MAX,
  SCALE_GROUPS_MAX,
  SCALES_MAX,
} from './limits.ts'
export {
  type AppliedRule,
  compareRules,
  decodeRule,
  encodeRule,
  hasActions,
  type RulePatch,
  type SearchRule,
} from './rule.ts'
export {
  activeRules,
  type RuleUpdate,
  ruleChanges,
  ruleRecords,
  rulesOf,
  rulesRemoved,
  ruleValues,
} from './store.ts'
export { type PendingRuleTask, type RuleTarget, type RuleTargets, ruleTargets } from './targets.ts'
