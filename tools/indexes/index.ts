// One index of a database: what it holds, counted; and its documents and settings, taken out.
export { type ExportOptions, type ExportResult, exportIndex, exportText } from './export-index.ts'
export { type IndexStats, indexStats, indexStatsText } from './stats.ts'
