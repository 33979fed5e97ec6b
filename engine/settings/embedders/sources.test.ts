// The members of each source: which are refused, which are missing, and the texts of the refusals.
import { describe, expect, it } from 'vitest'
import { DIMENSIONS_MAX } from '../../../format/vectors/index.ts'
import { EngineFault } from '../../model/index.ts'
import { checkEmbedderPatches } from './checks.ts'
import { embedders } from './embedders.ts'
import { EMBEDDERS_MAX, FIELD_MARKS } from './fields.table.ts'
import { mergeEmbedders } from './merge.ts'
import {
  EMBEDDER_SOURCES,
  type EmbedderField,
  type EmbedderPatch,
  type EmbedderPatches,
  type EmbedderSource,
} from './types.ts'

const FIELDS = Object.keys(FIELD_MARKS) as readonly EmbedderField[]
const FRAGMENTS = { f: { value: 1 } }
/** A value of each member that is right by itself. */
const VALUES: Required<Omit<EmbedderPatch, 'source'>> = {
  model: 'text-embedding-3-small',
  revision: 'r',
  pooling: 'useModel',
  apiKey: 'k',
  dimensions: 3,
  documentTemplate: 't',
  documentTemplateMaxBytes: 9,
  url: 'http://h/',
  indexingFragments: FRAGMENTS,
  searchFragments: FRAGMENTS,
  request: '{{text}}',
  response: '{{embedding}}',
  headers: {},
  searchEmbedder: { source: 'ollama', model: 'm' },
  indexingEmbedder: { source: 'ollama', model: 'm' },
  distribution: { mean: 0.5, sigma: 0.5 },
  binaryQuantized: false,
}

const mandatory = (source: EmbedderSource): EmbedderPatch => {
  const needed = Object.entries(VALUES).filter(
    ([field]) => FIELD_MARKS[field as EmbedderField][source] === 'M',
  )
  return { source, ...Object.fromEntries(needed) }
}

const faultOf = (work: () => unknown): EngineFault | null => {
  try {
    work()
  } catch (error) {
    if (error instanceof EngineFault) return error
    throw error
  }
  return null
}
const check = (patch: EmbedderPatch) => faultOf(() => checkEmbedderPatches({ e: patch }))
const merge = (stored: EmbedderPatch | null, patch: EmbedderPatch) =>
  faultOf(() =>
    mergeEmbedders(stored === null ? {} : mergeEmbedders({}, { e: stored }), { e: patch }),
  )

describe.each(EMBEDDER_SOURCES)('the source %s', (source) => {
  const others = FIELDS.filter((field) => field !== 'source')

  it('takes its mandatory members, and lacks none of them', () => {
    const whole = mandatory(source)
    expect([check(whole), merge(null, whole)]).toEqual([null, null])
    for (const field of others.filter((one) => FIELD_MARKS[one][source] === 'M')) {
      const { [field]: _, ...rest } = whole as { readonly [member: string]: unknown }
      const text = `\`.embedders.e\`: Missing field \`${field}\` (note: this field is mandatory for source \`${source}\`)`
      expect(check(rest)?.message).toBe(text)
      expect(check({ ...rest, [field]: null })?.message).toBe(text)
      expect(merge(null, rest)?.message).toBe(text)
    }
  })

  it('takes its optional members, and refuses others', () => {
    for (const field of others) {
      const patch = { ...mandatory(source), [field]: VALUES[field as keyof typeof VALUES] }
      // The parts of a rest embedder depend on each other.
      if (field.endsWith('Fragments') && source === 'rest') continue
      const refused = FIELD_MARKS[field][source] === '-'
      const message = check(patch)?.message ?? null
      if (refused) {
        const [first, second, third] = message!.split('\n')
        expect(first).toBe(
          `\`.embedders.e\`: Field \`${field}\` unavailable for source \`${source}\`.`,
        )
        const having = EMBEDDER_SOURCES.filter((one) => FIELD_MARKS[field][one] !== '-')
        expect(second).toBe(
          `  - note: \`${field}\` is available for sources: ${having.map((one) => `\`${one}\``).join(', ')}`,
        )
        expect(third).toMatch(`  - note: available fields for source \`${source}\`: \`source\``)
      } else expect(message).toBeNull()
    }
  })
})

describe('values', () => {
  const ollama = { source: 'ollama', model: 'm' } as const
  const rest = mandatory('rest')
  it.each<[EmbedderPatch, string | null]>([
    [{ dimensions: 0 }, '`.embedders.e.dimensions`: `dimensions` cannot be zero'],
    [{ dimensions: DIMENSIONS_MAX }, null],
    [{ dimensions: DIMENSIONS_MAX + 1 }, '`dimensions` cannot be greater than 65536'],
    [{ url: 'http://h' }, null],
    [{ url: 'h/x' }, 'could not parse `h/x`: relative URL without a base'],
    [{ url: '' }, 'relative URL without a base'],
    [{ url: 'http://' }, 'empty host'],
    [{ url: 'http:///' }, 'empty host'],
    [{ url: 'http://?q' }, 'empty host'],
    [{ url: 'http://h:99999/' }, 'invalid port number'],
    [{ url: 'http://h:x' }, 'invalid port number'],
    [{ url: 'http://a b/' }, 'invalid international domain name'],
    [{ source: null, dimensions: 1 }, null],
    [{ ...rest, apiKey: 'a\n' }, '`.embedders.e.apiKey`: the text ends with a line end'],
    [{ ...rest, headers: { 'a b': '' } }, '`.embedders.e.headers.a b`: a header of this name'],
    [{ ...rest, headers: { 'X-A': '\u0000' } }, '`.embedders.e.headers.X-A`: the text holds'],
    [{ source: 'openAi', model: 'x' }, 'Invalid model `x` for OpenAI. Supported models: ["text'],
    [{ source: 'openAi', model: 'text-embedding-3-large', dimensions: 3072 }, null],
    [{ source: 'openAi', model: 'text-embedding-3-large', dimensions: 3073 }, 'higher than 3072'],
    [{ source: 'openAi', model: 'text-embedding-3-large', dimensions: 5 }, null],
    [{ source: 'openAi', model: 'text-embedding-ada-002', dimensions: 1536 }, null],
    [
      { source: 'openAi', model: 'text-embedding-ada-002', dimensions: 5 },
      'native dimensions of 1536. Found 5',
    ],
    [{ source: 'openAi', model: null, dimensions: 9999 }, null],
    [{ ...ollama, model: 'x' }, null],
    [
      { source: 'composite', searchEmbedder: { model: 'm' }, indexingEmbedder: ollama },
      '`.embedders.e.searchEmbedder`: Missing field `source`',
    ],
    [
      { source: 'composite', searchEmbedder: ollama, indexingEmbedder: { source: 'composite' } },
      '`.embedders.e.indexingEmbedder.source`: Source `composite` is not available in a nested',
    ],
    [
      { source: 'composite', searchEmbedder: ollama, indexingEmbedder: { source: 'ollama' } },
      'Missing field `model`',
    ],
  ])('%j', (patch, problem) => {
    const message = check(patch)?.message ?? null
    if (problem === null) expect(message).toBeNull()
    else expect(message).toContain(problem)
  })

  it('of a side say that the side does not have them', () => {
    const side = { ...ollama, binaryQuantized: true }
    const fault = check({ source: 'composite', searchEmbedder: side, indexingEmbedder: ollama })
    const lines = fault!.message.split('\n')
    expect(lines[0]).toBe(
      '`.embedders.e.searchEmbedder`: Field `binaryQuantized` unavailable for source `ollama` for the search embedder.',
    )
    expect(lines).toHaveLength(3)
    expect(lines[2]).toBe(
      '  - note: `binaryQuantized` is available when source `ollama` is not for the search embedder',
    )
  })

  it('of a merged embedder are checked as a whole', () => {
    const openAi = { source: 'openAi' } as const
    expect(merge(openAi, { dimensions: 9999 })?.message).toContain('higher than 1536')
    expect(merge(openAi, { documentTemplateMaxBytes: 0 })?.message).toContain('cannot be zero')
    expect(merge(null, {})).toBeNull()
    const composite = {
      source: 'composite',
      searchEmbedder: ollama,
      indexingEmbedder: ollama,
    } as const
    expect(merge(composite, { searchEmbedder: { model: 'x' } })?.message).toContain(
      'Missing field `source`',
    )
    expect(merge(composite, { indexingEmbedder: { model: 'x' } })).toBeNull()
  })

  it('of fragments belong together', () => {
    const inputs = { ...rest, request: '{{fragment}}', dimensions: 1 }
    const both = { indexingFragments: FRAGMENTS, searchFragments: FRAGMENTS }
    expect(merge(null, { ...inputs, ...both })).toBeNull()
    expect(merge(null, { ...inputs, indexingFragments: FRAGMENTS })).toMatchObject({
      code: 'vector_embedding_error',
      message: expect.stringContaining('`searchFragments` is empty, but `indexingFragments` decl'),
    })
    expect(
      merge(null, { ...inputs, searchFragments: { b: { value: 1 }, a: { value: 2 } } }),
    ).toMatchObject({
      message: expect.stringMatching(/`indexingFragments` is empty.* declares 2 fragments: a, b/),
    })
    expect(merge({ ...inputs, ...both }, { searchFragments: { f: null } })?.message).toContain(
      '`searchFragments` is empty',
    )
    expect(check({ ...inputs, ...both, documentTemplate: 't' })?.message).toContain(
      '1 fragments declared in `indexingFragments` and 1 fragments',
    )
    expect(merge(null, { ...inputs })?.message).toContain('"{{text}}" not found')
    expect(check({ ...rest, ...both })?.message).toContain('"{{fragment}}" not found')
  })
})

describe('the features that a change needs', () => {
  const ollama = { source: 'ollama', model: 'm' } as const
  it.each<[EmbedderPatches, readonly string[]]>([
    [{ e: null, f: ollama }, []],
    [{ e: { source: 'composite' } }, ['using `"composite"` as source']],
    [{ e: { searchEmbedder: ollama } }, ['setting `searchEmbedder`']],
    [
      { e: { source: 'composite', searchEmbedder: ollama, indexingEmbedder: ollama } },
      ['using `"composite"` as source', 'setting `searchEmbedder`', 'setting `indexingEmbedder`'],
    ],
    [{ e: { indexingFragments: FRAGMENTS } }, ['setting `indexingFragments`']],
    [{ e: { indexingFragments: null, searchFragments: FRAGMENTS } }, ['setting `searchFragments`']],
    [
      { e: { indexingEmbedder: { indexingFragments: FRAGMENTS } } },
      ['setting `indexingEmbedder`', 'setting `indexingFragments`'],
    ],
    [
      { e: { searchEmbedder: { searchFragments: FRAGMENTS } } },
      ['setting `searchEmbedder`', 'setting `searchFragments`'],
    ],
    [{ e: { searchEmbedder: { indexingFragments: FRAGMENTS } } }, ['setting `searchEmbedder`']],
  ])('%j', (patches, actions) => {
    expect(embedders.needs!(patches).map(([, action]) => action)).toEqual(actions)
    const features = actions.map((action) =>
      action.endsWith('Fragments`') ? 'multimodal' : 'compositeEmbedders',
    )
    expect(embedders.needs!(patches).map(([feature]) => feature)).toEqual(features)
  })
})

describe('merged embedders', () => {
  const own = { source: 'userProvided', dimensions: 1 } as const
  it('are in byte order, without those set to null, and have a limit', () => {
    const merged = mergeEmbedders({ b: own, a: own }, { c: own, a: null, 𝒜: own, 東: own })
    expect(Object.keys(merged)).toEqual(['b', 'c', '東', '𝒜'])
    const many = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`e${i}`, own]))
    expect(Object.keys(mergeEmbedders({}, many(EMBEDDERS_MAX)))).toHaveLength(EMBEDDERS_MAX)
    expect(() => mergeEmbedders({}, many(EMBEDDERS_MAX + 1))).toThrow('Found 257')
  })

  it('stay quantized', () => {
    const quantized = { ...own, binaryQuantized: true }
    expect(merge(quantized, { dimensions: 1 })).toBeNull()
    expect(merge(quantized, { binaryQuantized: true })).toBeNull()
    for (const binaryQuantized of [false, null]) {
      expect(merge(quantized, { binaryQuantized })?.message).toContain('Cannot disable')
    }
    expect(merge(own, { binaryQuantized: true })).toBeNull()
  })

  it('have another source only if it is sent: null is another one than absence', () => {
    const of = (patch: EmbedderPatch) => mergeEmbedders({ e: own }, { e: patch, f: {} })
    expect(of({}).e).toEqual(own)
    expect(of({}).f).toEqual({ source: 'openAi' })
    expect(of({ source: null }).e).toEqual({ source: 'huggingFace' })
  })
})
