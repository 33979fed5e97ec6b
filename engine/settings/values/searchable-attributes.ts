// The attributes that are searched, and their weights.
import { either, list, nullable, text, texts } from '../../../format/schema/index.ts'
import { covers, namesInside, setting } from '../schema/index.ts'

/** In order of weight; the names of an inner list have the same one. */
export type SearchableRanks = readonly (string | readonly string[])[]
/** Null means every field, in order of first appearance. */
type Searchable = SearchableRanks | null

export const searchableAttributes = setting<Searchable, SearchableRanks>()({
  code: 'invalid_settings_searchable_attributes',
  advice:
    'send an array of names, `["*"]` for all. Attributes in an inner array have the same rank.',
  change: 'whole',
  default: null,
  stored: nullable(list(either(text, texts))),
  merge: (_, ranks) => ranksOrAll(ranks),
  render: renderRanks,
  renderPatch: renderRanks,
  fieldNames: (ranks) => searchableNames(ranks) ?? [],
  keeps: {
    layer: 'text',
    fields: (names) => ({
      holds: (field) => rankOf(names, field) !== null,
      holdsBelow: (field) =>
        searchableNames(names)?.some((name) => namesInside(field, name)) ?? false,
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

/** Returns all names in their order, without ranks; null if every field is searchable. */
export const searchableNames = (ranks: Searchable): readonly string[] | null =>
  ranks === null ? null : ranks.flat()

/** Returns whether names share a rank, which other servers cannot store. */
export const hasSharedRanks = (ranks: Searchable): boolean =>
  ranks?.some((rank) => typeof rank !== 'string') === true

function rankOf(ranks: Searchable, field: string): number | null {
  if (ranks === null) return 0
  const at = ranks.findIndex((rank) =>
    typeof rank === 'string' ? covers(rank, field) : rank.some((name) => covers(name, field)),
  )
  return at < 0 ? null : at
}

function renderRanks(ranks: Searchable): SearchableRanks {
  return ranks ?? ['*']
}

/** Returns null if there is a star anywhere; else each name where it comes first. */
function ranksOrAll(ranks: SearchableRanks): Searchable {
  const seen = new Set<string>()
  const isNew = (name: string): boolean => !seen.has(name) && seen.add(name) !== null
  const out: (string | readonly string[])[] = []
  for (const rank of ranks) {
    const names = [rank].flat().filter(isNew)
    if (names.length > 0) out.push(typeof rank === 'string' ? rank : names)
  }
  return seen.has('*') ? null : out
}
