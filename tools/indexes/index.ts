// Commands on one index: statistics, and export of documents and settings.
export { exportIndex, exportText } from './export-index.ts'
export { indexStats, indexStatsText } from './stats.ts'
