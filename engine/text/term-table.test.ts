// The table that numbers terms and caches raw tokens.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareBytes } from '../../format/bytes/index.ts'
import { sortedTermIds } from './sort-terms.ts'
import { NO_RAW, TermTable } from './term-table.ts'

const encoder = new TextEncoder()

function key(bytes: Uint8Array): [number, number] {
  let [high, low] = [0, 0]
  for (const byte of bytes) {
    high = (high << 8) | (low >>> 24)
    low = (low << 8) | byte
  }
  return [high, low]
}

describe('terms', () => {
  it('have one number each, in order of first occurrence', () => {
    const words = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '東'), minLength: 1 })
    fc.assert(
      fc.property(fc.array(words, { maxLength: 300 }), (list) => {
        const table = new TermTable()
        const model = new Map<string, number>()
        for (const word of list) {
          const bytes = encoder.encode(`-${word}-`)
          const id = table.intern(bytes, 1, bytes.length - 1)
          if (!model.has(word)) model.set(word, model.size)
          expect(id).toBe(model.get(word))
        }
        expect(table.termCount).toBe(model.size)
        for (const [word, id] of model) expect(table.termBytes(id)).toEqual(encoder.encode(word))
      }),
    )
  })

  it('survive growth', () => {
    const table = new TermTable()
    for (let i = 0; i < 20_000; i++) {
      const bytes = encoder.encode(`term ${i * 7}`)
      expect(table.intern(bytes, 0, bytes.length)).toBe(i)
    }
    for (let i = 0; i < 20_000; i++) {
      const bytes = encoder.encode(`term ${i * 7}`)
      expect(table.intern(bytes, 0, bytes.length)).toBe(i)
    }
  })
})

describe('raw tokens', () => {
  it('are found by bytes and tag', () => {
    const raws = fc.tuple(
      fc.string({ unit: fc.constantFrom('a', 'b', 'c'), minLength: 1, maxLength: 20 }),
      fc.constantFrom(0, 1, 19, 511),
    )
    fc.assert(
      fc.property(fc.array(raws, { maxLength: 300 }), (list) => {
        const table = new TermTable()
        const model = new Map<string, number>()
        for (const [word, tag] of list) {
          const bytes = encoder.encode(word)
          const [high, low] = key(bytes)
          const name = `${word} ${tag}`
          const found = table.findRaw(bytes, 0, bytes.length, high, low, tag)
          expect(found).toBe(model.get(name) ?? NO_RAW)
          if (found !== NO_RAW) continue
          const value = tag === 1 ? -4 : table.intern(bytes, 0, bytes.length)
          model.set(name, value)
          table.addRaw(bytes, 0, bytes.length, high, low, tag, value)
        }
      }),
    )
  })

  it('survive growth', () => {
    const table = new TermTable()
    const each = (check: (bytes: Uint8Array, high: number, low: number, i: number) => void) => {
      for (let i = 0; i < 30_000; i++) {
        const bytes = encoder.encode(i % 2 === 0 ? `r${i}` : `a longer token ${i}`)
        check(bytes, ...key(bytes), i)
      }
    }
    each((bytes, high, low, i) => {
      table.addRaw(bytes, 0, bytes.length, high, low, i % 5, -i - 2)
    })
    each((bytes, high, low, i) => {
      expect(table.findRaw(bytes, 0, bytes.length, high, low, i % 5)).toBe(-i - 2)
      expect(table.findRaw(bytes, 0, bytes.length, high, low, 7)).toBe(NO_RAW)
    })
  })
})

describe('sorting', () => {
  const check = (words: readonly string[]): void => {
    const table = new TermTable()
    for (const word of words) table.intern(encoder.encode(word), 0, encoder.encode(word).length)
    const sorted = Array.from(sortedTermIds(table), (id) => table.termBytes(id).slice())
    const expected = [...new Set(words)].map((w) => encoder.encode(w)).sort(compareBytes)
    expect(sorted).toEqual(expected)
  }

  it('follows the bytes', () => {
    const units = fc.constantFrom('a', 'b', 'ab', 'é', '\u0001', '東', '😀', '\uffff', 'abcdefgh')
    const words = fc.string({ unit: units, minLength: 1, maxLength: 12 })
    fc.assert(fc.property(fc.array(words, { maxLength: 200 }), check))
    check([])
    check(['one'])
  })

  it('compares further bytes of terms with equal beginnings', () => {
    const words: string[] = []
    for (let i = 0; i < 3000; i++) words.push(`0000000000000000${(i * 7919) % 3000}`, `${i}`)
    check(words)
  })
})
