// How hits look.
export { type DetailOptions, type RenderedDetails, renderDetails } from './score-details.ts'
export { Selection } from './selection.ts'
