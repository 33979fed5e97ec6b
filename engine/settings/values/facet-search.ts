// Whether facet values may be searched.
import { flag } from '../../../format/schema/index.ts'
import { replace, setting } from '../schema/index.ts'

export const facetSearch = setting<boolean>()({
  code: 'invalid_settings_facet_search',
  advice: 'send `true` or `false`.',
  change: 'whole',
  default: true,
  stored: flag,
  merge: replace,
})
