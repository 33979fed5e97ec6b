// How long a search may take, in milliseconds.
import { replace } from './patches.ts'
import { setting } from './setting.ts'
import { isCount, isNullOr } from './stored-checks.ts'

/** What a search may take when `searchCutoffMs` is not set. */
export const SEARCH_CUTOFF_MS_DEFAULT = 1500

/** null: `SEARCH_CUTOFF_MS_DEFAULT`. */
export const searchCutoffMs = setting<number | null>()({
  code: 'invalid_settings_search_cutoff_ms',
  advice: 'send a whole number of milliseconds, or `null`.',
  change: 'whole',
  default: null,
  isStored: isNullOr(isCount),
  merge: replace,
})
