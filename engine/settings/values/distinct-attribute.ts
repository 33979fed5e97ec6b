// The attribute by which results are distinct: of equal values only the best result is shown.
import { ATTRIBUTE_COLUMN, setting } from '../schema/index.ts'

export const distinctAttribute = setting<string | null>()({
  ...ATTRIBUTE_COLUMN,
  code: 'invalid_settings_distinct_attribute',
  advice: 'send a name, or `null` for none.',
})
