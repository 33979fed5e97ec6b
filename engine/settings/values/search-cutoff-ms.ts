// The time limit of a search in milliseconds.
import { count, nullable } from '../../../format/schema/index.ts'
import { replace, setting } from '../schema/index.ts'

/** Milliseconds if `searchCutoffMs` is not set. */
export const SEARCH_CUTOFF_MS_DEFAULT = 1500

/** null means `SEARCH_CUTOFF_MS_DEFAULT`. */
export const searchCutoffMs = setting<number | null>()({
  code: 'invalid_settings_search_cutoff_ms',
  advice: 'send a whole number of milliseconds, or `null`.',
  change: 'whole',
  default: null,
  stored: nullable(count),
  merge: replace,
})
