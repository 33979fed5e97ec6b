// The texts about the members of requests, one for each member: its meaning, an example, and the
// release that brought it. The description of the API and the reference in docs/ show them; a
// running server that is not asked for its description never loads them.

export { RULE_TEXTS } from './rules.table.ts'
export { SEARCH_TEXTS } from './search.table.ts'
export {
  FACET_SEARCH_TEXTS,
  FEDERATION_TEXTS,
  LISTED_SEARCH_TEXTS,
  MIN_TASK_TEXTS,
  SIMILAR_TEXTS,
  SUGGEST_TEXTS,
} from './searches.table.ts'
export { SETTING_TEXTS } from './settings.table.ts'
export {
  type LongText,
  longText,
  type MemberText,
  type MemberTexts,
  type Text,
  type Texts,
} from './text.ts'
