// What a request may only ask for when something was switched on.
import {
  type Feature,
  type Features,
  featureRefusal,
  type SearchRequest,
} from '../../engine/index.ts'
import { ApiError } from '../errors/index.ts'

/** `false` needs the feature as much as `true` does. @throws ApiError */
export function checkUseNetwork(useNetwork: boolean | null, features: Features): void {
  if (useNetwork === null || features.network) return
  throw new ApiError(
    'feature_not_enabled',
    featureRefusal('network', 'passing `useNetwork` in a search query'),
  )
}

/** For requests that one instance answers alone, network or not. @throws ApiError */
export function checkOwnInstance(useNetwork: boolean | null, features: Features): void {
  checkUseNetwork(useNetwork, features)
  if (useNetwork !== true) return
  throw new ApiError(
    'invalid_search_use_network',
    'Invalid value at `.useNetwork`: facets are searched in one instance alone. ' +
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

/** What a search that asks for a personal order is told where there is no provider. */
export const personalizationOff = (): ApiError =>
  new ApiError('feature_not_enabled', featureRefusal('personalization', 'reranking search results'))

/** `action`: what was tried, as the subject of a sentence. @throws ApiError */
export function checkFeature(features: Features, feature: Feature, action: string): void {
  if (features[feature]) return
  throw new ApiError('feature_not_enabled', featureRefusal(feature, action))
}
