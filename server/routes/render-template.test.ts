// The templates and inputs of renderings, with an engine that the test plays: which one is meant,
// and in which words it is refused.
import { describe, expect, test } from 'vitest'
import { EngineFault, FEATURES } from '../../engine/index.ts'
import { ApiError } from '../errors/index.ts'
import { EVERYTHING } from '../http/index.ts'
import type { Caller } from '../http/messages/index.ts'
import type { RouteOptions } from './context/index.ts'
import { renderRoutes } from './render-template.ts'

type Part = { readonly [name: string]: unknown }
type World = {
  readonly off?: readonly string[]
  readonly caller?: Partial<Caller>
  readonly outcome?: object
}

const EMBEDDERS = {
  text: { documentTemplate: 'of text' },
  media: {
    indexingFragments: { cover: { value: { i: 'a', j: ['b'] } } },
    searchFragments: { cover: { value: 'of search' } },
  },
}

/** Returns the job of the template, or the refusal. */
async function render(template: Part, input: Part | null = null, world: World = {}) {
  const jobs: unknown[] = []
  const settings = {
    chat: { documentTemplate: 'of chats' },
    embedders: EMBEDDERS,
    searchableAttributes: ['title', ['body']],
  }
  const engine = {
    administration: {
      features: Object.fromEntries(FEATURES.map((name) => [name, !world.off?.includes(name)])),
    },
    documents: {
      settings: (uid: string) => {
        if (uid === 'shop') return settings
        throw new EngineFault('index_not_found', 'None.')
      },
      get: async (_: string, id: string) => {
        if (id === '1') return Buffer.from('{"id":1}')
        throw new EngineFault('document_not_found', 'None.')
      },
    },
    templates: {
      run: async (job: unknown) => {
        jobs.push(job)
        return world.outcome ?? { kind: 'done', json: Buffer.from('"rendered"') }
      },
    },
  }
  const [route] = renderRoutes({ engine } as unknown as RouteOptions)
  const empty = { indexUid: null, embedder: null, fragment: null, inline: null, id: null }
  const body = {
    template: { ...empty, documentTemplateMaxBytes: null, ...template },
    input: input === null ? null : { ...empty, ...input },
  }
  const caller: Caller = { ...EVERYTHING, ...world.caller }
  const request = { read: async () => body, caller, signal: new AbortController().signal }
  try {
    await route!.handle(request as never)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { refused: `${error.code}: ${error.message}`, jobs }
  }
  return { refused: null, jobs }
}

const refusal = async (...given: Parameters<typeof render>) => (await render(...given)).refused

const INLINE = { kind: 'inlineDocumentTemplate', inline: 'x' }
const FRAGMENT = { kind: 'inlineFragment', inline: { a: ['x'] } }
const ofMedia = { indexUid: 'shop', embedder: 'media', fragment: 'cover' }

describe('a template', () => {
  test.each<[Part, unknown, boolean]>([
    [INLINE, 'x', false],
    [{ ...INLINE, documentTemplateMaxBytes: 9 }, 'x', false],
    [FRAGMENT, { a: ['x'] }, true],
    [{ kind: 'chatDocumentTemplate', indexUid: 'shop' }, 'of chats', false],
    [{ kind: 'documentTemplate', indexUid: 'shop', embedder: 'text' }, 'of text', false],
    [{ kind: 'indexingFragment', ...ofMedia }, { i: 'a', j: ['b'] }, true],
    [{ kind: 'searchFragment', ...ofMedia }, 'of search', true],
  ])('%j is read', async (template, source, isFragment) => {
    const { refused, jobs } = await render(template)
    expect(refused).toBeNull()
    expect(jobs).toEqual([{ source, input: null }])
    const withSearch = await refusal(template, { kind: 'inlineSearch', inline: {} })
    expect(withSearch === null).toBe(isFragment)
  })

  test.each<[Part, string]>([
    [{ ...INLINE, inline: 5 }, 'inline document templates must be strings'],
    [{ ...INLINE, inline: null }, 'parameter `inline` missing for kind `inlineDocumentTemplate`'],
    [{ ...INLINE, indexUid: 'shop' }, 'parameter `index_uid` disallowed for kind'],
    [{ ...INLINE, embedder: 'e' }, 'parameter `embedder` disallowed for kind'],
    [{ ...INLINE, fragment: 'f' }, 'parameter `fragment` disallowed for kind'],
    [{ kind: 'chatDocumentTemplate' }, 'parameter `index_uid` missing for kind'],
    [{ kind: 'documentTemplate', indexUid: 'shop' }, 'parameter `embedder` missing for kind'],
    [
      { kind: 'searchFragment', ...ofMedia, fragment: null },
      'parameter `fragment` missing for kind `searchFragment`',
    ],
    [
      { ...FRAGMENT, documentTemplateMaxBytes: 9 },
      'parameter `document_template_max_bytes` disallowed for kind `inlineFragment`',
    ],
    [
      { kind: 'documentTemplate', indexUid: 'shop', embedder: 'toString' },
      'cannot find embedder `toString` in index `shop`',
    ],
    [
      { kind: 'documentTemplate', indexUid: 'shop', embedder: 'media' },
      'embedder `media` in index `shop` does not use a document template.',
    ],
    [
      { kind: 'indexingFragment', ...ofMedia, embedder: 'text' },
      'embedder `text` in index `shop` does not use fragments.',
    ],
    [
      { kind: 'indexingFragment', ...ofMedia, fragment: 'toString' },
      'cannot find indexing fragment `toString` for embedder `media` in index `shop`',
    ],
    [
      { kind: 'searchFragment', ...ofMedia, fragment: 'back' },
      'cannot find search fragment `back` for embedder `media` in index `shop`',
    ],
  ])('%j is refused', async (template, words) => {
    const { refused, jobs } = await render(template)
    const start = 'invalid_render_template: error while fetching template: '
    expect(refused?.slice(0, start.length + words.length)).toBe(start + words)
    expect(jobs).toEqual([])
  })

  test.each<[string, Part, string]>([
    ['chatCompletions', { kind: 'chatDocumentTemplate', indexUid: 'shop' }, 'accessing chat'],
    ['multimodal', FRAGMENT, 'rendering an inline fragment'],
    ['multimodal', { kind: 'searchFragment' }, 'accessing fragments'],
    ['multimodal', { kind: 'indexingFragment' }, 'accessing fragments'],
  ])('needs the feature %s for %j', async (feature, template, words) => {
    const refused = await refusal(template, null, { off: [feature] })
    expect(refused).toMatch(/^feature_not_enabled: error while fetching template: /)
    expect(refused).toContain(words)
  })

  test('is in an index that the caller sees', async () => {
    const template = { kind: 'chatDocumentTemplate', indexUid: 'none' }
    expect(await refusal(template)).toBe(
      'index_not_found: error while fetching template: cannot open index `none`: None.',
    )
    const caller = { visible: () => false }
    expect(await refusal(template, null, { caller })).toMatch(/^invalid_api_key/)
    expect(await refusal(INLINE, null, { caller })).toBeNull()
    const may = (action: string): boolean => action !== 'documents.get'
    expect(await refusal(INLINE, null, { caller: { may } })).toMatch(/^invalid_api_key/)
    expect(await refusal(INLINE, null, { off: ['renderRoute'] })).toContain('/render-template')
  })
})

describe('an input', () => {
  const STORED = { kind: 'indexDocument', indexUid: 'shop', id: '1' }

  test.each<[Part, Part, object]>([
    [INLINE, { kind: 'inlineDocument', inline: { a: 1 } }, { kind: 'document', doc: { a: 1 } }],
    [
      INLINE,
      STORED,
      { kind: 'stored', json: Buffer.from('{"id":1}'), searchable: ['title', 'body'] },
    ],
    [
      FRAGMENT,
      { kind: 'inlineSearch', inline: { q: 'a', media: 1, x: 2 } },
      { kind: 'search', scope: { q: 'a', media: 1 } },
    ],
    [
      FRAGMENT,
      { kind: 'inlineSearch', inline: { q: null, media: null } },
      { kind: 'search', scope: { media: null } },
    ],
  ])('of %j: %j', async (template, input, expected) => {
    const { refused, jobs } = await render(template, input)
    expect(refused).toBeNull()
    expect(jobs).toMatchObject([{ input: expected }])
  })

  const MAP = 'expected a map at line 1 column'
  const NOTE = '\n  - Note: the inline document must be a JSON map'
  const INVALID = 'invalid_render_input: error while fetching input: '
  const ofType = (found: string): string =>
    `${INVALID}parsing inline document: invalid type: ${found}${NOTE}`

  test.each<[Part, string]>([
    [{ kind: 'inlineDocument', inline: [] }, ofType(`sequence, ${MAP} 0`)],
    [{ kind: 'inlineDocument', inline: 'ab' }, ofType(`string "ab", ${MAP} 4`)],
    [{ kind: 'inlineDocument', inline: true }, ofType(`boolean \`true\`, ${MAP} 4`)],
    [{ kind: 'inlineDocument', inline: 12 }, ofType(`number \`12\`, ${MAP} 2`)],
    [{ kind: 'inlineSearch', inline: { q: 1 } }, `${INVALID}\`q\` is not a string`],
    [
      { kind: 'inlineDocument' },
      `${INVALID}parameter \`inline\` missing for kind \`inlineDocument\``,
    ],
    [
      { kind: 'inlineDocument', inline: {}, id: '1' },
      `${INVALID}parameter \`id\` disallowed for kind \`inlineDocument\``,
    ],
    [
      { ...STORED, indexUid: null },
      `${INVALID}parameter \`indexUid\` missing for kind \`indexDocument\``,
    ],
    [
      { ...STORED, inline: {} },
      `${INVALID}parameter \`inline\` disallowed for kind \`indexDocument\``,
    ],
    [
      { ...STORED, id: '2' },
      'render_document_not_found: error while fetching input: document `2` not found in `shop`',
    ],
    [{ ...STORED, indexUid: 'none' }, 'index_not_found: Cannot open index `none`: None.'],
  ])('%j is refused after the template was tried', async (input, words) => {
    const { refused, jobs } = await render(FRAGMENT, input)
    expect(refused).toBe(words)
    expect(jobs).toMatchObject([{ input: null }])
  })

  test('of a search needs a fragment and the feature', async () => {
    const input = { kind: 'inlineSearch', inline: { q: 'a' } }
    expect(await refusal(INLINE, input)).toBe(
      'template_rendering_error: error while rendering template: cannot render a document ' +
        'template with a search query',
    )
    expect(await refusal(INLINE, input, { off: ['multimodal'] })).toMatch(
      /^feature_not_enabled: error while fetching input: rendering search/,
    )
  })
})

describe('a fault', () => {
  const faultOf = async (template: Part, during: string, at: number | null = null) =>
    refusal(
      template,
      { kind: 'inlineDocument', inline: {} },
      {
        outcome: { kind: 'fault', during, words: 'no x', at },
      },
    )
  const RENDERING = 'template_rendering_error: error while rendering template: '

  test('of a template names its kind, and its place within a fragment', async () => {
    for (const template of [INLINE, FRAGMENT]) {
      expect(await faultOf(template, 'parsing')).toBe(
        'template_parsing_error: error while fetching template: user error: cannot parse ' +
          'template: liquid: no x',
      )
    }
    expect(await faultOf(INLINE, 'rendering')).toBe(
      `${RENDERING}user error: missing field in document: liquid: no x`,
    )
    const ofFragment = 'error while rendering template: liquid: no x'
    expect(await faultOf(FRAGMENT, 'rendering')).toBe(RENDERING + ofFragment)
    expect(await faultOf(FRAGMENT, 'rendering', 7)).toBe(RENDERING + ofFragment)
    expect(await faultOf(FRAGMENT, 'rendering', 0)).toMatch(/template: in ``.*a.*``, error while/)
  })

  test('of the template is reported before one of the input', async () => {
    const outcome = { kind: 'fault', during: 'parsing', words: 'no x', at: null }
    const input = { kind: 'inlineDocument', inline: 5 }
    expect(await refusal(INLINE, input, { outcome })).toMatch(/^template_parsing_error/)
  })
})
