// The automaton of many needles compared with searching for each separately.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Needles } from './needles.ts'

const letters = fc.constantFrom('a', 'b', 'c')
const word = (minLength: number, maxLength: number) =>
  fc.array(letters, { minLength, maxLength }).map((all) => all.join(''))

function ranksIn(needles: Needles, ...bytes: readonly number[]): number[] {
  const found: number[] = []
  const text = Uint8Array.from(bytes)
  needles.collect(text, text.length, new Uint32Array(needles.count), 1, (rank) => found.push(rank))
  return found
}

describe('needles', () => {
  it('are found in the same texts as each alone', () => {
    fc.assert(
      fc.property(fc.array(word(1, 5), { maxLength: 12 }), word(0, 30), (parts, text) => {
        const needles = new Needles(parts.map((part) => Buffer.from(part)))
        const bytes = Buffer.from(text)
        expect(needles.count).toBe(new Set(parts).size)
        expect(needles.occursIn(bytes, bytes.length)).toBe(
          parts.some((part) => text.includes(part)),
        )
        const found: number[] = []
        const seen = new Uint32Array(needles.count)
        needles.collect(bytes, bytes.length, seen, 7, (rank) => found.push(rank))
        const expected = new Set(
          parts.flatMap((part, i) => (text.includes(part) ? [needles.rankOf(i)] : [])),
        )
        expect(found.sort((a, b) => a - b)).toEqual([...expected].sort((a, b) => a - b))
      }),
      { numRuns: 2000 },
    )
  })

  it('may begin with every byte, and states may have many children', () => {
    const all = Array.from({ length: 65_536 }, (_, i) => Uint8Array.of(i >> 8, i & 255))
    const needles = new Needles(all)
    for (const [a, b] of [
      [0, 0],
      [255, 255],
      [7, 200],
    ] as const) {
      expect(ranksIn(needles, a, b)).toEqual([a * 256 + b])
    }
  })

  it.each([6, 7, 8, 13, 14, 100])('continue from a state with %i children', (children) => {
    const needles = new Needles(
      Array.from({ length: children }, (_, i) => Uint8Array.of(1, 2 * i + 1)),
    )
    for (let byte = 0; byte <= 2 * children; byte++) {
      expect(ranksIn(needles, 1, byte)).toEqual(byte % 2 === 1 ? [(byte - 1) / 2] : [])
    }
  })

  it('are not found beyond the length passed', () => {
    const needles = new Needles([Buffer.from('ab')])
    expect(needles.occursIn(Buffer.from('xab'), 2)).toBe(false)
    expect(new Needles([]).occursIn(Buffer.from('xab'), 3)).toBe(false)
  })
})
