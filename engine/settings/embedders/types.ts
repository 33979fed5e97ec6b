// Types of embedders in settings: the members that an embedder can have, by source. This folder
// stores, merges, checks and shows them; `engine/ai` uses them.

export const EMBEDDER_SOURCES = [
  'openAi',
  'huggingFace',
  'ollama',
  'userProvided',
  'rest',
  'composite',
] as const
export type EmbedderSource = (typeof EMBEDDER_SOURCES)[number]

export const POOLINGS = ['useModel', 'forceCls', 'forceMean'] as const
type Pooling = (typeof POOLINGS)[number]

type Fragments = { readonly [name: string]: { readonly value: unknown } }
export type Distribution = { readonly mean: number; readonly sigma: number }

/** The members of an embedder inside a composite one. */
export type NestedEmbedder = {
  readonly source?: EmbedderSource
  readonly model?: string
  readonly revision?: string
  readonly pooling?: Pooling
  readonly apiKey?: string
  readonly dimensions?: number
  readonly binaryQuantized?: boolean
  readonly documentTemplate?: string
  readonly documentTemplateMaxBytes?: number
  readonly url?: string
  readonly indexingFragments?: Fragments
  readonly searchFragments?: Fragments
  readonly request?: unknown
  readonly response?: unknown
  readonly headers?: { readonly [name: string]: string }
  readonly distribution?: Distribution
}

/**
 * A stored embedder: its source and the members that were set; other members have the source's
 * default.
 */
export type Embedder = Omit<NestedEmbedder, 'source'> & {
  readonly source: EmbedderSource
  readonly searchEmbedder?: NestedEmbedder
  readonly indexingEmbedder?: NestedEmbedder
}
export type Embedders = { readonly [name: string]: Embedder }

/** Fragments to set, or null to remove one. */
export type FragmentPatches = { readonly [name: string]: { readonly value: unknown } | null }

type Nullable<T> = { readonly [K in keyof T]?: T[K] | null }
export type NestedEmbedderPatch = Omit<
  Nullable<NestedEmbedder>,
  'indexingFragments' | 'searchFragments'
> & {
  readonly indexingFragments?: FragmentPatches | null
  readonly searchFragments?: FragmentPatches | null
}
export type EmbedderPatch = NestedEmbedderPatch & {
  readonly searchEmbedder?: NestedEmbedderPatch | null
  readonly indexingEmbedder?: NestedEmbedderPatch | null
}
/** null removes the embedder of that name. */
export type EmbedderPatches = { readonly [name: string]: EmbedderPatch | null }

export type EmbedderField = keyof EmbedderPatch
