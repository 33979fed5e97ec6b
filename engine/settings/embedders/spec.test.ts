// The properties of embedders that other rooms read: dimensions, distribution, fragments, what
// makes their vectors, and their form for clients.
import { describe, expect, it } from 'vitest'
import { DOCUMENT_TEMPLATE_DEFAULT } from '../values/index.ts'
import { changesVectors, indexingSide, vectorInputsOf } from './making.ts'
import { effectiveEmbedder, mergeEmbedders } from './merge.ts'
import { renderEmbedderPatches, renderEmbedders } from './render.ts'
import { embedderSpecs } from './spec.ts'
import type { Embedder } from './types.ts'

const own = { source: 'userProvided', dimensions: 3 } as const
const ollama = { source: 'ollama', model: 'm' } as const
const rest = {
  source: 'rest',
  url: 'http://p/',
  request: '{{fragment}}',
  response: '{{embedding}}',
  indexingFragments: { b: { value: 1 }, a: { value: 2 } },
} as const
const composite = (searchEmbedder: object, indexingEmbedder: object): Embedder =>
  ({ source: 'composite', searchEmbedder, indexingEmbedder }) as Embedder
const specOf = (embedder: Embedder) => embedderSpecs({ e: embedder })[0]!

describe('the dimensions', () => {
  it.each<[Embedder, number | null]>([
    [own, 3],
    [{ source: 'openAi' }, 1536],
    [{ source: 'openAi', model: 'text-embedding-3-large' }, 3072],
    [{ source: 'openAi', dimensions: 7 }, 7],
    [ollama, null],
    [{ ...ollama, model: 'text-embedding-3-large' }, null],
    [composite(ollama, { source: 'openAi' }), 1536],
    [composite({ source: 'openAi' }, { ...ollama, dimensions: 5 }), 5],
    [composite({ source: 'openAi' }, ollama), null],
  ])('of %j are %j', (embedder, dimensions) => {
    expect(specOf(embedder).dimensions).toBe(dimensions)
  })
})

describe('the distribution', () => {
  const shift = { mean: 0.1, sigma: 0.2 }
  it.each<[Embedder, object | null]>([
    [own, null],
    [{ ...own, distribution: shift }, shift],
    [{ source: 'openAi' }, { mean: 0.75, sigma: 0.1 }],
    [{ source: 'openAi', distribution: shift }, shift],
    [{ source: 'huggingFace' }, { mean: 0.85, sigma: 0.1 }],
    [{ source: 'huggingFace', model: 'x' }, null],
    [{ ...ollama, model: 'text-embedding-3-large' }, null],
    [
      composite(ollama, { source: 'openAi', model: 'text-embedding-3-large' }),
      { mean: 0.7, sigma: 0.1 },
    ],
    [composite({ source: 'huggingFace' }, { source: 'openAi' }), { mean: 0.85, sigma: 0.1 }],
  ])('of %j is %j', (embedder, distribution) => {
    expect(specOf(embedder).distribution).toEqual(distribution)
  })
})

it('a specification has the rest of what is stored, and is made once', () => {
  const all = { a: own, b: { ...rest, binaryQuantized: true }, c: composite(ollama, rest) }
  const specs = embedderSpecs(all)
  expect(embedderSpecs(all)).toBe(specs)
  expect(
    specs.map(({ name, source, isUserProvided, binaryQuantized, fragments }) => [
      name,
      source,
      isUserProvided,
      binaryQuantized,
      fragments,
    ]),
  ).toEqual([
    ['a', 'userProvided', true, false, []],
    ['b', 'rest', false, true, ['b', 'a']],
    ['c', 'composite', false, false, ['b', 'a']],
  ])
  expect(specs[1]!.embedder.headers).toEqual({})
})

describe('other vectors', () => {
  const openAi = { source: 'openAi' } as const
  it.each<[Embedder, Embedder, boolean]>([
    [openAi, openAi, false],
    [openAi, { ...openAi, model: 'text-embedding-3-small' }, false],
    [openAi, { ...openAi, model: 'text-embedding-3-large' }, true],
    [openAi, { ...openAi, apiKey: 'k', url: 'http://x', documentTemplate: 'x' }, false],
    [openAi, { ...openAi, dimensions: 5 }, true],
    [ollama, { ...ollama, dimensions: 5 }, false],
    [ollama, { ...ollama, url: 'http://x' }, true],
    [rest, { ...rest, request: ['{{fragment}}'] }, true],
    [rest, { ...rest, response: ['{{embedding}}'] }, true],
    [rest, { ...rest, indexingFragments: { c: { value: 1 } } }, false],
    [{ source: 'huggingFace' }, { source: 'huggingFace', revision: 'x' }, true],
    [{ source: 'huggingFace' }, { source: 'huggingFace', pooling: 'forceCls' }, true],
    [composite(ollama, openAi), composite(openAi, openAi), false],
    [composite(ollama, openAi), composite(ollama, ollama), true],
    [composite(ollama, openAi), openAi, false],
  ])('%j, then %j: %j', (before, after, expected) => {
    expect(changesVectors(before, after)).toBe(expected)
    expect(changesVectors(after, before)).toBe(expected)
  })

  it('come from the template and the fields that it uses', () => {
    const inputs = (embedder: Embedder) => vectorInputsOf(embedder, ['title'])
    expect(inputs(own)).toEqual([])
    expect(inputs(openAi).slice(1)).toEqual([DOCUMENT_TEMPLATE_DEFAULT, undefined, ['title']])
    expect(inputs({ ...openAi, documentTemplate: '{{doc.a}}' }).slice(1)).toEqual([
      '{{doc.a}}',
      undefined,
      null,
    ])
    expect(inputs(rest).slice(1)).toEqual([undefined, rest.indexingFragments, null])
    expect(indexingSide(composite(own, ollama)).model).toBe('m')
  })
})

it.each<[Embedder, readonly string[]]>([
  [{ source: 'openAi' }, ['source', 'model', 'documentTemplate', 'documentTemplateMaxBytes']],
  [
    { source: 'huggingFace' },
    ['source', 'model', 'pooling', 'documentTemplate', 'documentTemplateMaxBytes'],
  ],
  [own, ['source', 'dimensions']],
  [rest, ['source', 'url', 'indexingFragments', 'request', 'response', 'headers']],
])('%j has these members with defaults: %j', (embedder, members) => {
  expect(Object.keys(effectiveEmbedder(embedder))).toEqual(members)
})

describe('for clients', () => {
  it('keys are masked on each side, and fragments are sorted', () => {
    const keyed = { ...rest, apiKey: '1234567890' }
    const shown = renderEmbedders({
      e: keyed,
      c: composite({ ...ollama, apiKey: 'secret' }, keyed),
    })
    expect(shown['e']).toMatchObject({ apiKey: '12XXXX...' })
    expect(Object.keys(shown['e']!.indexingFragments!)).toEqual(['a', 'b'])
    const { searchEmbedder, indexingEmbedder } = shown['c']!
    expect(searchEmbedder).toEqual({ ...ollama, apiKey: 'XXX...' })
    expect(indexingEmbedder).toMatchObject({ apiKey: '12XXXX...', headers: {} })
    expect(indexingEmbedder).not.toHaveProperty('documentTemplate')
  })

  it('a change is shown as sent, in the order of members and of names', () => {
    const patch = { apiKey: 'k', source: 'openAi', model: null } as const
    const shown = renderEmbedderPatches({ b: patch, a: null })
    expect(Object.keys(shown)).toEqual(['a', 'b'])
    expect(Object.entries(shown['b']!)).toEqual([
      ['source', 'openAi'],
      ['model', null],
      ['apiKey', 'XXX...'],
    ])
    expect(shown['a']).toBeNull()
  })
})

it('new fragments come behind those that documents have vectors of', () => {
  const both = { ...rest, dimensions: 1, searchFragments: { s: { value: 1 } } }
  const stored = mergeEmbedders({}, { e: both })
  const change = {
    indexingFragments: { d: { value: 1 }, c: { value: 1 }, a: null },
    searchFragments: { r: { value: 1 } },
  }
  const merged = mergeEmbedders(stored, { e: change })['e']!
  expect(Object.keys(stored['e']!.indexingFragments!)).toEqual(['a', 'b'])
  expect(Object.keys(merged.indexingFragments!)).toEqual(['b', 'c', 'd'])
  expect(Object.keys(merged.searchFragments!)).toEqual(['r', 's'])
})
