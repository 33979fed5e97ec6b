// One index of a database: what it holds, counted; and its documents and settings, taken out.
export { type ExportOptions, exportIndex, exportText } from './export-index.ts'
export { indexStats, indexStatsText } from './stats.ts'
