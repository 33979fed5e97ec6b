// `_vectors` of documents as clients read it, and as another database imports it.
import { describe, expect, it } from 'vitest'
import {
  encodeVectors,
  openVectors,
  type PlainDocument,
} from '../../../fixtures/format/vectors/model.ts'
import { IdSet } from '../../../format/idset/index.ts'
import { JsonBuffer } from '../../../format/json/index.ts'
import { DocumentVectorsWriter, entriesOf } from './document-vectors.ts'

const EMBEDDERS = {
  own: { source: 'userProvided', dimensions: 2 },
  parts: { source: 'rest', url: 'http://x', indexingFragments: { a: {}, b: {}, c: {} } },
}
const segmentOf = (documents: readonly PlainDocument[], dead: readonly number[] = []) => ({
  reader: openVectors(encodeVectors(documents)),
  dead: IdSet.of([...dead]),
})
const own = (...vectors: number[][]) => ({ embedder: 'own', vectors })
const parts = { embedder: 'parts', vectors: [[1], [2], [3]], isOwn: false, regenerates: true }
const SEGMENTS = [
  segmentOf([{ id: 1, entries: [own([9, 9])] }], [1]),
  segmentOf([
    { id: 1, entries: [own([1, 0.1], [0, 2])] },
    { id: 2, entries: [own([3, 4]), { ...parts, fragments: Uint8Array.of(0, 1, 2) }] },
  ]),
]
const viewOf = (embedders: object = EMBEDDERS) =>
  ({ settings: { embedders }, view: { layer: () => SEGMENTS } }) as never

const written = (id: number, others: string | null, embedders?: object): string => {
  const out = new JsonBuffer()
  const bytes = others === null ? null : Buffer.from(others)
  new DocumentVectorsWriter(viewOf(embedders)).write(id, bytes, out)
  return Buffer.from(out.view()).toString()
}
const NOTHING = '{"embeddings":[],"regenerate":true}'

it('the entries of a document are those of its live copy', () => {
  const rowsOf = (id: number) =>
    entriesOf(viewOf(), id).map(({ embedder, rows }) => [embedder, rows])
  expect([1, 2, 3].map(rowsOf)).toEqual([
    [['own', 2]],
    [
      ['own', 1],
      ['parts', 3],
    ],
    [],
  ])
})

describe('a document shows', () => {
  it.each<[number, string | null, object | undefined, string]>([
    [3, null, {}, '{}'],
    [3, '{"x":[1],"y\\"":null}', {}, '{"x":[1],"y\\"":null}'],
    [3, null, undefined, `{"own":${NOTHING},"parts":${NOTHING}}`],
    [
      1,
      '{"x":1}',
      undefined,
      '{"x":1,"own":{"embeddings":[[1.0,0.1],[0.0,2.0]],"regenerate":false},' +
        `"parts":${NOTHING}}`,
    ],
    [
      2,
      null,
      undefined,
      '{"own":{"embeddings":[[3.0,4.0]],"regenerate":false},' +
        '"parts":{"embeddings":[[1.0],[2.0],[3.0]],"regenerate":true}}',
    ],
  ])('of document %i, with the others %s and the embedders %j: %s', (id, others, all, text) => {
    expect(written(id, others, all)).toBe(text)
  })
})

describe('another database gets', () => {
  type Orders = { readonly [embedder: string]: readonly string[] }
  const moved = (
    id: number,
    others: string | null,
    orders: Orders | null = null,
  ): string | null => {
    const out = new JsonBuffer()
    const bytes = others === null ? null : Buffer.from(others)
    const isAny = new DocumentVectorsWriter(viewOf()).transfer(id, bytes, orders, out)
    const text = Buffer.from(out.view()).toString()
    expect(isAny).toBe(text !== '')
    return isAny ? text : null
  }

  it('the vectors that the document has, and nothing without any', () => {
    expect(moved(3, null)).toBeNull()
    expect(moved(3, '{"x":1}')).toBe('{"x":1}')
    const first = '"own":{"embeddings":[[1.0,0.1],[0.0,2.0]],"regenerate":false}'
    expect(moved(1, null)).toBe(`{${first}}`)
    expect(moved(1, '{"x":1}')).toBe(`{"x":1,${first}}`)
  })

  it.each<[readonly string[] | undefined, number[]]>([
    [undefined, [1, 2, 3]],
    [
      ['a', 'b', 'c'],
      [1, 2, 3],
    ],
    [
      ['c', 'a', 'b'],
      [3, 1, 2],
    ],
    [
      ['c', 'x'],
      [3, 1, 2],
    ],
    [['b'], [2, 1, 3]],
    [[], [1, 2, 3]],
  ])('vectors of fragments in its order %j: %j', (order, vectors) => {
    const orders: Orders = order === undefined ? {} : { parts: order }
    expect(JSON.parse(moved(2, null, orders)!)).toEqual({
      own: { embeddings: [[3, 4]], regenerate: false },
      parts: { embeddings: vectors.map((one) => [one]), regenerate: true },
    })
  })
})
