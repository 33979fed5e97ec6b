// Routes that search, here and for other instances.
export { multiSearchRoutes } from './multi-search.ts'
export { networkForeignRoutes } from './network-foreign.ts'
export { isProxied, requireNetwork, usesNetwork } from './network-search.ts'
export { networkSearchRoutes } from './network-searches.ts'
export { networkSimilarRoutes } from './network-similar.ts'
export { searchRoutes } from './search.ts'
export { withCallersFilter } from './search-filter.ts'
export { similarRoutes } from './similar.ts'
