// Whether values of facets may be searched.
import { replace } from './patches.ts'
import { setting } from './setting.ts'
import { isFlag } from './stored-checks.ts'

export const facetSearch = setting<boolean>()({
  code: 'invalid_settings_facet_search',
  advice: 'send `true` or `false`.',
  change: 'whole',
  default: true,
  isStored: isFlag,
  merge: replace,
})
