// Filters in requests: any JSON in a body; in a query string JSON text, or else filter syntax. The
// engine checks their content.
import { encoder } from '../../../format/bytes/index.ts'
import { ApiError, type ErrorCode } from '../../errors/index.ts'
import { scanBody } from './body-scan.ts'
import { DEPTH_MAX, FILTER_VALUES_MAX } from './limits.ts'

type FilterCode = ErrorCode &
  (
    | 'invalid_search_filter'
    | 'invalid_document_filter'
    | 'invalid_similar_filter'
    | 'invalid_suggest_filter'
  )

/** Most filters are not JSON, and finding that out with an exception is slow. */
const LOOKS_LIKE_JSON = /^\s*(?:[[{"\d-]|(?:true|false|null)\s*$)/

/**
 * Reads the filter of a query string; a filter with many values as the bytes of its text, see
 * `searchFilter`. A JSON `null` is refused here, because to the engine it would mean that there is
 * no filter.
 * @throws ApiError
 */
export function filterOf(raw: string, code: FilterCode): unknown {
  if (!LOOKS_LIKE_JSON.test(raw)) return raw
  const bytes = encoder.encode(raw.trim())
  const { depth, values } = scanBody(bytes)
  // Nested too deep for JSON, as in a body; then it is filter syntax.
  if (depth > DEPTH_MAX) return raw
  let value: unknown
  try {
    value = JSON.parse(raw)
  } catch (error) {
    if (error instanceof SyntaxError) return raw
    throw error
  }
  if (value === null) throw nullFilter(code)
  return values > FILTER_VALUES_MAX ? bytes : value
}

/** Returns the error for a filter that is null where one is required. */
export const nullFilter = (code: FilterCode): ApiError =>
  new ApiError(
    code,
    'Invalid syntax for the filter parameter: `expected String, Array, found: null`.',
  )
