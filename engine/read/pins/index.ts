// Dynamic search rules: their records, and their changes in the manifest.
export { PINS_MAX, QUERY_WORDS_MAX, RULES_BYTES_MAX } from './limits.ts'
export {
  decodeRule,
  encodeRule,
  type RuleAction,
  type RuleConditions,
  type RulePatch,
  type SearchRule,
} from './rule.ts'
export {
  activeRules,
  ruleChanges,
  ruleRecords,
  rulesOf,
  rulesRemoved,
  ruleValues,
} from './store.ts'
