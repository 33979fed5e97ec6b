// Documents that other engines exported, rewritten into documents of this one: identifiers with
// other characters, places, and the envelopes of exports.
export { type RewriteReport, Rewriter, reportText, type SourceName } from './rewriter.ts'
