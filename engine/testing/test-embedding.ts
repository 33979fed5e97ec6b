// Embedders for tests of a whole engine: a provider that is a function, and the settings of an
// embedder that asks it.
import type { EngineOptions } from '../engine.ts'

type Embedding = NonNullable<EngineOptions['embedding']>

/** Nothing waits, nothing is kept, no failure is ignored, unless `more` says so. */
export const playedEmbedding = (
  send: Embedding['send'],
  more: Partial<Embedding> = {},
): Embedding => ({
  send,
  now: () => 0,
  openAiKey: null,
  requestMs: 1000,
  pauseMsMax: 0,
  cacheEntriesMax: 0,
  modelsHome: null,
  ignoresEmbedders: false,
  ignoresTemplates: false,
  ...more,
})

/** An embedder of a provider that is asked `{texts}` and answers `{vectors}`. */
export const REST_EMBEDDER = {
  source: 'rest',
  url: 'http://p/',
  request: { texts: ['{{text}}', '{{..}}'] },
  response: { vectors: ['{{embedding}}', '{{..}}'] },
  documentTemplate: '{{doc.title}}',
} as const

/** The same with fragments, a vector of each of these templates. */
export const withFragments = (
  templates: { readonly [name: string]: string },
  dimensions: number,
): object => {
  const { documentTemplate: _, ...rest } = REST_EMBEDDER
  const named = Object.entries(templates).map(([name, value]) => [name, { value }] as const)
  return {
    ...rest,
    dimensions,
    request: { texts: ['{{fragment}}', '{{..}}'] },
    indexingFragments: Object.fromEntries(named),
    searchFragments: { q: { value: '{{q}}' } },
  }
}
