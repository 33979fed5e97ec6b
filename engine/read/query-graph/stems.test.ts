// Documents that share a stem with a query word: in which fields and languages, at which cost.
import { describe, expect, test } from 'vitest'
import type { SettingsPatch } from '../../settings/index.ts'
import { EVERYWHERE, scopeOf } from '../segment-text/index.ts'
import type { Term } from './term.ts'
import { type Document, SmallText } from './test-support.ts'

const stemmed = (locales: string[], patterns = ['*']): SettingsPatch => ({
  localizedAttributes: [{ attributePatterns: patterns, locales, stemming: true }],
})

function termOf(
  small: SmallText,
  query: string,
  { fields = null, locales = null }: { fields?: number[] | null; locales?: string[] | null } = {},
): Term {
  const scope = fields === null ? EVERYWHERE : scopeOf(fields)
  return small.graph(query, small.spaceOf(query, scope, locales))!.nodes[0]!.term
}

const found = (term: Term, mask: number, exactOnly = false): number[] => [
  ...term.docs(mask, exactOnly).toArray(),
]

const TEXTS = ['the cats run', 'a cat is running', 'runs', 'he ran', 'runt']
const DOCUMENTS: Document[] = TEXTS.map((t) => ({ t }))

describe.each([1, 2])('a word in %i segments', (segments) => {
  const small = new SmallText(DOCUMENTS, stemmed(['eng']), segments)

  test.each([
    ['running ', [1], [0, 1, 2]],
    ['run ', [0], [0, 1, 2]],
    ['RUNS ', [2], [0, 1, 2]],
    ['cats ', [0], [0, 1]],
    ['runn', [1], [1]],
    ['ran ', [3], [3]],
    ['run', [0, 1, 2, 4], [0, 1, 2, 4]],
  ])('%j is found as written in %j, by its stem in %j', (query, written, all) => {
    const term = termOf(small, query)
    expect(found(term, 0b001)).toEqual(written)
    expect(found(term, 0b011)).toEqual(all)
    const exact = query.trim().toLowerCase()
    expect(found(term, 0b111, true)).toEqual(
      TEXTS.flatMap((text, id) => (text.split(' ').includes(exact) ? [id] : [])),
    )
  })

  test.each(TEXTS.flatMap((text) => text.split(' ')))('every prefix of %s finds it', (word) => {
    for (let units = 1; units <= word.length; units++) {
      const ids = found(termOf(small, word.slice(0, units)), 0b001)
      TEXTS.forEach((text, id) => {
        if (text.split(' ').includes(word)) expect(ids).toContain(id)
      })
    }
  })
})

describe('stems', () => {
  const documents = [
    { t: 'running', u: 'x' },
    { t: 'x', u: 'running' },
    { t: 'x', u: 'run' },
    { t: 'run', u: 'x' },
  ]

  test('count only in the fields that have them', () => {
    const small = new SmallText(documents, stemmed(['eng'], ['t']))
    expect(found(termOf(small, 'runs '), 0b010)).toEqual([0, 3])
    expect(found(termOf(small, 'runs ', { fields: [1] }), 0b010)).toEqual([])
    expect(found(termOf(new SmallText(documents), 'runs '), 0b010)).toEqual([])
  })

  test('count only in the languages of the query', () => {
    const patch = { ...stemmed(['eng', 'deu']), typoTolerance: { enabled: false } }
    const small = new SmallText([{ t: 'Kinder' }, { t: 'running' }], patch)
    const ids = (query: string, locales: string[] | null): number[] =>
      found(termOf(small, query, { locales }), 0b010)
    expect(ids('Kindes ', null)).toEqual([0])
    expect(ids('Kindes ', ['deu'])).toEqual([0])
    expect(ids('Kindes ', ['eng'])).toEqual([])
    expect(ids('runs ', ['eng'])).toEqual([1])
  })

  test('count without typos too, and not for stop words', () => {
    const patch = { ...stemmed(['eng']), typoTolerance: { enabled: false }, stopWords: ['doing'] }
    const small = new SmallText([...DOCUMENTS, { t: 'doing' }], patch)
    expect(found(termOf(small, 'running '), 0b011)).toEqual([0, 1, 2])
    expect(found(termOf(small, 'does '), 0b011)).toEqual([])
  })
})

describe('synonyms', () => {
  const texts = ['red sofa', 'a lounge', 'couch', 'the big apple', 'run fast', 'sprint', 'dash off']
  const synonyms = {
    couch: ['sofa'],
    'living rooms': ['lounge'],
    'cities that never sleep': ['big apple'],
    running: ['sprint'],
    run: ['dash off'],
  }
  const at = (locales: string[], patterns = ['*']) =>
    new SmallText(
      texts.map((t) => ({ t })),
      { ...stemmed(locales, patterns), synonyms, prefixSearch: 'disabled' },
      1,
    )
  const foundBy = (small: SmallText, query: string, mask: number): number[] => {
    const { nodes } = small.graph(query, small.spaceOf(query))!
    const last = nodes.findLast((node) => node?.idFirst === 0)!
    return found(last.term, mask)
  }

  test.each([
    ['couch', [0, 2], [0, 2]],
    ['couches', [], [0, 2]],
    ['living rooms', [1], [1]],
    ['living room', [], [1]],
    ['lived room', [], [1]],
    ['city that never sleeps', [], [3]],
    ['cities that never slept', [], []],
    ['runs', [], [4, 5, 6]],
    ['run', [4, 6], [4, 5, 6]],
  ])('of %j are found as written in %j, by their stems in %j', (query, written, all) => {
    expect(foundBy(at(['eng']), query, 0b001)).toEqual(written)
    expect(foundBy(at(['eng']), query, 0b011)).toEqual(all)
  })

  test('are found by stems where these are on alone, in the language of the rule', () => {
    expect(foundBy(at(['eng'], ['u']), 'living room', 0b011)).toEqual([])
    expect(foundBy(at(['deu']), 'city that never sleeps', 0b011)).toEqual([])
  })
})
