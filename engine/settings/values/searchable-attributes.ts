// The attributes that are searched, and their weights.
import { nullable, texts } from '../../../format/schema/index.ts'
import { covers, namesInside, namesOrAll, renderNames, setting } from '../schema/index.ts'

/** In order of weight; null means every field, in order of first appearance. */
type Searchable = readonly string[] | null

export const searchableAttributes = setting<Searchable>()({
  code: 'invalid_settings_searchable_attributes',
  advice: 'send an array of names, `["*"]` for all.',
  change: 'whole',
  default: null,
  stored: nullable(texts),
  merge: (_, names) => namesOrAll(names),
  render: renderNames,
  renderPatch: renderNames,
  fieldNames: (names) => names ?? [],
  keeps: {
    layer: 'text',
    fields: (names) => ({
      holds: (field) => rankOf(names, field) !== null,
      holdsBelow: (field) => names?.some((name) => namesInside(field, name)) ?? false,
    }),
  },
})

/**
 * Returns the position of a field in `searchableAttributes`, which is its weight (of the first name
 * that covers it); 0 if every field is searchable, null if this one is not.
 */
export const searchableRankOf = (
  { searchableAttributes }: { readonly searchableAttributes: Searchable },
  field: string,
): number | null => rankOf(searchableAttributes, field)

function rankOf(names: Searchable, field: string): number | null {
  if (names === null) return 0
  const rank = names.findIndex((name) => covers(name, field))
  return rank < 0 ? null : rank
}
