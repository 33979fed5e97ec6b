// Centers are near the rows that are assigned to them, and lists are read in the right order.
import { describe, expect, it } from 'vitest'
import { clustered, distanceTo, drawn, vectorOf } from '../../fixtures/format/vectors/model.ts'
import { FrameWriter } from '../frame/index.ts'
import { kernel } from '../kernel/index.ts'
import { ListOrder } from './list-order.ts'
import { Lists, listsFor, ROWS_AT_ONCE, sampledFor } from './lists.ts'
import { RowSample, writeLists } from './writer.ts'

describe('centers', () => {
  it('are near the rows that are assigned to them', () => {
    const vectors = clustered(4000, 30, 0.2)
    const directions = Float32Array.from(
      vectors.flatMap((vector) => vector.map((value) => value / Math.hypot(...vector))),
    )
    const lists = Lists.of(directions, 8, 60)
    const { centers } = lists
    const found = new Uint32Array(ROWS_AT_ONCE)
    const squares = new Float32Array(ROWS_AT_ONCE)
    lists.assign(directions.subarray(0, ROWS_AT_ONCE * 8), found, squares)
    let nearest = 0
    for (let row = 0; row < ROWS_AT_ONCE; row++) {
      const all = Array.from({ length: centers.count }, (_, c) =>
        distanceTo(vectors[row]!, [...centers.of(c)]),
      )
      expect(squares[row]).toBeCloseTo(all[found[row]!]! ** 2, 4)
      if (all[found[row]!] === Math.min(...all)) nearest++
    }
    expect(nearest).toBeGreaterThan(ROWS_AT_ONCE * 0.95)
  })

  it('are as many as the square root of the rows, and no more than the sample allows', () => {
    expect([listsFor(1_000_000, 96), sampledFor(1000, 96)]).toEqual([1000, 32_000])
    expect([listsFor(10_000_000, 1536), sampledFor(341, 1536)]).toEqual([341, 5461])
    expect(listsFor(1 << 26, 4)).toBe(8192)
  })
})

describe('the order of lists', () => {
  const order = (spreads: readonly number[]): ListOrder =>
    new ListOrder(Float32Array.of(0.1, 0.9, 0.5, 0.4), Float32Array.from(spreads))
  const measured = (one: ListOrder, difference: number): ListOrder => {
    for (let i = 0; i < 1000; i++) one.measure(1, i % 2 === 0 ? difference : -difference)
    return one
  }

  it('is that of their centers until enough rows are measured', () => {
    const one = order([1, 1, 1, 1])
    const lists = [0, 1, 2, 3, 4].map(() => one.next(10))
    expect(lists).toEqual([1, 2, 3, 0, -1])
  })

  it('is that of their bounds then, down to the least product that counts', () => {
    // Rows of list 3 differ more: 0.4 + 3.5 · 0.1 · 2 is above 0.5 + 3.5 · 0.1.
    const one = measured(order([1, 1, 1, 2]), 0.1)
    expect([one.isMeasuring, one.next(0.6), one.next(0.6), one.next(0.86)]).toEqual([
      false,
      1,
      3,
      -1,
    ])
    const other = measured(order([1, 1, 1, 2]), 0.1)
    expect([0, 1, 2, 3, 4].map(() => other.next(-1))).toEqual([1, 3, 2, 0, -1])
  })

  it('has each list that may have rows without a direction', () => {
    const one = measured(order([Number.POSITIVE_INFINITY, 1, 1, 1]), 0)
    expect([one.next(0.95), one.next(0.95)]).toEqual([0, -1])
  })
})

describe('a sample', () => {
  const ALL = { rowsMin: 0, shareMax: 1 }

  it('has rows in equal distances', () => {
    const vectors = clustered(40_000, 50, 0.1)
    const sample = new RowSample(vectors.length, 8)
    const read: number[] = []
    for (const [row, vector] of vectors.entries()) {
      sample.offer((out) => {
        read.push(row)
        out.set(vector)
      })
    }
    // 200 lists of 32 rows each.
    expect(read).toHaveLength(6400)
    expect(read.slice(0, 4)).toEqual([0, 6, 12, 18])
    expect(Math.max(...read.map((row, i) => Math.abs(row - i * 6.25)))).toBeLessThan(1)
    expect(sample.lists(ALL)!.centers.count).toBeGreaterThan(150)
  })

  it('gives no lists if too few rows have a direction', () => {
    const sample = new RowSample(1000, 8)
    for (let row = 0; row < 1000; row++) {
      sample.offer((out) => out.fill(row % 40 === 0 ? row + 1 : 0))
    }
    expect(sample.lists(ALL)).toBe(null)
  })
})

describe('the kernel', () => {
  it('has the scores of plain code', () => {
    const draw = drawn(1)
    for (const dimensions of [1, 5, 16, 31, 32, 100]) {
      const row = Float32Array.from(vectorOf(dimensions, draw))
      const centers = Array.from({ length: 7 }, () => Float32Array.from(vectorOf(dimensions, draw)))
      const halves = Float32Array.from(centers, () => draw())
      const host = kernel()
      const [ofRow, ofCenters, ofHalves, out] = host.rooms(
        row.byteLength,
        row.byteLength * 7,
        halves.byteLength,
        28,
      )
      host.floats(ofRow).set(row)
      for (const [c, center] of centers.entries()) {
        host.floats(ofCenters).set(center, c * dimensions)
      }
      host.floats(ofHalves).set(halves)
      host.exports.scores(ofRow.at, dimensions, ofCenters.at, ofHalves.at, 7, out.at)
      for (const [c, center] of centers.entries()) {
        const product = center.reduce((sum, value, d) => sum + value * row[d]!, 0)
        expect(host.floats(out)[c]).toBeCloseTo(product - halves[c]!, 3)
      }
    }
  })
})

describe('a writer', () => {
  it('writes the same bytes in one pass and in several', () => {
    const vectors = clustered(2000, 20, 0.2).map((vector) => Float32Array.from(vector))
    const sample = new RowSample(vectors.length, 8)
    for (const vector of vectors) sample.offer((out) => out.set(vector))
    const lists = sample.lists({ rowsMin: 0, shareMax: 1 })!
    let passes = 0
    const source = {
      dimensions: 8,
      count: vectors.length,
      *vectors() {
        passes++
        for (const vector of vectors) yield vector.slice()
      },
    }
    const written = (codesBytesMax?: number): Buffer => {
      const pieces: Uint8Array[] = []
      const frame = new FrameWriter('VECT', (bytes) => pieces.push(bytes.slice()))
      frame.begin('LIST', 1)
      writeLists(source, lists, frame, codesBytesMax)
      frame.end()
      frame.finish()
      return Buffer.concat(pieces)
    }
    const expected = written()
    // One to assign rows, one for their codes.
    expect(passes).toBe(2)
    expect(written(1000).equals(expected)).toBe(true)
    expect(passes).toBeGreaterThan(6)
  })
})
