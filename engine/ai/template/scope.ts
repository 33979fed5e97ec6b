// The names that a template can use for a document: `doc`, and `fields` as a list.
import { covers } from '../../settings/schema/index.ts'

export type Scope = { readonly [name: string]: unknown }
export type TemplateDocument = { readonly [name: string]: unknown }

/** `searchable`: names of the setting, or null if every field is searchable. */
export function documentScope(doc: TemplateDocument, searchable: readonly string[] | null): Scope {
  const isSearchable = (name: string): boolean =>
    searchable === null || searchable.some((one) => one === '*' || covers(one, name))
  const fields = Object.entries(doc).map(([name, value]) => ({
    name,
    value,
    is_searchable: isSearchable(name),
  }))
  return { doc, fields }
}
