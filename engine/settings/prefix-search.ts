// Whether the last word of a query may be the beginning of a word.
import { replace } from './patches.ts'
import { setting } from './setting.ts'
import { isOneOf } from './stored-checks.ts'

export const PREFIX_SEARCHES = ['indexingTime', 'disabled'] as const
export type PrefixSearch = (typeof PREFIX_SEARCHES)[number]

export const prefixSearch = setting<PrefixSearch>()({
  code: 'invalid_settings_prefix_search',
  advice: 'send `indexingTime` or `disabled`.',
  change: 'whole',
  default: 'indexingTime',
  isStored: isOneOf(PREFIX_SEARCHES),
  merge: replace,
})
