// Query texts, tokenized by the analyzer, compared with terms written by hand, and properties of
// any text.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Analyzer, DEFAULT_ANALYZER_SETTINGS } from '../../text/index.ts'
import { QUERY_TERMS_MAX, QUERY_TOKENS_MAX } from './limits.ts'
import { type ParsedQuery, parseQuery, type QueryToken } from './parse.ts'
import type { Phrase } from './phrase.ts'

const analyzer = new Analyzer({ ...DEFAULT_ANALYZER_SETTINGS, stopWords: ['the', 'of'] })
const parse = (text: string, prefixSearch = true): ParsedQuery =>
  parseQuery(analyzer.tokenize(text, null), prefixSearch)

/** `word@position`, `*` after a prefix; phrases in brackets, `,` for a break; `-`: negative. */
function shown(text: string, prefixSearch = true): string {
  const { terms, negativeWords, negativePhrases } = parse(text, prefixSearch)
  const phrase = ({ breaks, isPrefix, words }: Phrase) =>
    `[${words.map((word, i) => (breaks.includes(i) ? `, ${word}` : word)).join(' ')}${isPrefix ? '*' : ''}]`
  return [
    ...terms.map((term) =>
      term.kind === 'word'
        ? `${term.word}@${term.first}${term.prefix ? '*' : ''}`
        : `${phrase(term.phrase)}@${term.first}-${term.last}`,
    ),
    ...negativeWords.map((word) => `-${word}`),
    ...negativePhrases.map((negative) => `-${phrase(negative)}`),
  ].join(' ')
}

describe('a query', () => {
  it.each([
    ['', ''],
    ['quick fo', 'quick@0 fo@1*'],
    ['quick fo ', 'quick@0 fo@1'],
    ['Quick FO', 'quick@0 fo@1*'],
    ['quick-fox', 'quick@0 fox@1*'],
    ['a. b', 'a@0 b@8*'],
    ['a! ! b', 'a@0 b@15*'],
    ['! a', 'a@7*'],
    ['"quick fox" ju', '[quick fox]@0-1 ju@2*'],
    ['"quick fox', '[quick fox*]@0-1'],
    ['"quick fox ', '[quick fox]@0-1'],
    ['"qui', '[qui*]@0-0'],
    ['"', ''],
    ['ab"cd ef"gh', 'ab@0 [cd ef]@1-2 gh@3*'],
    ['"a. b"', '[a , b]@0-8'],
    ['"a. ! b, "', '[a , b]@0-15'],
    ['", a b"', '[a b]@7-8'],
    ['“a b”', '[a b]@0-1'],
    ['„a b“ c', '[a b]@0-1 c@2*'],
    ['« a b » c', '[a b]@0-1 c@2*'],
    ['»a b« c', '[a b]@0-1 c@2*'],
    ['‹a b› c', '[a b]@0-1 c@2*'],
    ['＂a b＂ c', '[a b]@0-1 c@2*'],
    ['“a b" c', '[a b]@0-1 c@2*'],
    ['-“a b” c', 'c@2* -[a b]'],
    ['“a b” “c d”', '[a b]@0-1 [c d]@2-3'],
    ['"a “b” c"', '[a b c]@0-2'],
    ['«a “b” c»', '[a b c]@0-2'],
    ['5” pipe', '5@0 pipe@1*'],
    ['5" pipe', '5@0 [pipe*]@1-1'],
    ['rock ’n’ roll', 'rock@0 n@1 roll@2*'],
    ['"" a', 'a@0*'],
    ['"""a b"""', '[a b]@0-1'],
    ['the sun', 'sun@1*'],
    ['sun the', 'sun@0 the@1*'],
    ['sun the ', 'sun@0'],
    ['the', 'the@0*'],
    ['The of ', 'the@0 of@1'],
    ['the of -fox', 'the@0 of@1 -fox'],
    ['"the sun of rome"', '[the sun of rome]@0-3'],
    ['"the of" sun', '[the of]@0-1 sun@2*'],
    ['quick -fox', 'quick@0 -fox'],
    ['-fox quick', 'quick@1* -fox'],
    ['- fox', 'fox@0*'],
    ['--fox', 'fox@0*'],
    ['\u0000', ''],
    ['-\u0000 a', 'a@1*'],
    ['a \u0007', 'a@0'],
    ['\u0000dark', 'dark@1*'],
    ['"a \u0000 b"', '[a b]@0-1'],
    ['a-b', 'a@0 b@1*'],
    ['-"a b" c', 'c@2* -[a b]'],
    ['a -"b c', 'a@0 -[b c]'],
    ['-"a. b"', '-[a , b]'],
    ['"a -b"', '[a b]@0-1'],
    ['a -the', 'a@0 -the'],
    ['a -\u00a0b', 'a@0 b@1*'],
  ])('%j is %j', (text, terms) => {
    expect(shown(text)).toBe(terms)
  })

  it('has no prefix if prefixes are switched off', () => {
    expect(shown('quick fo', false)).toBe('quick@0 fo@1')
  })

  it('ends with its tenth term, which is not a prefix if more tokens follow', () => {
    const words = Array.from({ length: 12 }, (_, i) => `w${i}`)
    expect(shown(words.slice(0, 10).join(' '))).toMatch(/ w9@9\*$/)
    expect(shown(words.join(' '))).toMatch(/ w9@9$/)
    expect(shown(`${words.slice(0, 10).join(' ')} "x y"`)).toMatch(/ w9@9$/)
    expect(shown(`-x ${words.slice(0, 10).join(' ')}`)).toMatch(/w9@10\* -x$/)
    expect(shown(`${words.slice(0, 9).join(' ')} "x y" "z`)).toMatch(/ w8@8 \[x y\]@9-10$/)
  })

  it('ends with its thousandth token, including an open phrase', () => {
    const stops = 'the '.repeat(499)
    expect(shown(`${stops}sun moon`)).toBe('sun@499')
    expect(shown(`${stops}sun"`)).toBe('sun@499')
    expect(shown(`"${stops}moon"`)).toMatch(/^\[(the )+moon\]@0-499$/)
    expect(shown(`""${stops}moon"`)).toMatch(/^(the@\d+ ?){10}$/)
    expect(shown(`"sun ${stops}`)).toMatch(/^\[sun( the)+\*?\]@0-499$/)
  })
})

const script = fc.constant('Latin' as const)
const anyToken: fc.Arbitrary<QueryToken> = fc.oneof(
  fc.record({
    kind: fc.constant('word' as const),
    lemma: fc.constantFrom('a', 'b', 'c', 'dd'),
    script,
  }),
  fc.record({
    kind: fc.constant('stopWord' as const),
    lemma: fc.constantFrom('the', 'of'),
    script,
  }),
  fc.record({
    kind: fc.constantFrom('softSeparator' as const, 'hardSeparator' as const),
    lemma: fc.constantFrom(' ', '-', '"', '. ', '""', '!', '“', '”'),
    script,
  }),
)

describe('any tokens', () => {
  it('give terms in order, each at a different position', () => {
    fc.assert(
      fc.property(fc.array(anyToken, { maxLength: 60 }), fc.boolean(), (tokens, prefixes) => {
        const parsed = parseQuery(tokens, prefixes)
        expect(parsed.terms.length).toBeLessThanOrEqual(QUERY_TERMS_MAX)
        let position = -1
        parsed.terms.forEach((term, i) => {
          expect(term.first).toBeGreaterThan(position)
          expect(term.last).toBeGreaterThanOrEqual(term.first)
          position = term.last
          if (term.kind === 'phrase') {
            expect(term.phrase.words).not.toHaveLength(0)
            expect(term.phrase.breaks.every((at) => at > 0 && at < term.phrase.words.length)).toBe(
              true,
            )
          } else if (term.prefix) {
            expect([prefixes, i]).toEqual([true, parsed.terms.length - 1])
            expect(tokens.at(-1)?.lemma).toBe(term.word)
          }
        })
        for (const phrase of parsed.negativePhrases) {
          expect(phrase.words).not.toHaveLength(0)
          expect(phrase.isPrefix).toBe(false)
        }
      }),
    )
  })

  it('give each word once, as a term or a negative', () => {
    const anyShort = fc.array(anyToken, { maxLength: 10 })
    fc.assert(
      fc.property(anyShort, (tokens) => {
        const { terms, negativeWords, negativePhrases } = parseQuery(tokens, true)
        const taken = [
          ...terms.flatMap((term) => (term.kind === 'word' ? [term.word] : term.phrase.words)),
          ...negativeWords,
          ...negativePhrases.flatMap(({ words }) => words),
        ].filter((word) => word !== 'the' && word !== 'of')
        const words = tokens.flatMap(({ kind, lemma }) => (kind === 'word' ? [lemma] : []))
        expect(taken.sort()).toEqual(words.sort())
      }),
    )
  })

  const isStopWord = (term: ParsedQuery['terms'][number]): boolean =>
    term.kind === 'word' && ['the', 'of'].includes(term.word) && !term.prefix

  it('beyond the limit only make the last word whole', () => {
    const head = Array.from({ length: QUERY_TOKENS_MAX }, () => ({
      kind: 'stopWord' as const,
      lemma: 'the',
      script: 'Latin' as const,
    }))
    head[QUERY_TOKENS_MAX - 1] = { kind: 'stopWord', lemma: 'of', script: 'Latin' }
    fc.assert(
      fc.property(fc.array(anyToken, { minLength: 1, maxLength: 5 }), (rest) => {
        expect(parseQuery([...head, ...rest], true).terms.every(isStopWord)).toBe(true)
      }),
    )
    expect(parseQuery(head, true).terms).toHaveLength(QUERY_TERMS_MAX)
  })
})
