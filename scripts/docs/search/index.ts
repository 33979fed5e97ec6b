// The search of the documentation's site: sections, their server, the site that asks it.
export { buildSite } from './build.ts'
export { loadSections } from './load.ts'
export { serveSite } from './serve.ts'
