// The attributes from which suggestions and corrections may take words: they are searched, and hits
// show them, so nothing is told about a document that its hit would hide.
import type { FieldId } from '../../../format/ids.ts'
import { isShown } from '../answers/index.ts'
import type { SearchableView } from '../jobs/index.ts'
import { type Scope, scopeOf } from '../segment-text/index.ts'

/** Returns the fields of `scope` (null for all) that hits show; null if all fields are shown. */
export function shownScope(view: SearchableView, scope: Scope | null): Scope | null {
  if (view.settings.displayedAttributes === null) return scope
  return scopeOf(fieldsOf(view, scope).filter((field) => isShown(view, nameOf(view, field))))
}

/** Returns the searched fields of `scope`. */
export const fieldsOf = ({ search }: SearchableView, scope: Scope | null): readonly FieldId[] =>
  scope?.fields ?? search.searchableFields()

/**
 * Returns the fields whose values are titles: those of `scope` if the request named attributes,
 * else those of the first searchable attribute that is not the primary key.
 */
export function titleFields(
  view: SearchableView,
  scope: Scope | null,
  areNamed: boolean,
): readonly FieldId[] {
  const fields = fieldsOf(view, scope)
  if (areNamed) return fields
  const others = fields.filter((field) => nameOf(view, field) !== view.ref.primaryKey)
  const weights = others.map((field) => view.search.weightOf(field) ?? Number.POSITIVE_INFINITY)
  const least = Math.min(...weights)
  return others.filter((_, i) => weights[i] === least)
}

const nameOf = ({ search }: SearchableView, field: FieldId): string => search.fields[field]!
