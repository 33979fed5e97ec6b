// Embedders as settings: merging changes into stored ones.
import { describe, expect, test } from 'vitest'
import { checkEmbedderPatches } from './checks.ts'
import { mergeEmbedders } from './merge.ts'
import type { Embedders } from './types.ts'

const rest = {
  source: 'rest',
  url: 'http://p/',
  request: { texts: ['{{text}}', '{{..}}'] },
  response: { vectors: ['{{embedding}}', '{{..}}'] },
} as const
const ollama = { source: 'ollama', model: 'm', url: 'http://p/api/embed' } as const

describe('another source', () => {
  const stored: Embedders = {
    e: {
      ...rest,
      apiKey: 'key',
      documentTemplate: '{{doc.t}}',
      documentTemplateMaxBytes: 40,
      dimensions: 4,
      headers: { 'x-a': 'b' },
      distribution: { mean: 0.5, sigma: 0.3 },
      binaryQuantized: true,
    },
  }

  test('keeps members that do not identify the model', () => {
    expect(mergeEmbedders(stored, { e: { source: 'openAi' } })).toEqual({
      e: {
        source: 'openAi',
        apiKey: 'key',
        documentTemplate: '{{doc.t}}',
        documentTemplateMaxBytes: 40,
        distribution: { mean: 0.5, sigma: 0.3 },
        binaryQuantized: true,
      },
    })
  })

  test('refuses a key that it does not allow, until it is removed', () => {
    const patch = { source: 'userProvided', dimensions: 4 } as const
    expect(() => mergeEmbedders(stored, { e: patch })).toThrow(
      'Field `apiKey` unavailable for source `userProvided`',
    )
    const keyless = mergeEmbedders(stored, { e: { apiKey: null } })
    expect(mergeEmbedders(keyless, { e: patch })['e']).toEqual({
      source: 'userProvided',
      dimensions: 4,
      distribution: { mean: 0.5, sigma: 0.3 },
      binaryQuantized: true,
    })
  })

  test('of a composite embedder needs its sides removed', () => {
    const composite: Embedders = {
      e: { source: 'composite', searchEmbedder: ollama, indexingEmbedder: ollama },
    }
    expect(() => mergeEmbedders(composite, { e: { source: 'openAi' } })).toThrow(
      'Field `searchEmbedder` unavailable for source `openAi`',
    )
    expect(() => mergeEmbedders(composite, { e: { indexingEmbedder: rest } })).toThrow(
      'Field `searchFragments` unavailable for source `rest` for the indexing embedder',
    )
    const changed = mergeEmbedders(composite, { e: { searchEmbedder: rest } })
    expect(changed['e']!.searchEmbedder).toEqual(rest)
  })
})

test('keys and headers of both sides of a composite embedder have to fit into a request', () => {
  const composite = (side: object) =>
    ({
      e: { source: 'composite', searchEmbedder: { ...ollama, ...side }, indexingEmbedder: ollama },
    }) as const
  expect(() => checkEmbedderPatches(composite({ apiKey: 'a\n' }))).toThrow(
    '`.embedders.e.searchEmbedder.apiKey`: the text ends with a line end',
  )
  expect(() => checkEmbedderPatches(composite({ apiKey: 'a\u0000b' }))).toThrow(
    '`.embedders.e.searchEmbedder.apiKey`: the text holds a line end or another control character',
  )
  // As in a dump of an older release.
  expect(mergeEmbedders({}, composite({ apiKey: 'a\n' }))['e']!.searchEmbedder?.apiKey).toBe('a\n')
  const withHeaders = { ...rest, headers: { 'X-A': 'a\rb' } }
  expect(() => checkEmbedderPatches({ e: { indexingEmbedder: withHeaders } })).toThrow(
    '`.embedders.e.indexingEmbedder.headers.X-A`: the text holds a line end',
  )
  checkEmbedderPatches(composite({ apiKey: 'ключ' }))
})

test('an embedder has at most 255 fragments of a kind', () => {
  const many = (count: number) =>
    Object.fromEntries(Array.from({ length: count }, (_, i) => [`f${i}`, { value: i }]))
  const patch = (count: number) => ({
    e: {
      ...rest,
      dimensions: 1,
      request: { texts: ['{{fragment}}', '{{..}}'] },
      indexingFragments: many(count),
      searchFragments: many(1),
    },
  })
  expect(Object.keys(mergeEmbedders({}, patch(255))['e']!.indexingFragments!)).toHaveLength(255)
  expect(() => mergeEmbedders({}, patch(256))).toThrow('Found 256, but limited to 255.')
})
