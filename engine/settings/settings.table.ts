// One row a setting: which feature must be on for it to be set and shown, and how a change is merged
// (`apply.ts`). The routes, codes and shapes are the server's (`server/parse`); what a change costs is
// the layers' to say (`engine/store/layers`).
import type { Feature } from '../model/index.ts'
import type { SettingName } from './types.ts'

export type SettingRow = {
  /** Needed to set it and to see it among the others; null: none. */
  readonly feature: Feature | null
  /** `members`: a change touches only the members it names; `whole`: it replaces the value. */
  readonly merge: 'whole' | 'members'
}

const row = (merge: SettingRow['merge'] = 'whole', feature: Feature | null = null): SettingRow => ({
  feature,
  merge,
})

export const SETTINGS: { readonly [K in SettingName]: SettingRow } = {
  displayedAttributes: row(),
  searchableAttributes: row(),
  filterableAttributes: row(),
  sortableAttributes: row(),
  foreignKeys: row('whole', 'foreignKeys'),
  rankingRules: row(),
  stopWords: row(),
  nonSeparatorTokens: row(),
  separatorTokens: row(),
  dictionary: row(),
  synonyms: row(),
  distinctAttribute: row(),
  proximityPrecision: row(),
  typoTolerance: row('members'),
  faceting: row('members'),
  pagination: row('members'),
  embedders: row('members'),
  searchCutoffMs: row(),
  localizedAttributes: row(),
  facetSearch: row(),
  prefixSearch: row(),
  chat: row('members', 'chatCompletions'),
}
