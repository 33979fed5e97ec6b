// The attributes that results may be sorted by.
import { texts } from '../../../format/schema/index.ts'
import { covers, namesInside, replaceSet, setting } from '../schema/index.ts'

export const sortableAttributes = setting<readonly string[]>()({
  code: 'invalid_settings_sortable_attributes',
  advice: 'send an array of names.',
  change: 'whole',
  default: [],
  stored: texts,
  merge: replaceSet,
  fieldNames: (names) => names,
  keeps: {
    layer: 'columns',
    fields: (names) => ({
      holds: (field) => names.some((name) => covers(name, field)),
      holdsBelow: (field) => names.some((name) => namesInside(field, name)),
    }),
  },
})

/** Returns whether results may be sorted by a field. */
export const isSortable = (
  { sortableAttributes }: { readonly sortableAttributes: readonly string[] },
  field: string,
): boolean => sortableAttributes.some((name) => covers(name, field))
