// The attributes that hits show.
import { nullable, texts } from '../../../format/schema/index.ts'
import { covers, namesOrAll, renderNames, setting } from '../schema/index.ts'

/** null means every field. */
type Displayed = readonly string[] | null

export const displayedAttributes = setting<Displayed>()({
  code: 'invalid_settings_displayed_attributes',
  advice: 'send an array of names, `["*"]` for all.',
  change: 'whole',
  default: null,
  stored: nullable(texts),
  merge: (_, names) => namesOrAll(names),
  render: renderNames,
  renderPatch: renderNames,
})

/** Returns whether hits show a field, itself or as part of a displayed object. */
export const isDisplayed = (
  { displayedAttributes }: { readonly displayedAttributes: Displayed },
  field: string,
): boolean =>
  displayedAttributes === null || displayedAttributes.some((name) => covers(name, field))
