// How long a search may take, in milliseconds.
import { count, nullable } from '../../format/schema/index.ts'
import { replace } from './patches.ts'
import { setting } from './setting.ts'

/** What a search may take when `searchCutoffMs` is not set. */
export const SEARCH_CUTOFF_MS_DEFAULT = 1500

/** null: `SEARCH_CUTOFF_MS_DEFAULT`. */
export const searchCutoffMs = setting<number | null>()({
  code: 'invalid_settings_search_cutoff_ms',
  advice: 'send a whole number of milliseconds, or `null`.',
  change: 'whole',
  default: null,
  stored: nullable(count),
  merge: replace,
})
