// Scans of codes: the nearest rows are among the candidates.
import { describe, expect, it } from 'vitest'
import {
  drawn,
  drawnRows,
  encodeVectors,
  openVectors,
  vectorOf,
} from '../../fixtures/format/vectors/model.ts'
import { RowSearch } from '../vectors/index.ts'
import { SimilarityTo } from '../vectors/similarity.ts'
import { Candidates } from './candidates.ts'

describe('codes of a segment', () => {
  it('have factors from any block on', () => {
    const rows = drawnRows(1000, 8)
    expect(rows.codes!.factors(3, 5)).toEqual(rows.codes!.factors(0, 5).subarray(3 * 16 * 4))
  })
})

describe('candidates by codes', () => {
  it.each([
    [undefined, 16],
    [undefined, 100],
    ['nibbles' as const, 100],
  ])('hold the nearest rows (%s, %i dimensions)', (form, dimensions) => {
    const rows = drawnRows(2000, dimensions, form)
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
    const rows = drawnRows(1000, 8)
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
