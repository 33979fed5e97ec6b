// The presentation of hits: selected fields, formatted texts, match positions, score details.
export { HitFormatter } from './hit-formatter.ts'
export { Matcher } from './matcher.ts'
export { otherForms } from './other-forms.ts'
export { renderDetails } from './score-details.ts'
export { Selection } from './selection.ts'
