// Embedders for tests of a whole engine: a provider that is a function, and the settings of an
// embedder that uses it.
import type { EngineOptions } from '../api/index.ts'

type Embedding = NonNullable<EngineOptions['embedding']>

/** Without pauses, caches and ignored failures, unless `more` overrides that. */
export const fakeEmbedding = (
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

/** An embedder whose provider receives `{texts}` and answers `{vectors}`. */
export const REST_EMBEDDER = {
  source: 'rest',
  url: 'http://p/',
  request: { texts: ['{{text}}', '{{..}}'] },
  response: { vectors: ['{{embedding}}', '{{..}}'] },
  documentTemplate: '{{doc.title}}',
} as const

/** The same with fragments: one vector for each of these templates. */
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
