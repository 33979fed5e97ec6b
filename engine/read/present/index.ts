// How hits look.

export { HitFormatter } from './hit-formatter.ts'
export { Matcher } from './matcher.ts'
export { renderDetails } from './score-details.ts'
export { Selection } from './selection.ts'
