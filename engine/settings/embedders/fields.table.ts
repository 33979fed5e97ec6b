// The members of an embedder for each source: `M` mandatory, `o` optional, `-` not allowed. The
// rows are in the declared order of members, which messages and answers follow.
import type { EmbedderField, EmbedderSource } from './types.ts'

type Marks = { readonly [S in EmbedderSource]: 'M' | 'o' | '-' }

/** `marks`: one character for openAi, huggingFace, ollama, userProvided, rest, composite. */
const marks = (text: string): Marks => {
  const at = (i: number): 'M' | 'o' | '-' => text[i] as 'M' | 'o' | '-'
  return {
    openAi: at(0),
    huggingFace: at(1),
    ollama: at(2),
    userProvided: at(3),
    rest: at(4),
    composite: at(5),
  }
}

/** In the order in which checks run and messages list available members. */
export const FIELD_MARKS: { readonly [F in EmbedderField]: Marks } = {
  source: marks('oooooo'),
  model: marks('ooM---'),
  revision: marks('-o----'),
  pooling: marks('-o----'),
  apiKey: marks('o-o-o-'),
  dimensions: marks('o-oMo-'),
  documentTemplate: marks('ooo-o-'),
  documentTemplateMaxBytes: marks('ooo-o-'),
  url: marks('o-o-M-'),
  indexingFragments: marks('----o-'),
  searchFragments: marks('----o-'),
  request: marks('----M-'),
  response: marks('----M-'),
  headers: marks('----o-'),
  searchEmbedder: marks('-----M'),
  indexingEmbedder: marks('-----M'),
  distribution: marks('oooooo'),
  binaryQuantized: marks('oooooo'),
}

/** The members in display order. */
export const EMBEDDER_FIELDS = [
  'source',
  'model',
  'revision',
  'pooling',
  'apiKey',
  'dimensions',
  'binaryQuantized',
  'documentTemplate',
  'documentTemplateMaxBytes',
  'url',
  'indexingFragments',
  'searchFragments',
  'request',
  'response',
  'headers',
  'searchEmbedder',
  'indexingEmbedder',
  'distribution',
] as const satisfies readonly EmbedderField[]

/** The members of a composite embedder that are embedders themselves. */
export const EMBEDDER_PARTS = ['searchEmbedder', 'indexingEmbedder'] as const
export type EmbedderPart = (typeof EMBEDDER_PARTS)[number]

export const isPartOfComposite = (member: string): boolean =>
  (EMBEDDER_PARTS as readonly string[]).includes(member)

/** Members that an embedder inside a composite one may not have, by its part. */
export const NESTED_REFUSED: {
  readonly [P in EmbedderPart]: readonly EmbedderField[]
} = {
  searchEmbedder: [
    'documentTemplate',
    'documentTemplateMaxBytes',
    'indexingFragments',
    'distribution',
    'binaryQuantized',
  ],
  indexingEmbedder: ['searchFragments', 'distribution', 'binaryQuantized'],
}

/** OpenAI's models: native dimensions, and whether fewer may be requested. */
export const OPENAI_MODELS: {
  readonly [model: string]: { readonly dimensions: number; readonly fewer: boolean }
} = {
  'text-embedding-ada-002': { dimensions: 1536, fewer: false },
  'text-embedding-3-small': { dimensions: 1536, fewer: true },
  'text-embedding-3-large': { dimensions: 3072, fewer: true },
}
export const OPENAI_MODEL_DEFAULT = 'text-embedding-3-small'
export const HUGGING_FACE_MODEL_DEFAULT = 'BAAI/bge-base-en-v1.5'

export const EMBEDDERS_MAX = 256
/**
 * The vectors layer numbers the fragments of an embedder with one byte; 255 means that a vector
 * belongs to no fragment.
 */
export const FRAGMENTS_MAX = 255
