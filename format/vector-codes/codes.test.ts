// Codes of single rows: the kernel computes the same sums as plain code.
import { describe, expect, it } from 'vitest'
import { drawn, vectorOf } from '../../fixtures/format/vectors/model.ts'
import { kernel } from '../kernel/index.ts'
import { CenterSum, codeBytes, normalize, queryTable, writeCode } from './codes.ts'
import { BLOCK_ROWS, DIMENSIONS_MAX } from './limits.ts'

describe('codes', () => {
  it('have the same sums in the kernel as in plain code', () => {
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

  it('of the center itself are zero', () => {
    const block = new Uint8Array(BLOCK_ROWS)
    expect(writeCode(Float32Array.of(5, 0), Float32Array.of(1, 0), block, 0)).toBe(0)
    expect(block).toEqual(new Uint8Array(BLOCK_ROWS))
  })

  it('say nothing about vectors without a direction', () => {
    const block = new Uint8Array(BLOCK_ROWS)
    const center = Float32Array.of(0, 0)
    for (const vector of [
      [0, 0],
      [1e-5, 0],
      [1e16, 0],
      [Number.NaN, 1],
      [Infinity, 1],
    ]) {
      expect(writeCode(Float32Array.from(vector), center, block, 3)).toBeNaN()
    }
    expect(block).toEqual(new Uint8Array(BLOCK_ROWS))
  })

  it('have two bits for each dimension: the sign, and whether the number is great', () => {
    const block = new Uint8Array(BLOCK_ROWS * 2)
    // After division by its length: root mean square 1/√5, bound 0.44.
    const factor = writeCode(Float32Array.of(0.1, -0.1, 5, -5, 0.1), new Float32Array(5), block, 2)
    expect(block[2]).toBe(0b01_11_00_10)
    expect(block[BLOCK_ROWS + 2]).toBe(0b10)
    expect([...block].filter((byte) => byte !== 0)).toHaveLength(2)
    // |r|² / ⟨r, l⟩ with levels of 0.4528 and 1.51.
    const length = Math.hypot(0.1, 0.1, 5, 5, 0.1)
    expect(factor).toBeCloseTo(length / (0.3 * 0.4528 + 10 * 1.51), 5)
  })

  it('estimate products without bias', () => {
    const draw = drawn(9)
    const dimensions = 200
    const query = Float32Array.from(vectorOf(dimensions, draw))
    normalize(query)
    const sum = new CenterSum(dimensions)
    const rows = Array.from({ length: 400 }, () => Float32Array.from(vectorOf(dimensions, draw)))
    for (const row of rows) sum.add(row.slice())
    const center = sum.center()
    const { table, scale, bias } = queryTable(query)
    let error = 0
    for (const row of rows) {
      const block = new Uint8Array(codeBytes(dimensions) * BLOCK_ROWS)
      const factor = writeCode(row.slice(), center, block, 0)
      let inner = 0
      for (let i = 0; i < codeBytes(dimensions); i++) {
        const byte = block[i * BLOCK_ROWS]!
        inner += table[i * 32 + (byte & 15)]! + table[i * 32 + 16 + (byte >>> 4)]!
      }
      normalize(row)
      const estimate = productOf(query, center) + factor * (scale * inner + bias)
      error += estimate - productOf(query, row)
      expect(Math.abs(estimate - productOf(query, row))).toBeLessThan(0.1)
    }
    expect(Math.abs(error / rows.length)).toBeLessThan(0.003)
  })

  it('have tables whose sums fit 16 bits', () => {
    for (const dimensions of [1, 300, DIMENSIONS_MAX]) {
      const query = new Float32Array(dimensions).fill(1 / Math.sqrt(dimensions))
      const { table } = queryTable(query)
      let most = 0
      for (let at = 0; at < table.length; at += 16) most += Math.max(...table.subarray(at, at + 16))
      expect(most).toBeLessThanOrEqual(0xffff)
      expect(most).toBeGreaterThan(100)
    }
  })
})

const productOf = (a: Float32Array, b: Float32Array): number =>
  a.reduce((sum, value, d) => sum + value * b[d]!, 0)
