// What the parts that store and search vectors need to know of an embedder: nothing of how vectors
// are made.
import { effectiveEmbedder } from './embedder-merge.ts'
import type { Distribution, Embedder, EmbedderSource, Embedders } from './embedder-types.ts'

export type EmbedderSpec = {
  readonly name: string
  readonly source: EmbedderSource
  /** Of its vectors; null: not set, so it is what the first vector has. */
  readonly dimensions: number | null
  /** Vectors are kept in few bits a dimension. */
  readonly binaryQuantized: boolean
  /** How scores are shifted; null: not at all. */
  readonly distribution: Distribution | null
  /** Names of its indexing fragments in their order; a document has up to one vector of each. */
  readonly fragments: readonly string[]
  /** Documents bring their vectors, or opt out. */
  readonly isUserProvided: boolean
  /** Everything else, with the defaults of its source: for those who make vectors. */
  readonly embedder: Embedder
}

/** Similarities that these models give to texts that have nothing, or all, in common. */
const MODEL_DISTRIBUTIONS: { readonly [model: string]: Distribution } = {
  'text-embedding-ada-002': { mean: 0.9, sigma: 0.08 },
  'text-embedding-3-large': { mean: 0.7, sigma: 0.1 },
  'text-embedding-3-small': { mean: 0.75, sigma: 0.1 },
  'BAAI/bge-base-en-v1.5': { mean: 0.85, sigma: 0.1 },
}

/** Dimensions of models that have a default. */
const MODEL_DIMENSIONS: { readonly [model: string]: number } = {
  'text-embedding-ada-002': 1536,
  'text-embedding-3-large': 3072,
  'text-embedding-3-small': 1536,
}

const WITH_KNOWN_MODELS: ReadonlySet<EmbedderSource> = new Set(['openAi', 'huggingFace'])

function specOf(name: string, stored: Embedder): EmbedderSpec {
  const embedder = effectiveEmbedder(stored)
  const { source, indexingEmbedder, searchEmbedder } = embedder
  const indexing = source === 'composite' ? (indexingEmbedder ?? {}) : embedder
  const known = [embedder, searchEmbedder, indexingEmbedder]
    .filter((one) => one?.source !== undefined && WITH_KNOWN_MODELS.has(one.source))
    .map((one) => effectiveEmbedder(one!).model ?? '')
  const shifts = [embedder, searchEmbedder, indexingEmbedder].map((one) => one?.distribution)
  const distribution =
    shifts.find((one) => one !== undefined) ??
    known.map((model) => MODEL_DISTRIBUTIONS[model]).find((one) => one !== undefined)
  const model = effectiveEmbedder(indexing).model ?? ''
  const dimensions =
    indexing.dimensions ?? (indexing.source === 'openAi' ? MODEL_DIMENSIONS[model] : undefined)
  return {
    name,
    source,
    dimensions: dimensions ?? null,
    binaryQuantized: embedder.binaryQuantized === true,
    distribution: distribution ?? null,
    fragments: Object.keys(indexing.indexingFragments ?? {}),
    isUserProvided: source === 'userProvided',
    embedder,
  }
}

/** Made once for each settings: every search asks. */
const specs = new WeakMap<Embedders, readonly EmbedderSpec[]>()

/** By name, in byte order. */
export function embedderSpecs(embedders: Embedders): readonly EmbedderSpec[] {
  const known = specs.get(embedders)
  if (known !== undefined) return known
  const made = Object.entries(embedders).map(([name, embedder]) => specOf(name, embedder))
  specs.set(embedders, made)
  return made
}
