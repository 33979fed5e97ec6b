// All settings by their public names, in the declared order, which answers, messages and the stored
// text follow.
import { chat } from './chat.ts'
import { dictionary } from './dictionary.ts'
import { displayedAttributes } from './displayed-attributes.ts'
import { distinctAttribute } from './distinct-attribute.ts'
import { embedders } from './embedders.ts'
import { facetSearch } from './facet-search.ts'
import { faceting } from './faceting.ts'
import { filterableAttributes } from './filterable-attributes.ts'
import { foreignKeys } from './foreign-keys.ts'
import { localizedAttributes } from './localized-attributes.ts'
import { nonSeparatorTokens } from './non-separator-tokens.ts'
import { pagination } from './pagination.ts'
import { prefixSearch } from './prefix-search.ts'
import { proximityPrecision } from './proximity-precision.ts'
import { rankingRules } from './ranking-rules.ts'
import { searchCutoffMs } from './search-cutoff-ms.ts'
import { searchableAttributes } from './searchable-attributes.ts'
import { separatorTokens } from './separator-tokens.ts'
import { sortableAttributes } from './sortable-attributes.ts'
import { stopWords } from './stop-words.ts'
import { synonyms } from './synonyms.ts'
import { typoTolerance } from './typo-tolerance.ts'

export const SETTINGS = {
  displayedAttributes,
  searchableAttributes,
  filterableAttributes,
  sortableAttributes,
  foreignKeys,
  rankingRules,
  stopWords,
  nonSeparatorTokens,
  separatorTokens,
  dictionary,
  synonyms,
  distinctAttribute,
  proximityPrecision,
  typoTolerance,
  faceting,
  pagination,
  embedders,
  searchCutoffMs,
  localizedAttributes,
  facetSearch,
  prefixSearch,
  chat,
}
