// The inputs that an embedder gets for documents, and the vectors that documents get back.
import { beforeAll, describe, expect, test } from 'vitest'
import { RecordWriter } from '../../../format/documents/index.ts'
import { storedRows, type VectorEntry } from '../../../format/vectors/index.ts'
import {
  EmbeddingRefusal,
  INPUTS_PER_MESSAGE,
  MESSAGE_BYTES_MAX,
} from '../../ai/embedding/index.ts'
import { type Loaded, loadLibrary } from '../../ai/template/index.ts'
import { embedderSpecs } from '../../settings/embedders/index.ts'
import { applyPatch, defaultSettings } from '../../settings/index.ts'
import { FieldNames } from '../../store/layers/index.ts'
import { EmbeddingMaker } from './embedding-maker.ts'
import { FragmentFinder } from './fragment-finder.ts'

let loaded: Loaded
beforeAll(async () => {
  loaded = await loadLibrary()
})

type Templates = string | { readonly [fragment: string]: string }

function settingsWith(templates: Templates, more: object = {}) {
  const inputs =
    typeof templates === 'string'
      ? { request: { texts: ['{{text}}', '{{..}}'] }, documentTemplate: templates }
      : {
          request: { texts: ['{{fragment}}', '{{..}}'] },
          indexingFragments: Object.fromEntries(
            Object.entries(templates).map(([name, value]) => [name, { value }]),
          ),
          searchFragments: { q: { value: '{{q}}' } },
        }
  const response = { vectors: ['{{embedding}}', '{{..}}'] }
  const e = { source: 'rest', url: 'http://p/', response, ...inputs, ...more }
  return applyPatch(defaultSettings(), { embedders: { e: e as never } }).settings
}

/** Returns vectors of the length of each input: `[1, length]`. */
class FakeEmbedder {
  readonly given: (readonly unknown[])[] = []
  refusal: string | null = null
  give(_: unknown, inputs: readonly unknown[]): number {
    return this.given.push([...inputs]) - 1
  }
  take(number: number) {
    if (this.refusal !== null) throw new EmbeddingRefusal(this.refusal)
    return this.given[number]!.map((input) => Float32Array.of(1, String(input).length))
  }
}

type Document = { readonly [field: string]: unknown }
type Options = { readonly before?: Templates; readonly more?: object; readonly ignores?: boolean }

function world(templates: Templates, { before = templates, more, ignores = false }: Options = {}) {
  const names = new FieldNames(['id', 'a', 'b'])
  const embedder = new FakeEmbedder()
  const after = settingsWith(templates, more)
  const context = { names, before: settingsWith(before), after }
  const parts = { loaded, embedder, ignoresTemplates: ignores }
  const maker = new EmbeddingMaker(parts, context)
  const [spec] = embedderSpecs(after.embedders)
  const record = (document: Document): Uint8Array => {
    const writer = new RecordWriter()
    writer.begin()
    const fields = Object.entries(document).map(
      ([name, value]) => [names.idOf(name), value] as const,
    )
    for (const [field, value] of fields.sort(([a], [b]) => a - b)) {
      writer.add(field as never, Buffer.from(JSON.stringify(value)))
    }
    return Uint8Array.from(writer.finish())
  }
  type Request = {
    readonly before?: Document
    readonly stored?: readonly VectorEntry[]
    readonly order?: readonly string[]
    readonly always?: boolean
  }
  const request = (document: Document, of: Request = {}) =>
    maker.request(
      spec!,
      {
        externalId: Buffer.from('7'),
        before: of.before === undefined ? null : record(of.before),
        after: record(document),
        order: (of.order ?? []).map((name) => names.idOf(name)),
        stored: of.stored ?? [],
      },
      of.always ?? false,
    )
  const made = () =>
    [...maker.make()].map(([ticket, { rows, fragments }]) => {
      return { ticket, rows: rows.map((row) => [...row]), fragments }
    })
  return { maker, context, embedder, spec: spec!, record, request, made }
}

const entry = (rows: readonly number[][], more: Partial<VectorEntry> = {}): VectorEntry => ({
  embedder: 'e',
  dimensions: 2,
  form: 'floats',
  isOwn: false,
  regenerates: true,
  rows: rows.length,
  fragments: null,
  stored: storedRows(
    'floats',
    2,
    rows.map((row) => Float32Array.from(row)),
  ),
  ...more,
})

describe('a template', () => {
  const T = '{{doc.a}}'

  test('new documents are sent in one call, and get their vectors by ticket', () => {
    const { request, made, embedder, maker } = world(T)
    expect([request({ id: 1, a: 'x' }), request({ id: 2, a: 'yy' })]).toEqual([0, 1])
    expect(maker.awaitedBytes).toBe(3 + 2 * 1024 * 4)
    expect(made()).toEqual([
      { ticket: 0, rows: [[1, 1]], fragments: null },
      { ticket: 1, rows: [[1, 2]], fragments: null },
    ])
    expect(embedder.given).toEqual([['x', 'yy']])
    expect(maker.awaitedBytes).toBe(0)
    expect(made()).toEqual([])
    // The length of vectors is known now.
    expect(request({ id: 3, a: 'z' })).toBe(0)
    expect(maker.awaitedBytes).toBe(1 + 2 * 4)
    expect(made()).toEqual([{ ticket: 0, rows: [[1, 1]], fragments: null }])
  })

  test('settings tell the length of vectors', () => {
    const { request, maker } = world(T, { more: { dimensions: 5 } })
    request({ id: 1, a: 'x' })
    expect(maker.awaitedBytes).toBe(1 + 5 * 4)
  })

  test('only an input that changes is sent', () => {
    const { request, made, embedder } = world(T)
    const stored = [entry([[8, 9]])]
    const before = { id: 1, a: 'x', b: 1 }
    expect(request({ id: 1, a: 'x', b: 2 }, { before, stored })).toBeNull()
    expect(request({ id: 1, a: 'xyz' }, { before, stored })).toBe(0)
    expect(request({ id: 1, a: 'x' }, { before, stored, always: true })).toBe(1)
    expect(made().map(({ rows }) => rows)).toEqual([[[1, 3]], [[1, 1]]])
    expect(embedder.given).toEqual([['xyz', 'x']])
  })

  test('a new model gets every input again', () => {
    const { request, embedder, made } = world(T, { more: { url: 'http://q/' } })
    expect(
      request({ id: 1, a: 'x' }, { before: { id: 1, a: 'x' }, stored: [entry([[8, 9]])] }),
    ).toBe(0)
    made()
    expect(embedder.given).toEqual([['x']])
  })

  test('a new template is compared with the text of the old one', () => {
    const { request } = world('{{doc.b}}', { before: T })
    const stored = [entry([[8, 9]])]
    expect(
      request({ id: 1, a: 'x', b: 'x' }, { before: { id: 1, a: 'x', b: 'y' }, stored }),
    ).toBeNull()
    expect(request({ id: 1, a: 'x', b: 'y' }, { before: { id: 1, a: 'x', b: 'y' }, stored })).toBe(
      0,
    )
  })

  test('an earlier text that cannot be rendered counts as changed', () => {
    const { request } = world(T)
    expect(request({ id: 1, a: 'x' }, { before: { id: 1 } })).toBe(0)
  })

  test('fields are sent in the order of the body, and compared in that of the record', () => {
    const all = '{% for f in fields %}{{f.name}} {% endfor %}'
    const { request, made, embedder } = world(all)
    const order = ['b', 'id', 'a']
    request({ id: 1, a: 1, b: 1 }, { order })
    request({ id: 1, a: 1, b: 1 }, { order: ['id', 'a', 'b'] })
    expect(request({ id: 1, a: 1, b: 1 }, { order, before: { id: 1, a: 2, b: 2 } })).toBeNull()
    made()
    expect(embedder.given).toEqual([['b id a ', 'id a b ']])
  })

  test('a document that cannot be rendered fails with its id, or gets no vector', () => {
    expect(() => world(T).request({ id: 7 })).toThrow(
      expect.objectContaining({
        code: 'invalid_document_fields',
        message: expect.stringMatching(/^user error: missing field in document `7`: liquid: ./),
      }),
    )
    const { request, made, embedder } = world(T, { ignores: true })
    expect(request({ id: 7 })).toBe(0)
    expect(made()).toEqual([{ ticket: 0, rows: [], fragments: null }])
    expect(embedder.given).toEqual([])
  })

  test('a refusal names the embedder, and fields that resemble `_vectors`', () => {
    const { request, maker, embedder } = world(T)
    request({ id: 1, a: 'x', _vector: {} })
    embedder.refusal = 'no'
    expect(() => maker.make()).toThrow(
      expect.objectContaining({
        code: 'vector_embedding_error',
        message:
          'While embedding documents for embedder `e`: no' +
          '\n- Hint: try replacing `_vector` by `_vectors` in 1 document(s).',
      }),
    )
  })

  test('messages are full: so many inputs, or so many bytes in tens', () => {
    const { request, embedder, made } = world(T)
    for (let id = 0; id <= INPUTS_PER_MESSAGE; id++) request({ id, a: 'x' })
    expect(embedder.given.map(({ length }) => length)).toEqual([INPUTS_PER_MESSAGE])
    made()
    expect(embedder.given.map(({ length }) => length)).toEqual([INPUTS_PER_MESSAGE, 1])

    const large = world(T)
    for (let id = 0; id < 25; id++) large.request({ id, a: 'x'.repeat(400_000) })
    expect(large.embedder.given.map(({ length }) => length)).toEqual([10, 10])
    expect(large.made()[24]!.rows).toEqual([[1, 400_000]])

    for (const missing of [0, 1]) {
      const { request: add, embedder: asked } = world(T)
      for (let id = 0; id < 9; id++) add({ id, a: 'x' })
      add({ id: 9, a: 'x'.repeat(MESSAGE_BYTES_MAX - 9 - missing) })
      expect(asked.given.map(({ length }) => length)).toEqual(missing === 0 ? [10] : [])
    }
  })
})

describe('fragments', () => {
  const TWO = { m: '{{doc.a}}', z: '{{doc.b}}' }
  const stored = [
    entry(
      [
        [5, 6],
        [7, 8],
      ],
      { fragments: Uint8Array.of(0, 1) },
    ),
  ]

  test('a fragment that cannot be rendered has no vector', () => {
    const { request, made, embedder } = world(TWO)
    request({ id: 1, a: 'x', b: 'yy' })
    request({ id: 2, b: 'zzz' })
    expect(made()).toEqual([
      {
        ticket: 0,
        rows: [
          [1, 1],
          [1, 2],
        ],
        fragments: [0, 1],
      },
      { ticket: 1, rows: [[1, 3]], fragments: [1] },
    ])
    expect(embedder.given).toEqual([['x', 'yy', 'zzz']])
  })

  test('only a fragment that changes is sent', () => {
    const { request, made, embedder } = world(TWO)
    const before = { id: 1, a: 'x', b: 'y' }
    expect(request({ id: 1, a: 'x', b: 'y', c: 1 }, { before, stored })).toBeNull()
    request({ id: 1, a: 'x', b: 'new' }, { before, stored })
    request({ id: 1, b: 'y' }, { before, stored })
    // Its vector is missing.
    const second = [entry([[7, 8]], { fragments: Uint8Array.of(1) })]
    request({ id: 1, a: 'x', b: 'new' }, { before, stored: second })
    expect(made().map(({ rows, fragments }) => [rows, fragments])).toEqual([
      [
        [
          [5, 6],
          [1, 3],
        ],
        [0, 1],
      ],
      [[[7, 8]], [1]],
      [
        [
          [1, 1],
          [1, 3],
        ],
        [0, 1],
      ],
    ])
    expect(embedder.given).toEqual([['new', 'x', 'new']])
  })

  test('fragments keep their vectors at another place', () => {
    const { request, made, embedder } = world(
      { b: 'b', z: '{{doc.b}}' },
      { before: { m: '{{doc.a}}', z: '{{doc.b}}' } },
    )
    const same = { id: 1, a: 'x', b: 'y' }
    request(same, { before: same, stored })
    expect(made()).toEqual([
      {
        ticket: 0,
        rows: [
          [1, 1],
          [7, 8],
        ],
        fragments: [0, 1],
      },
    ])
    expect(embedder.given).toEqual([['b']])
  })

  test('imported vectors belong to fragments if there are as many as inputs', () => {
    const { maker, context, spec, record } = world(TWO)
    const finder = new FragmentFinder(loaded, context)
    const templates = world('{{doc.a}}')
    for (const one of [maker, finder]) {
      const of = (document: Document, rows: number) =>
        one.fragmentsOf(spec, { record: record(document), rows })
      expect(of({ id: 1, a: 'x', b: 'y' }, 2)).toEqual([0, 1])
      expect(of({ id: 1, b: 'y' }, 1)).toEqual([1])
      expect(of({ id: 1, a: 'x', b: 'y' }, 1)).toBeNull()
      expect(
        one.fragmentsOf(templates.spec, { record: record({ id: 1, a: 'x' }), rows: 1 }),
      ).toBeNull()
    }
    const brought = { record: record({ id: 1, a: 'x' }), rows: 1 }
    const broken = { ...spec, name: 'f', embedder: settingsWith({ m: '{{' }).embedders['e']! }
    expect(finder.fragmentsOf(broken, brought)).toBeNull()
    expect(finder.fragmentsOf(broken, brought)).toBeNull()
  })
})
