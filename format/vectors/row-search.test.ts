// Searching rows by their codes: the kernel computes the same values as plain code, and the nearest
// rows are among its candidates.

import { describe, expect, it } from 'vitest'
import { encodeVectors, openVectors } from '../../fixtures/format/vectors/model.ts'
import { kernel } from '../kernel/index.ts'
import { codeBytes, normalize, queryTable, writeCode } from './codes.ts'
import type { EmbedderRows } from './embedder-rows.ts'
import { Candidates, RowSearch } from './index.ts'
import { BLOCK_ROWS } from './limits.ts'
import { SimilarityTo } from './similarity.ts'

/** Returns a generator of pseudo-random numbers that depend only on the seed. */
function drawn(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32 - 0.5
  }
}

const vectorOf = (dimensions: number, draw: () => number): number[] =>
  Array.from({ length: dimensions }, () => draw() + draw() + draw() + 0.2)

function rowsOf(count: number, dimensions: number, form?: 'nibbles'): EmbedderRows {
  const draw = drawn(7)
  const documents = Array.from({ length: count }, (_, id) => ({
    id,
    entries: [
      {
        embedder: 'e',
        vectors: [vectorOf(dimensions, draw)],
        ...(form === undefined ? {} : { form }),
      },
    ],
  }))
  return openVectors(encodeVectors(documents)).embedder('e')!
}

describe('the kernel', () => {
  it('gives the same sums as plain code', () => {
    const draw = drawn(1)
    for (const dimensions of [1, 3, 4, 17, 128, 1536]) {
      const center = Float32Array.from(vectorOf(dimensions, draw), (value) => value / 50)
      const query = Float32Array.from(vectorOf(dimensions, draw))
      normalize(query)
      const block = new Uint8Array(codeBytes(dimensions) * BLOCK_ROWS)
      const factors = Float32Array.from({ length: BLOCK_ROWS }, (_, lane) =>
        writeCode(Float32Array.from(vectorOf(dimensions, draw)), center, block, lane),
      )
      const { table, scale, bias } = queryTable(query)
      const host = kernel()
      const sections = [table, block, new Uint8Array(factors.buffer)] as const
      const [tables, codes, scales, found] = host.rooms(
        sections[0].length,
        sections[1].length,
        sections[2].length,
        BLOCK_ROWS * 8,
      )
      host.put(tables, sections[0])
      host.put(codes, sections[1])
      host.put(scales, sections[2])
      const bytes = codeBytes(dimensions)
      const least = Number.NEGATIVE_INFINITY
      const { scan } = host.exports
      const count = scan(codes.at, 1, bytes, tables.at, scales.at, scale, bias, least, found.at)
      expect(count).toBe(BLOCK_ROWS)
      for (let lane = 0; lane < BLOCK_ROWS; lane++) {
        let sum = 0
        for (let i = 0; i < bytes; i++) {
          const byte = block[i * BLOCK_ROWS + lane]!
          sum += table[i * 32 + (byte & 15)]! + table[i * 32 + 16 + (byte >>> 4)]!
        }
        const expected = factors[lane]! * (scale * sum + bias)
        expect(host.numbers(found)[lane * 2]).toBe(lane)
        expect(host.floats(found)[lane * 2 + 1]).toBeCloseTo(expected, 3)
      }
    }
  })

  it('gives the same similarities as plain code', () => {
    for (const [dimensions, form] of [
      [1, undefined],
      [7, undefined],
      [16, undefined],
      [31, undefined],
      [32, undefined],
      [77, undefined],
      [64, 'nibbles'],
      [100, 'nibbles'],
    ] as const) {
      const rows = rowsOf(100, dimensions, form)
      const query = Float32Array.from(vectorOf(dimensions, drawn(3)))
      const plain = new SimilarityTo(query)
      const wanted = Uint32Array.from({ length: 100 }, (_, row) => row)
      const fast = new RowSearch(query).similarities(rows, wanted)
      for (const row of wanted) expect(fast[row]).toBe(plain.of(rows, row))
    }
  })
})

describe('codes', () => {
  it('of the center itself are zero', () => {
    const block = new Uint8Array(BLOCK_ROWS)
    expect(writeCode(Float32Array.of(5, 0), Float32Array.of(1, 0), block, 0)).toBe(0)
    expect(block).toEqual(new Uint8Array(BLOCK_ROWS))
  })

  it('have factors from any block on', () => {
    const rows = rowsOf(1000, 8)
    expect(rows.factors(3, 5)).toEqual(rows.factors(0, 5).subarray(3 * BLOCK_ROWS * 4))
  })
})

describe('candidates by codes', () => {
  it.each([
    [undefined, 16],
    [undefined, 100],
    ['nibbles' as const, 100],
  ])('hold the nearest rows (%s, %i dimensions)', (form, dimensions) => {
    const rows = rowsOf(2000, dimensions, form)
    const draw = drawn(11)
    for (let i = 0; i < 5; i++) {
      const query = Float32Array.from(vectorOf(dimensions, draw))
      const exact = new SimilarityTo(query)
      const order = Array.from({ length: rows.count }, (_, row) => [exact.of(rows, row), row])
      const nearest = order.sort(([a], [b]) => b! - a!).slice(0, 10)
      const candidates = new Candidates(200)
      new RowSearch(query).scan(rows, 0, candidates, null)
      const found = new Set(candidates.take().get(0))
      expect(nearest.filter(([, row]) => !found.has(row!))).toEqual([])
    }
  })

  it('are only rows that are accepted, each once', () => {
    const rows = rowsOf(1000, 8)
    const candidates = new Candidates(300)
    const search = new RowSearch(Float32Array.from(vectorOf(8, drawn(5))))
    search.scan(rows, 0, candidates, (row) => row % 5 === 0)
    expect([...candidates.take().get(0)!]).toEqual(Array.from({ length: 200 }, (_, i) => i * 5))
  })

  it('of rows whose codes say nothing are compared exactly', () => {
    // Most rows have no direction; one is too short for a code, and points as the query does.
    const documents = Array.from({ length: 300 }, (_, id) => {
      const vector = id === 150 ? [1e-5, 0] : id % 7 === 0 ? [-1, id] : [0, 0]
      return { id, entries: [{ embedder: 'e', vectors: [vector] }] }
    })
    const rows = openVectors(encodeVectors(documents)).embedder('e')!
    const candidates = new Candidates(1)
    new RowSearch(Float32Array.of(1, 0)).scan(rows, 0, candidates, null)
    expect([...candidates.take().get(0)!]).toEqual([150])
  })
})
