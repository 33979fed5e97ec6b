// The schema of embedders in a change of settings. The engine checks which members fit which
// source.
import {
  type Distribution,
  EMBEDDER_SOURCES,
  type EmbedderPatch,
  type EmbedderPatches,
  type FragmentPatches,
  type NestedEmbedderPatch,
  POOLINGS,
} from '../../engine/index.ts'
import {
  anything,
  checked,
  count,
  flag,
  float,
  invalid,
  mapOf,
  nullable,
  object,
  oneOf,
  partial,
  required,
  type Schema,
  text,
} from './schema/index.ts'

const distribution: Schema<Distribution> = checked(
  object<Distribution>({ mean: required(float, null), sigma: required(float, null) }),
  (found) => {
    const { mean, sigma } = found
    if (!(mean >= 0 && mean <= 1)) {
      throw invalid(`the distribution mean must be in the range [0, 1], got ${mean}`)
    }
    if (!(sigma > 0 && sigma <= 1)) {
      throw invalid(`the distribution sigma must be in the range ]0, 1], got ${sigma}`)
    }
    return found
  },
)

const fragments: Schema<FragmentPatches> = mapOf(
  nullable(
    object<{ readonly value: unknown }>(
      { value: required(anything, null) },
      { ignoreUnknown: true },
    ),
  ),
)

const before = {
  source: nullable(oneOf(EMBEDDER_SOURCES)),
  model: nullable(text),
  revision: nullable(text),
  pooling: nullable(oneOf(POOLINGS)),
  apiKey: nullable(text),
  dimensions: nullable(count),
  binaryQuantized: nullable(flag),
  documentTemplate: nullable(text),
  documentTemplateMaxBytes: nullable(count),
  url: nullable(text),
  indexingFragments: nullable(fragments),
  searchFragments: nullable(fragments),
  request: anything,
  response: anything,
  headers: nullable(mapOf(text)),
}
const after = { distribution: nullable(distribution) }

const nested: Schema<NestedEmbedderPatch> = partial<NestedEmbedderPatch>({ ...before, ...after })

const embedder: Schema<EmbedderPatch> = partial<EmbedderPatch>({
  ...before,
  searchEmbedder: nullable(nested),
  indexingEmbedder: nullable(nested),
  ...after,
})

export const embedders: Schema<EmbedderPatches> = mapOf(nullable(embedder))
