// Boolean queries: random expressions, written with more or fewer parentheses, match the documents
// that the definition says; faults name their place; no text makes the parser fail otherwise.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { IdSet } from '../../../format/idset/index.ts'
import { EngineFault } from '../../model/index.ts'
import { type Leaf, matching, parseBoolean } from './index.ts'
import { LEVELS_MAX, OPERANDS_MAX } from './limits.ts'

const WORDS = ['a', 'b', 'c', 'd']
type Clause = { readonly sign: '' | '+' | '-' | 'NOT '; readonly of: Expression }
type Expression =
  | { readonly kind: 'word'; readonly word: string; readonly field: string }
  | { readonly kind: 'list'; readonly clauses: readonly Clause[] }
  | { readonly kind: 'AND' | 'OR'; readonly operands: readonly Expression[] }

const { expression } = fc.letrec<{ expression: Expression }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.record({
      kind: fc.constant('word' as const),
      word: fc.constantFrom(...WORDS),
      field: fc.constantFrom('', 'f:'),
    }),
    fc.record({
      kind: fc.constant('list' as const),
      clauses: fc.array(
        fc.record({
          sign: fc.constantFrom('' as const, '+' as const, '-' as const, 'NOT ' as const),
          of: tie('expression'),
        }),
        { minLength: 1, maxLength: 4 },
      ),
    }),
    fc.record({
      kind: fc.constantFrom('AND' as const, 'OR' as const),
      operands: fc.array(tie('expression'), { minLength: 2, maxLength: 3 }),
    }),
  ),
}))

/** Binds as the text of an expression needs it: a word, a list, AND, OR. */
const levelOf = ({ kind }: Expression): number => ['word', 'list', 'AND', 'OR'].indexOf(kind)

function written(of: Expression, most: number): string {
  if (levelOf(of) > most) return `(${written(of, 3)})`
  switch (of.kind) {
    case 'word':
      return `${of.field}${of.word}`
    case 'list':
      return of.clauses.map(({ sign, of: inner }) => `${sign}${written(inner, 0)}`).join(' ')
    default:
      return of.operands.map((one) => written(one, levelOf(of) - 1)).join(` ${of.kind} `)
  }
}

/** The definition. A document is a set of words, those of the attribute `f` with `f:`. */
function holds(of: Expression, has: (word: string) => boolean, needsAny: boolean): boolean {
  switch (of.kind) {
    case 'word':
      return has(`${of.field}${of.word}`)
    case 'AND':
      return of.operands.every((one) => holds(one, has, needsAny))
    case 'OR':
      return of.operands.some((one) => holds(one, has, needsAny))
    default: {
      const with_ = (...signs: string[]): Clause[] =>
        of.clauses.filter(({ sign }) => signs.includes(sign))
      const is = ({ of: inner }: Clause): boolean => holds(inner, has, needsAny)
      if (with_('-', 'NOT ').some(is) || !with_('+').every(is)) return false
      const plain = with_('')
      if (!needsAny) return plain.every(is)
      return plain.length === 0 || with_('+').length > 0 || plain.some(is)
    }
  }
}

/** Each document has a word or not, in the attribute and elsewhere: 256 documents. */
const ALL = [...WORDS.map((word) => `f:${word}`), ...WORDS]
const hasIn =
  (document: number) =>
  (word: string): boolean =>
    (document & (1 << ALL.indexOf(word))) !== 0
const UNIVERSE = IdSet.of(Array.from({ length: 256 }, (_, id) => id))

function found(text: string, needsAny: boolean): readonly number[] {
  const { tree } = parseBoolean(text, needsAny)
  const docsOf = ({ field, from, to }: Leaf): IdSet => {
    const words = text.slice(from, to).trim().split(/\s+/)
    const name = field === null ? '' : `${field.name}:`
    return IdSet.of(
      UNIVERSE.toArray().filter((id) => {
        const has = (word: string): boolean => hasIn(id)(`${name}${word}`)
        return needsAny ? words.some(has) : words.every(has)
      }),
    )
  }
  return [...(matching(tree!, UNIVERSE, docsOf) ?? UNIVERSE).toArray()]
}

test('any expression matches the documents that it says', () => {
  fc.assert(
    fc.property(expression, fc.boolean(), (of, needsAny) => {
      const expected = [...UNIVERSE.toArray()].filter((id) => holds(of, hasIn(id), needsAny))
      expect(found(written(of, 3), needsAny)).toEqual(expected)
      // An attribute before parentheses is that of all words in them that have none.
      const inField = (word: string, id: number): boolean =>
        hasIn(id)(word.startsWith('f:') ? word : `f:${word}`)
      const narrowed = [...UNIVERSE.toArray()].filter((id) =>
        holds(of, (word) => inField(word, id), needsAny),
      )
      expect(found(`f:(${written(of, 3)})`, needsAny)).toEqual(narrowed)
    }),
    { numRuns: 400 },
  )
})

describe('leaves', () => {
  const leavesOf = (text: string) =>
    parseBoolean(text, false).leaves.map(({ field, from, isNegated, kind, to }) => [
      kind === 'phrase' ? 'phrase' : 'words',
      text.slice(from, to),
      field?.name ?? null,
      isNegated,
    ])

  test('are words side by side, phrases, and words of an attribute', () => {
    expect(leavesOf('new york  -"old town" title:sea-side bay')).toEqual([
      ['words', 'new york', null, false],
      ['phrase', '"old town"', null, true],
      ['words', 'sea-side', 'title', false],
      ['words', 'bay', null, false],
    ])
    expect(leavesOf('meta.tag:(red blue) AND “one two”')).toEqual([
      ['words', 'red blue', 'meta.tag', false],
      ['phrase', '“one two”', null, false],
    ])
  })

  test('are negated under an odd number of negations', () => {
    expect(leavesOf('NOT (a AND -(b OR NOT c)) --d').map(([, word, , is]) => [word, is])).toEqual([
      ['a', true],
      ['b', false],
      ['c', true],
      ['d', false],
    ])
  })

  test('a sign that stands alone, and small words, are no operators', () => {
    expect(leavesOf('a - b and or not')).toEqual([['words', 'a - b and or not', null, false]])
    expect(parseBoolean(' + ', false)).toEqual({ tree: null, leaves: [] })
  })
})

describe('faults', () => {
  test.each([
    ['AND a', 'before `AND`', 1],
    ['a OR', 'behind `OR`', 3],
    ['a AND OR b', 'behind `AND`', 3],
    ['éa NOT', 'behind `NOT`', 4],
    ['a (b', 'no `)` for the `(`', 3],
    ['a) b', 'no `(` for the `)`', 2],
    ['a ( )', 'no word between', 5],
    ['a "b c', 'no closing quote', 3],
    ['𝐚 title:', 'behind `title:`', 3],
    ['(title:) a', 'behind `title:`', 2],
    ['a -(b OR) c', 'behind `OR`', 7],
    [`${'('.repeat(LEVELS_MAX + 1)}a`, 'inside of each other', LEVELS_MAX + 1],
    ['a '.repeat(OPERANDS_MAX + 1), 'more than 100 words', OPERANDS_MAX * 2 + 1],
  ])('%s', (text, words, position) => {
    const message = expect.stringMatching(
      new RegExp(`${words.replace(/[()[\]]/g, '\\$&')}.* at character ${position} of`),
    )
    const fault = expect.objectContaining({ code: 'invalid_search_q', message })
    expect(() => parseBoolean(text, false)).toThrow(fault)
  })

  test('are the only failures of any text', () => {
    const piece = fc.constantFrom(...'() "+-:', 'AND', ' OR ', 'NOT ', 'a', 'f:', '“', '\u0000')
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 60 }), fc.boolean(), (pieces, needsAny) => {
        try {
          const { leaves, tree } = parseBoolean(pieces.join(''), needsAny)
          expect(tree === null).toBe(leaves.length === 0)
        } catch (error) {
          expect(error).toBeInstanceOf(EngineFault)
        }
      }),
      { numRuns: 2000 },
    )
  })

  test('a long text of signs or parentheses is read in one pass', () => {
    expect(parseBoolean(`${'-'.repeat(60_000)}a`, false).leaves.length).toBe(1)
    expect(() => parseBoolean('('.repeat(60_000), false)).toThrow(EngineFault)
  })
})
