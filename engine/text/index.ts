// Text analysis: here is a text, which tokens, at which positions?
export {
  Analyzer,
  type AnalyzerSettings,
  DEFAULT_ANALYZER_SETTINGS,
  isNumberTerm,
  normalizeExemptWord,
  normalizeStopWord,
  normalizeWhole,
  originalPrefix,
  type Token,
  type TokenizeOptions,
  type TokenKind,
} from './analyzer.ts'
export { isWhitespace, type Script, trimWhitespace } from './characters.ts'
export { normalizeFacet } from './facet.ts'
export {
  ANALYSIS_VERSION,
  FACET_BYTES_MAX,
  POSITIONS_MAX,
  TERM_BYTES_MAX,
  WIDE_STEP,
} from './limits.ts'
export { LOCALES } from './locales.ts'
export { parseFloatText, parseNumber, showFloat } from './numbers.ts'
export type { Segmenter } from './segmenters.ts'
export { sortedTermIds } from './sort-terms.ts'
export { TermIndexer } from './term-indexer.ts'
export type { TermTable } from './term-table.ts'
export { leadBytes, pointAt } from './utf8.ts'
