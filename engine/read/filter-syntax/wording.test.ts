// Messages of filters: the voice of an endpoint, the place in the text, shown characters, bounds of
// coordinates, suggestions.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import type { FilterableAttribute } from '../../settings/values/index.ts'
import { Ceilings } from './ceilings.ts'
import { isBlank, shown } from './characters.ts'
import { latitudeProblem, longitudeProblem } from './coordinates.ts'
import { parseExpression } from './parse.ts'
import { compileRules, isFilterable, patternsOf } from './rules.ts'
import { editDistance, suggestion } from './suggestion.ts'
import { openFilter } from './text.ts'
import { filterTookTooLong, taskFilterTookTooLong } from './time.ts'
import { leaves } from './tree.ts'
import { cut, echo, type FilterEndpoint, faultInTree, filterWording, quoted } from './wording.ts'

const uid = asIndexUid('x')

describe('the voice', () => {
  const SEARCH = 'invalid_search_filter'
  const DOCUMENT = 'invalid_document_filter'
  it.each<[FilterEndpoint, string, string | null, string | null]>([
    ['search', SEARCH, null, 'x'],
    ['chat', SEARCH, null, null],
    ['facetSearch', SEARCH, null, null],
    ['similar', 'invalid_similar_filter', null, null],
    ['suggest', 'invalid_suggest_filter', null, null],
    ['documents', DOCUMENT, null, null],
    ['deletion', DOCUMENT, null, 'x'],
    ['edition', DOCUMENT, 'x', 'x'],
    ['export', DOCUMENT, 'x', 'x'],
    ['foreign', DOCUMENT, 'x', 'x'],
  ])('of %s has the code %s, and the index %s, then %s', (endpoint, code, parsing, running) => {
    const echoed = endpoint === 'search' ? 'rewritten' : 'sent'
    expect(filterWording(endpoint, 'parsing', uid)).toEqual({
      code,
      indexUid: parsing,
      echo: 'sent',
    })
    expect(filterWording(endpoint, 'running', uid)).toEqual({
      code,
      indexUid: running,
      echo: echoed,
    })
  })

  it.each([
    ['search', 'Index `x`: Bad.\n8:9 "a" = "1"'],
    ['documents', 'Bad.\n5:6 a = 1'],
  ] as const)('of %s quotes the filter of a running fault', (endpoint, message) => {
    const parsing = filterWording(endpoint, 'parsing', uid)
    const tree = parseExpression('a = 1', parsing, new Ceilings(parsing, () => undefined))
    const [leaf] = leaves(tree)
    if (leaf?.kind !== 'compare') throw new Error('the filter compares')
    const running = filterWording(endpoint, 'running', uid)
    const fault = faultInTree(running, 'Bad.', leaf.value, tree)
    expect(fault.message).toBe(message)
  })

  it('of a filter whose time is up names the limit', () => {
    const wording = filterWording('search', 'running', uid)
    const search = filterTookTooLong(wording, 1500)
    expect(search.message).toContain('took longer than 1500 ms.')
    expect(search.detail).toEqual({ kind: 'timeUp' })
    const task = taskFilterTookTooLong(wording)
    expect(task.message).toContain('took longer than 60000 ms.')
    expect(task.detail).toEqual({ kind: 'timeUp' })
  })
})

describe('a place', () => {
  it.each([
    ['abc', 0, 0, '1:1'],
    ['abc', 1, 3, '2:4'],
    ['a\nbc', 1, 2, '2:3'],
    ['a\nbc', 2, 3, '1:2'],
    ['a\nbc', 3, 4, '2:3'],
    ['🍓b', 2, 3, '2:3'],
    ['🍓🍓', 0, 4, '1:3'],
    ['\ud83cab', 1, 2, '2:3'],
    ['🍓', 0, 1, '1:2'],
    ['\udc00a', 1, 2, '2:3'],
  ])('of %j from %i to %i is the columns %s', (source, from, to, columns) => {
    expect(echo(source, from, to)).toBe(`${columns} ${source}`)
  })
})

describe('a quoted fragment', () => {
  it.each([
    ['a b', 'a b'],
    [`'"\\`, `\\'\\"\\\\`],
    ['\0\t\r\n', '\\0\\t\\r\\n'],
    ['\u00a0\u0001', '\\u{a0}\\u{1}'],
    ['\u0301e\u0301', '\\u{301}e\u0301'],
  ])('shows %j as %s', (text, expected) => {
    expect(shown(text)).toBe(expected)
    expect(quoted(text)).toBe(`\`${expected}\``)
  })

  it('is cut behind a whole character', () => {
    const whole = 'a'.repeat(10_000)
    expect(cut(whole)).toBe(whole)
    expect(cut(`${whole}b`)).toBe(`${whole}…`)
    expect(cut(`${whole.slice(1)}🍓b`)).toBe(`${whole.slice(1)}🍓…`)
  })

  it('is blank if all of it is white space', () => {
    expect(['', ' ', '\t\n\u00a0\u3000'].every(isBlank)).toBe(true)
    expect(['a', ' a', 'a ', '\0'].some(isBlank)).toBe(false)
  })
})

describe('coordinates', () => {
  it.each([
    [-90, null],
    [90, null],
    [0, null],
    [90.5, 'Bad latitude `90.5`. Latitude must be contained between -90 and 90 degrees.'],
    [-91, 'Bad latitude `-91`. Latitude must be contained between -90 and 90 degrees.'],
    [NaN, 'Bad latitude `NaN`. Latitude must be contained between -90 and 90 degrees.'],
  ])('latitude %f', (degrees, problem) => {
    expect(latitudeProblem(degrees)).toBe(problem)
  })

  it.each([
    [180.5, '-179.5'],
    [-181, '179'],
    [360, '0'],
    [540, '-180'],
    [-540, '-180'],
    [725, '5'],
    [-725, '-5'],
  ])('longitude %f is %s within the bounds', (degrees, instead) => {
    expect(longitudeProblem(degrees)).toBe(
      `Bad longitude \`${degrees}\`. Longitude must be contained between -180 and 180 degrees. ` +
        `Hint: try using \`${instead}\` instead.`,
    )
    expect([-180, 0, 180].map(longitudeProblem)).toEqual([null, null, null])
  })
})

describe('a suggestion', () => {
  it.each([
    ['colour', ['color', 'size'], 'color'],
    ['siez', ['color', 'size'], 'size'],
    ['ab', ['abcd', 'abc', 'abd'], 'abc'],
    ['ac', ['ad', 'ab'], 'ad'],
    ['abc', ['abcde'], 'abcde'],
    ['abc', ['abcdef'], null],
    ['abcde', ['vwxyz', 'abxyz'], null],
    ['a', [], null],
  ])('for %s of %j is %s', (text, known, expected) => {
    expect(suggestion(text, known)).toBe(expected === null ? '' : ` Did you mean \`${expected}\`?`)
  })

  it('counts edits in both directions, and through any third text at least as many', () => {
    const word = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 6 })
    fc.assert(
      fc.property(word, word, word, (a, b, c) => {
        const edits = editDistance(a, b)
        expect(editDistance(b, a)).toBe(edits)
        expect(editDistance(a, a)).toBe(0)
        expect(edits).toBeLessThanOrEqual(editDistance(a, c) + editDistance(c, b))
        expect(edits).toBeGreaterThanOrEqual(Math.abs(a.length - b.length))
        expect(editDistance(`${a}x${b}`, a + b)).toBe(1)
        expect(editDistance(`${a}x${b}`, `${a}y${b}`)).toBe(1)
      }),
    )
  })
})

describe('rules of filterable attributes', () => {
  const rule = (name: string, facetSearch: boolean, equality: boolean, comparison: boolean) => ({
    attributePatterns: [name],
    features: { facetSearch, filter: { equality, comparison } },
  })
  const attributes: readonly FilterableAttribute[] = [
    'z',
    rule('y', false, true, false),
    rule('x', true, false, true),
    rule('w*', true, false, false),
    'wide',
    'z',
  ]
  const rules = compileRules(attributes)

  it('list the patterns of each use in byte order', () => {
    expect(rules.filterable).toEqual(['wide', 'x', 'y', 'z'])
    expect(rules.facetSearchable).toEqual(['w*', 'wide', 'x', 'z'])
    expect(attributes.map(patternsOf)).toEqual([['z'], ['y'], ['x'], ['w*'], ['wide'], ['z']])
  })

  it('decide by the first one that matches, also when they are asked again', () => {
    const asked = ['z', 'z.deep', 'y', 'x', 'wide', 'zz', 'z']
    const expected = [true, true, true, true, false, false, true]
    expect(asked.map((name) => isFilterable(rules, name))).toEqual(expected)
    expect(asked.map((name) => isFilterable(rules, name))).toEqual(expected)
    expect(rules.ruleOf('wide')?.index).toBe(3)
    expect(rules.ruleOf('zz')).toBeNull()
  })

  it.each([
    [['_geo'], true, false],
    [['_geojson'], false, true],
    [['*'], true, true],
    [['a', '_geo*'], false, false],
  ])('%j', (names, hasGeo, hasGeojson) => {
    expect(compileRules(names)).toMatchObject({ hasGeo, hasGeojson })
  })
})

it('opens a filter that was sent as bytes', () => {
  expect(openFilter(new TextEncoder().encode('["é = 1"]'))).toEqual(['é = 1'])
  expect(openFilter('["a = 1"]')).toBe('["a = 1"]')
})
