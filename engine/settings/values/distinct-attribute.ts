// The attribute by which results are distinct: of equal values only the best result is shown.
import { nullable, text } from '../../../format/schema/index.ts'
import { namesInside, replace, setting } from '../schema/index.ts'

export const distinctAttribute = setting<string | null>()({
  code: 'invalid_settings_distinct_attribute',
  advice: 'send a name, or `null` for none.',
  change: 'whole',
  default: null,
  stored: nullable(text),
  merge: replace,
  fieldNames: (name) => (name === null ? [] : [name]),
  keeps: {
    layer: 'columns',
    fields: (name) => ({
      holds: (field) => field === name,
      holdsBelow: (field) => name !== null && namesInside(field, name),
    }),
  },
})
