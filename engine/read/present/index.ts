// How hits look.
export type { FormatRequest } from './format-options.ts'
export { type HitFields, HitFormatter } from './hit-formatter.ts'
export { Matcher } from './matcher.ts'
export { type DetailOptions, type RenderedDetails, renderDetails } from './score-details.ts'
export { Selection } from './selection.ts'
