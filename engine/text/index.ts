// Text analysis: which tokens does a text have, at which positions?
export {
  Analyzer,
  DEFAULT_ANALYZER_SETTINGS,
  normalizeExemptWord,
  normalizeStopWord,
  normalizeWhole,
  originalPrefix,
  type Token,
} from './analyzer.ts'
export { isEmoji, leadBytes, pointAt, type Script } from './characters/index.ts'
export { ELEMENT_END } from './element-end.ts'
export { facetHead, facetPrefixes, normalizeFacet } from './facet.ts'
export {
  ANALYSIS_VERSION,
  FACET_BYTES_MAX,
  FACET_UNITS_READ_MAX,
  POSITIONS_MAX,
  TERM_BYTES_MAX,
  WIDE_STEP,
} from './limits.ts'
export { LOCALES } from './locales.ts'
export { parseExact, parseFloatText, parseNumber, showFloat } from './numbers.ts'
export { sortedTermIds } from './sort-terms.ts'
export { isGlue, spellingOf, spellingsOf, spellingTerm } from './spelling.ts'
export { stopTerm } from './stop-term.ts'
export { TermIndexer } from './term-indexer.ts'
export { mayHaveParts, partOf, partsOf, partTerm, unitsOfBeginning } from './word-parts.ts'
