// An explained search agrees with the results of the search.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asIndexUid } from '../../format/ids.ts'
import { type MadeDatabase, makeDatabase } from '../test-support.ts'
import { explain, explainText } from './index.ts'

let made: MadeDatabase
beforeAll(async () => {
  made = await makeDatabase()
})
afterAll(() => made.remove())

const run = (query: string, search = '{}', index = 'films') =>
  explain(made.path, { index: asIndexUid(index), query, search })

describe('an explained search', () => {
  it('names the nodes of the graph and their meaning', () => {
    const explained = run('quiet harbor')
    expect(explained.documents).toBe(made.films)
    expect(explained.start).toEqual([0, 2])
    expect(explained.nodes.map(({ kind, text }) => [kind, text])).toEqual([
      ['word', 'quiet'],
      ['word', 'harbor'],
      ['ngram', 'quietharbor'],
    ])
    const [quiet, harbor] = explained.nodes
    expect(quiet!.exact).toBe(quiet!.documents)
    expect(harbor!.exact).toBeNull()
    expect(harbor!.oneTypo!.words.map(({ word }) => word)).toContain('harbour')
    expect(explainText(explained)).toMatch(/one typo, \d+ words?: .*harbour \d+/)
  })

  it('omits the work that the search omitted', () => {
    const { nodes } = run('quiet', '{"limit": 1}')
    expect(nodes[0]!.twoTypos).toBeNull()
  })

  it('shows the buckets of each rule, which add up', () => {
    const explained = run('quiet star', '{"limit": 1000}')
    expect(explained.rules.map(({ rule }) => rule).slice(0, 3)).toEqual([
      'words',
      'typo',
      'proximity',
    ])
    const [words] = explained.openings
    const sizes = words!.buckets.map(({ documents }) => documents)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(explained.found)
    expect(words!.documents).toBe(explained.found)
    expect(explained.hits.length).toBe(Math.min(explained.found, 1000))
    const stages = explained.stages.map(({ stage }) => stage)
    expect(stages).toEqual(['open', 'filter', 'query', 'rank', 'facets', 'format hits'])
  })

  it('accepts the parameters of a search', () => {
    const search = '{"filter": "year > 2000", "showRankingScore": true, "facets": ["genres"]}'
    const explained = run('star -sea "quiet night"', search)
    expect(explained.filtered).toBeLessThan(explained.documents)
    expect(explained.negative).toEqual(['sea'])
    expect(explained.nodes.map(({ kind }) => kind)).toContain('phrase')
    for (const { score } of explained.hits) expect(score).toBeGreaterThan(0)
    const either = run('quiet OR harbour', '{"querySyntax": "boolean", "limit": 1000}')
    const each = ['quiet', 'harbour'].map((word) => run(word, '{"limit": 1000}').found)
    expect(either.found).toBeGreaterThanOrEqual(Math.max(...each))
    expect(either.found).toBeLessThanOrEqual(each[0]! + each[1]!)
    expect(run('"quiet" AND NOT quiet', '{"querySyntax": "boolean"}').found).toBe(0)
    const fused = (fusion: string) => `{"hybrid": {"embedder": "e", "fusion": "${fusion}"}}`
    expect(() => run('quiet', fused('rrf'))).toThrow('Cannot find embedder with name `e`')
    expect(() => run('quiet', fused('none'))).toThrow(/^--search: .*fusion/)
    const placeholder = run('', '{"sort": ["year:desc"]}')
    expect(placeholder.rules.map(({ rule }) => rule)).toEqual(['sort'])
    expect(explainText(placeholder)).toContain('no words')
  })

  it('is refused in one line', () => {
    expect(() => run('a', '{}', 'nothing')).toThrow('there is no index `nothing`: the database has')
    expect(() => run('a', '[]')).toThrow('--search must be a JSON object')
    expect(() => run('a', '{')).toThrow('--search: ')
    expect(() => run('a', '{"limit": -1}')).toThrow('--search: ')
    expect(() => run('a', '{"filter": "nope = 1"}')).toThrow(/`nope` is not filterable.*·/)
  })
})
