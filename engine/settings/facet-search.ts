// Whether facet values may be searched.
import { flag } from '../../format/schema/index.ts'
import { replace } from './patches.ts'
import { setting } from './setting.ts'

export const facetSearch = setting<boolean>()({
  code: 'invalid_settings_facet_search',
  advice: 'send `true` or `false`.',
  change: 'whole',
  default: true,
  stored: flag,
  merge: replace,
})
