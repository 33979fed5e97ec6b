// One row a setting: what a change of it costs, and which feature must be on for it to be set and
// shown. The routes, codes and shapes are the server's (`server/parse`); merging is in `apply.ts`.
import type { Feature } from '../model/index.ts'
import type { SettingName } from './types.ts'

/**
 * What a change of a setting can cost.
 * `none`: searches read it, nothing on disk depends on it.
 * `text`: the text layer is built from the documents again.
 * `fields`: depends on which fields are searchable or faceted before and after; see `work.ts`.
 * `vectors`: embeddings may have to be made again.
 */
export type Cost = 'none' | 'text' | 'fields' | 'vectors'

export type SettingRow = {
  readonly cost: Cost
  /** Needed to set it and to see it among the others; null: none. */
  readonly feature: Feature | null
  /** `members`: a change touches only the members it names; `whole`: it replaces the value. */
  readonly merge: 'whole' | 'members'
}

const row = (
  cost: Cost,
  merge: SettingRow['merge'] = 'whole',
  feature: Feature | null = null,
): SettingRow => ({ cost, merge, feature })

export const SETTINGS: { readonly [K in SettingName]: SettingRow } = {
  displayedAttributes: row('none'),
  searchableAttributes: row('fields'),
  filterableAttributes: row('fields'),
  sortableAttributes: row('fields'),
  foreignKeys: row('none', 'whole', 'foreignKeys'),
  rankingRules: row('fields'),
  stopWords: row('text'),
  nonSeparatorTokens: row('text'),
  separatorTokens: row('text'),
  dictionary: row('text'),
  synonyms: row('none'),
  distinctAttribute: row('fields'),
  proximityPrecision: row('none'),
  typoTolerance: row('none', 'members'),
  faceting: row('none', 'members'),
  pagination: row('none', 'members'),
  embedders: row('vectors', 'members'),
  searchCutoffMs: row('none'),
  localizedAttributes: row('fields'),
  facetSearch: row('none'),
  prefixSearch: row('none'),
  chat: row('none', 'members', 'chatCompletions'),
}
