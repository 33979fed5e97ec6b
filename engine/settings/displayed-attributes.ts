// Which attributes hits show.
import { covers } from './field-patterns.ts'
import { namesOrAll, renderNames } from './name-lists.ts'
import { setting } from './setting.ts'
import { isNullOr, isTexts } from './stored-checks.ts'

/** null: every field. */
type Displayed = readonly string[] | null

export const displayedAttributes = setting<Displayed>()({
  code: 'invalid_settings_displayed_attributes',
  advice: 'send an array of names, `["*"]` for all.',
  change: 'whole',
  default: null,
  isStored: isNullOr(isTexts),
  merge: (_, names) => namesOrAll(names),
  render: renderNames,
  renderPatch: renderNames,
})

/** Whether hits show a field, itself or as part of a displayed object. */
export const isDisplayed = (
  { displayedAttributes }: { readonly displayedAttributes: Displayed },
  field: string,
): boolean =>
  displayedAttributes === null || displayedAttributes.some((name) => covers(name, field))
