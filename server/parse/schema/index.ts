// Schemas of bodies and query strings, and the faults that name a place in them.
export { exactBody, finishedBody, malformed, readBody, type WholeBody, wholeBody } from './body.ts'
export { isQuick } from './body-scan.ts'
export { boosts } from './boosts.ts'
export { checkedFilter } from './checked-filter.ts'
export { momentOf, momentProblem } from './date-time.ts'
export { externalIdOf, externalIdProblem } from './external-id.ts'
export { disjunctiveFacets, facets, rawDisjunctiveFacets } from './facets.ts'
export { filterOf, nullFilter } from './filter.ts'
export { checkIndexUid, indexUidProblem, isIndexUid } from './index-uid.ts'
export {
  compactText,
  isJsonArray,
  isJsonObject,
  type Json,
  membersOf,
  plain,
} from './json-value.ts'
export {
  PAGE_LIMIT_DEFAULT,
  QUERIES_MAX,
  SEARCH_NAMES_MAX,
  SIMILAR_HITS_MAX,
  SUGGESTIONS_DEFAULT,
  SUGGESTIONS_MAX,
  VECTORS_MAX,
} from './limits.ts'
export { type Member, type MembersOf, member, object, partial, required } from './object-schemas.ts'
export { misread, readUpTo, shownKind } from './place.ts'
export {
  type DescribedParameter,
  decodePercent,
  finishedQuery,
  floatOf,
  type Parameter,
  type ParameterReader,
  type ParametersOf,
  parameter,
  pieces,
  type QueryReader,
  query,
  rawCount,
  rawCountUpTo,
  rawFlag,
  rawList,
  rawOneOf,
  rawRatio,
  rawText,
  rawTexts,
  rawU32,
  u32Of,
} from './query.ts'
export { type JsonSchema, schemaOf, withSchema } from './reader-schemas.ts'
export {
  anything,
  checked,
  count,
  countUpTo,
  exactly,
  flag,
  float,
  floatUpTo,
  headerText,
  invalid,
  list,
  listUpTo,
  mapOf,
  nullable,
  oneOf,
  positiveCount,
  ratio,
  readable,
  readerOf,
  type Schema,
  searchFilter,
  text,
  textSet,
  texts,
} from './schemas.ts'
export { rawSort } from './sort.ts'
export { nearest } from './suggest.ts'
export { urlProblem } from './url.ts'
export { bodyError, outOf, queryError, ValidationError } from './validation-error.ts'
