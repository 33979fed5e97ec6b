// Whether the last word of a query also matches words that begin with it.
import { oneOf } from '../../../format/schema/index.ts'
import { replace, setting } from '../schema/index.ts'

export const PREFIX_SEARCHES = ['indexingTime', 'disabled'] as const
export type PrefixSearch = (typeof PREFIX_SEARCHES)[number]

export const prefixSearch = setting<PrefixSearch>()({
  code: 'invalid_settings_prefix_search',
  advice: 'send `indexingTime` or `disabled`.',
  change: 'whole',
  default: 'indexingTime',
  stored: oneOf(PREFIX_SEARCHES),
  merge: replace,
})
