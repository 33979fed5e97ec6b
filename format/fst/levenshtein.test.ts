// The automaton, alone and over a dictionary, against distances computed from the full matrix.

import { readFileSync, writeFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { compareText } from '../bytes/index.ts'
import { prefixDistance } from './distance.ts'
import { buildFst, editDistance, Fst, FuzzyCursor, type FuzzyOptions } from './index.ts'
import { automata, SETTLED } from './parametric.ts'
import { automataTable, buildAutomata } from './test-support.ts'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const dictionary = (words: readonly string[]): Fst => new Fst(buildFst(words.map(utf8)))
const firstOf = (word: string): string => Array.from(word)[0] ?? ''

type Hit = { key: string; ordinal: number; distance: number; sameFirst: boolean }

function walk(fst: Fst, query: string, options: FuzzyOptions): Hit[] {
  const cursor = new FuzzyCursor(fst, query, options)
  const hits: Hit[] = []
  while (cursor.next()) {
    const { ordinal, distance, sameFirst } = cursor
    const key = Buffer.from(cursor.bytes.subarray(0, cursor.length)).toString()
    hits.push({ key, ordinal, distance, sameFirst })
  }
  expect(cursor.next()).toBe(false)
  return hits
}

/** `words` distinct and in order. */
function filter(words: readonly string[], query: string, options: FuzzyOptions): Hit[] {
  const distanceOf = options.prefix ? prefixDistance : editDistance
  return words.flatMap((key, ordinal) => {
    const distance = distanceOf(query, key)
    const sameFirst = firstOf(key) === firstOf(query)
    const limit = sameFirst ? options.maxDistance : options.otherFirstDistanceMax
    return distance <= limit ? [{ key, ordinal, distance, sameFirst }] : []
  })
}

const allOptions: FuzzyOptions[] = []
for (const maxDistance of [1, 2] as const) {
  for (const otherFirstDistanceMax of [-1, 0, 1, 2] as const) {
    if (otherFirstDistanceMax > maxDistance) continue
    for (const prefix of [false, true]) {
      allOptions.push({ maxDistance, otherFirstDistanceMax, prefix })
    }
  }
}

function wordsOver(letters: readonly string[], lengthMax: number): string[] {
  let last = ['']
  const all = ['']
  for (let length = 1; length <= lengthMax; length++) {
    last = last.flatMap((word) => letters.map((letter) => word + letter))
    all.push(...last)
  }
  return all.sort(compareText)
}

const anyOptions = fc.constantFrom(...allOptions)
/** Words over few letters of one to four bytes, some of which share bytes. */
const anyWord = (lengthMax: number) =>
  fc
    .array(fc.constantFrom('a', 'b', 'c', 'é', 'è', 'д', '日', '本', '😀', '😁'), {
      maxLength: lengthMax,
    })
    .map((letters) => letters.join(''))

describe('distances', () => {
  it.each([
    ['', '', 0],
    ['', 'abc', 3],
    ['kitten', 'sitting', 3],
    ['ab', 'ba', 1],
    ['ca', 'abc', 3],
    ['abcd', 'badc', 2],
    ['zürich', 'zurich', 1],
    ['😀😁', '😁😀', 1],
    ['a😀', 'a', 1],
  ])('%s and %s are %i apart', (a, b, distance) => {
    expect(editDistance(a, b)).toBe(distance)
    expect(editDistance(b, a)).toBe(distance)
  })

  it.each([
    ['', 'abc', 0],
    ['abc', 'abcdef', 0],
    ['abc', 'acbdef', 1],
    ['abc', 'ab', 1],
    ['abc', '', 3],
    ['hello', 'helping', 2],
  ])('%s is %i from a prefix of %s', (query, word, distance) => {
    expect(prefixDistance(query, word)).toBe(distance)
  })
})

describe('the tables', () => {
  it('are those that the rules give (otherwise run with UPDATE_GOLDEN=1)', () => {
    const computed = buildAutomata()
    const file = new URL('automata.table.ts', import.meta.url)
    if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, automataTable(computed))
    expect(readFileSync(file, 'utf8')).toBe(automataTable(computed))
    expect(automata()).toEqual(computed)
  })

  it('have few states, each of which can still accept', () => {
    const { steps, stateCount } = automata()
    expect(stateCount).toBe(52)
    expect(steps.subarray(0, SETTLED).every((step) => step === 0)).toBe(true)
    const last = stateCount << 5
    expect(steps.subarray(last).every((step) => step === 0)).toBe(true)
    for (const step of steps) expect((step & 0xfff) >> 5).toBeLessThan(stateCount)
  })
})

describe('over a dictionary', () => {
  // All words of three letters: every state that the automaton can reach within six steps.
  const letters = ['a', 'b', 'c']
  const words = wordsOver(letters, 6)
  const fst = dictionary(words)
  it.each(allOptions)('accepts the keys within the distance: %o', (options) => {
    // Queries whose letters first occur in alphabetical order: the others are renamings of these.
    const queries = wordsOver(letters, 4).filter((query) => /^(?!b|c|a+c|ac)/.test(query))
    for (const query of [...queries, 'abcab', 'aabbcc', 'abcabc', 'abacaba']) {
      expect(walk(fst, query, options)).toEqual(filter(words, query, options))
    }
  })

  it('accepts the same words with letters of several bytes', () => {
    fc.assert(
      fc.property(
        fc.array(anyWord(7), { maxLength: 40 }),
        anyWord(8),
        anyOptions,
        (given, query, options) => {
          const sorted = [...new Set(given)].sort(compareText)
          const expected = filter(sorted, query, options)
          expect(walk(dictionary(sorted), query, options)).toEqual(expected)
        },
      ),
      { numRuns: 1500 },
    )
  })

  it('accepts the same of neighbours of long words', () => {
    const edit = fc.record({
      at: fc.nat(40),
      kind: fc.nat(3),
      letter: fc.constantFrom('a', 'b', 'é', '日'),
    })
    fc.assert(
      fc.property(
        anyWord(40),
        fc.array(fc.array(edit, { maxLength: 4 }), { maxLength: 20 }),
        anyOptions,
        (query, edits, options) => {
          const near = edits.map((list) => list.reduce(edited, Array.from(query)).join(''))
          const sorted = [...new Set([...near, query])].sort(compareText)
          const expected = filter(sorted, query, options)
          expect(walk(dictionary(sorted), query, options)).toEqual(expected)
        },
      ),
      { numRuns: 500 },
    )
  })

  it('walks the worked example of the page', () => {
    const fst = dictionary(['tea', 'ten', 'tens', 'to', 'tot'])
    const options: FuzzyOptions = { maxDistance: 1, prefix: false, otherFirstDistanceMax: -1 }
    expect(walk(fst, 'tae', options)).toEqual([
      { key: 'tea', ordinal: 0, distance: 1, sameFirst: true },
    ])
  })

  it('finds nothing in an empty dictionary', () => {
    for (const options of allOptions) {
      expect(walk(dictionary([]), 'word', options)).toEqual([])
      expect(walk(dictionary([]), '', options)).toEqual([])
    }
  })

  it('treats a lone surrogate as the character that an encoder writes for it', () => {
    const options: FuzzyOptions = { maxDistance: 1, prefix: false, otherFirstDistanceMax: -1 }
    const found = walk(dictionary(['a\ufffdb', '\ufffd']), '\ud800', options)
    expect(found).toMatchObject([{ key: '\ufffd', distance: 0, sameFirst: true }])
  })

  it('walks over keys that are not UTF-8', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ maxLength: 8 }), { maxLength: 40 }),
        anyWord(4),
        anyOptions,
        (keys, query, options) => {
          const cursor = new FuzzyCursor(new Fst(buildFst(keys)), query, options)
          let last = -1
          while (cursor.next()) {
            expect(cursor.ordinal).toBeGreaterThan(last)
            expect(cursor.fst.key(cursor.ordinal)).toEqual(cursor.bytes.slice(0, cursor.length))
            last = cursor.ordinal
          }
        },
      ),
      { numRuns: 500 },
    )
  })
})

/**
 * Returns `word` after one edit: a letter inserted, removed, replaced, or swapped with the next.
 */
function edited(
  word: string[],
  { at, kind, letter }: { at: number; kind: number; letter: string },
): string[] {
  const i = at % (word.length + 1)
  if (kind === 0) return word.toSpliced(i, 0, letter)
  if (kind === 1) return word.toSpliced(i, 1)
  if (kind === 2) return word.toSpliced(i, 1, letter)
  const pair = word.slice(i, i + 2).reverse()
  return word.toSpliced(i, 2, ...pair)
}
