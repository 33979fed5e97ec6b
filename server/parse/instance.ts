// Requests about the instance as a whole: statistics and experimental features.
import { FEATURES, type Feature } from '../../engine/index.ts'
import {
  flag,
  nullable,
  parameter,
  partial,
  query,
  rawFlag,
  rawOneOf,
  type Schema,
  type WholeBody,
  wholeBody,
} from './schema/index.ts'

const SIZE_FORMATS = ['human', 'raw'] as const
export type SizeFormat = (typeof SIZE_FORMATS)[number]

export type StatsQuery = {
  readonly showInternalDatabaseSizes: boolean
  readonly sizeFormat: SizeFormat
}

/** Reads the query string of statistics. @throws ApiError */
export const readStatsQuery = query<StatsQuery>({
  showInternalDatabaseSizes: parameter(
    rawFlag,
    'invalid_stats_show_internal_database_sizes',
    false,
  ),
  sizeFormat: parameter<SizeFormat>(rawOneOf(SIZE_FORMATS), 'invalid_stats_size_format', 'raw'),
})

/** The features to switch; null or absent leaves a feature unchanged. */
export type FeaturesPatch = { readonly [F in Feature]?: boolean | null }

const orNullFlag = nullable(flag)
const features: Schema<FeaturesPatch> = partial<FeaturesPatch>(
  Object.fromEntries(FEATURES.map((feature) => [feature, orNullFlag])) as {
    readonly [F in Feature]: Schema<boolean | null>
  },
)

/** Reads the body that switches experimental features. @throws ApiError */
export const readFeatures: WholeBody<FeaturesPatch> = wholeBody(features)
