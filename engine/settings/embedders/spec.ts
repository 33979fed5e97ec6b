// The properties of an embedder that storing and searching vectors needs, independent of how
// vectors are computed.
import { effectiveEmbedder } from './merge.ts'
import type { Distribution, Embedder, EmbedderSource, Embedders } from './types.ts'

export type EmbedderSpec = {
  readonly name: string
  readonly source: EmbedderSource
  /** Dimensions of its vectors, or null if not set: then those of the first vector. */
  readonly dimensions: number | null
  /** Vectors are stored with few bits per dimension. */
  readonly binaryQuantized: boolean
  /** How scores are shifted, or null for no shift. */
  readonly distribution: Distribution | null
  /** Names of its indexing fragments in order; a document has at most one vector for each. */
  readonly fragments: readonly string[]
  /** Documents contain their vectors, or opt out. */
  readonly isUserProvided: boolean
  /** The whole embedder with the defaults of its source, for computing vectors. */
  readonly embedder: Embedder
}

/** Distribution of the similarities that these models give. */
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

/** Cached for each settings object, because every search needs them. */
const cachedSpecs = new WeakMap<Embedders, readonly EmbedderSpec[]>()

/** Returns the specifications by name, in byte order. */
export function embedderSpecs(embedders: Embedders): readonly EmbedderSpec[] {
  const cached = cachedSpecs.get(embedders)
  if (cached !== undefined) return cached
  const made = Object.entries(embedders).map(([name, embedder]) => specOf(name, embedder))
  cachedSpecs.set(embedders, made)
  return made
}
