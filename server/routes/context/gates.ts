// Checks that the features that a request uses are switched on.
import {
  type Feature,
  type Features,
  featureRefusal,
  filterWording,
  parseFilter,
  type SearchRequest,
} from '../../../engine/index.ts'
import type { IndexUid } from '../../../format/ids.ts'
import { ApiError, type ErrorCode } from '../../errors/index.ts'

/** `false` needs the feature as much as `true` does. @throws ApiError */
export function checkUseNetwork(useNetwork: boolean | null, features: Features): void {
  if (useNetwork === null || features.network) return
  throw new ApiError(
    'feature_not_enabled',
    featureRefusal('network', 'passing `useNetwork` in a search query'),
  )
}

/**
 * Reports a filter that cannot be read before a refused `useNetwork`, in the recorded order. A
 * large filter, which arrives as bytes, is not read if the search is refused. @throws EngineFault
 */
export function checkFilterFirst(
  { useNetwork, filter }: Pick<SearchRequest, 'useNetwork' | 'filter'>,
  indexUid: IndexUid,
  features: Features,
): void {
  if (useNetwork === null || features.network || filter instanceof Uint8Array) return
  const wording = filterWording('search', 'parsing', indexUid)
  parseFilter(filter, { wording, features, takesForeign: true })
}

/** A search without a rule of its own needs no feature. @throws ApiError */
export function checkInlineRule(
  { inlineRule }: Pick<SearchRequest, 'inlineRule'>,
  features: Features,
): void {
  if (inlineRule === null) return
  checkFeature(features, 'dynamicSearchRules', 'passing `inlineRule` in a search query')
}

/**
 * For requests that this instance always answers alone. `what` begins the sentence that says so.
 * @throws ApiError
 */
export function checkOwnInstance(
  useNetwork: boolean | null,
  features: Features,
  { code, what }: { readonly code: ErrorCode; readonly what: string },
): void {
  checkUseNetwork(useNetwork, features)
  if (useNetwork !== true) return
  throw new ApiError(
    code,
    `Invalid value at \`.useNetwork\`: ${what} in one instance alone. ` +
      'Remove `useNetwork`, or set it to `false`.',
  )
}

/** @throws ApiError */
export function checkPersonalize(
  personalize: SearchRequest['personalize'],
  canPersonalize: boolean,
): void {
  if (personalize !== null && !canPersonalize) throw personalizationOff()
}

/** The refusal of a personalized search if no provider is configured. */
export const personalizationOff = (): ApiError =>
  new ApiError('feature_not_enabled', featureRefusal('personalization', 'reranking search results'))

/** `action`: the attempted action, as the subject of a sentence. @throws ApiError */
export function checkFeature(features: Features, feature: Feature, action: string): void {
  if (features[feature]) return
  throw new ApiError('feature_not_enabled', featureRefusal(feature, action))
}
