// Pages of documents, and lists of similar ones, of several instances as one.
import { describe, expect, it } from 'vitest'
import { Canceled, type DocumentsMerge, type SimilarMerge } from '../../model/index.ts'
import { runDocumentsMerge } from './merge-documents.ts'

const never = (): boolean => false
const bytes = (json: unknown): Uint8Array =>
  Buffer.from(typeof json === 'string' ? json : JSON.stringify(json))

type Request = Partial<Omit<DocumentsMerge, 'answers'>>
const merged = (answers: readonly unknown[], request: Request = {}): string => {
  const page = { offset: 0, limit: 10 }
  const asked = { answers: answers.map(bytes), page, remoteErrors: {}, ...request }
  return Buffer.from(runDocumentsMerge(asked as DocumentsMerge, never)).toString()
}
const shown = (...asked: Parameters<typeof merged>) => JSON.parse(merged(...asked))

const sorted = (id: unknown, ...values: readonly object[]) => ({
  id,
  _federation: { weightedScoreValues: values },
})
const asc = (value: unknown) => ({ sort: { asc: true, value } })
const desc = (value: unknown) => ({ sort: { asc: false, value } })
const near = (distance: unknown) => ({ geoSort: { asc: true, distance } })

describe('a page of documents', () => {
  const first = { results: [{ id: 1 }, { id: 2 }], total: 5 }
  const second = { total: 3, results: [{ id: 3 }] }

  it('has those of the first instance first, and the sum of the totals', () => {
    expect(merged([first, second])).toBe(
      '{"results":[{"id":1},{"id":2},{"id":3}],"offset":0,"limit":10,"total":8}',
    )
    expect(merged([{ results: [], total: 0 }])).toBe(
      '{"results":[],"offset":0,"limit":10,"total":0}',
    )
  })

  it.each([
    [0, 2, [1, 2]],
    [1, 2, [2, 3]],
    [2, 5, [3]],
    [3, 5, []],
    [0, 0, []],
  ])('from %i, of at most %i, has the documents %j', (offset, limit, ids) => {
    const page = shown([first, second], { page: { offset, limit } })
    expect(page.results.map(({ id }: { id: number }) => id)).toEqual(ids)
    expect([page.offset, page.limit, page.total]).toEqual([offset, limit, 8])
  })

  it('names the instances that failed', () => {
    const remoteErrors = { b: { code: 'remote_timeout' } }
    expect(shown([first], { remoteErrors }).remoteErrors).toEqual(remoteErrors)
  })

  it.each([
    ['ascending', [asc(1), asc(3)], [asc(2)], [1, 3, 2]],
    ['descending', [desc(3), desc(1)], [desc(2)], [1, 3, 2]],
    ['texts', [asc('a'), asc('c')], [asc('b')], [1, 3, 2]],
    ['equal values', [asc(1), asc(2)], [asc(1)], [1, 3, 2]],
    ['values that lack', [asc(1), asc(null)], [asc(5)], [1, 3, 2]],
    ['distances', [near(10), near(30)], [near(20)], [1, 3, 2]],
    [
      'whole numbers that no double equals',
      [asc({ whole: '9007199254740993' }), asc({ whole: '9007199254740997' })],
      [asc({ whole: '9007199254740995' })],
      [1, 3, 2],
    ],
    [
      'scores',
      [{ weightedScore: 0.9 }, { weightedScore: 0.1 }],
      [{ weightedScore: 0.5 }],
      [1, 3, 2],
    ],
  ])('is in the order of the sort: %s', (_, [a, b], [c], ids) => {
    const answers = [
      { results: [sorted(1, a!), sorted(2, b!)], total: 2 },
      { results: [sorted(3, c!)], total: 1 },
    ]
    expect(shown(answers).results).toEqual(ids.map((id) => ({ id })))
  })

  it.each([
    ['{"_federation":{"weightedScoreValues":[]},"id":1}', '{"id":1}'],
    ['{"_federation":{"weightedScoreValues":[]} , "id" : 1}', '{ "id" : 1}'],
    ['{"id":1,"_federation":{"weightedScoreValues":[]}}', '{"id":1}'],
    ['{"id":1,"_federation":{"weightedScoreValues":[]},"b":2}', '{"id":1,"b":2}'],
    ['{"_federation":{"weightedScoreValues":[]}}', '{}'],
    ['{"id":1.0,"x":"_federation"}', '{"id":1.0,"x":"_federation"}'],
  ])('shows %s as %s', (sent, document) => {
    const page = merged([` { "results" : [ ${sent} , {"id":2} ] , "total" : 2 } `])
    expect(page.slice(0, page.indexOf(',"offset"'))).toBe(`{"results":[${document},{"id":2}]`)
  })

  it.each([
    ['{"results":[],"total":0', 'JSON'],
    ['[]', 'an object'],
    [{ results: [] }, 'results and total'],
    [{ total: 1 }, 'results and total'],
    [{ results: {}, total: 1 }, 'a list'],
    [{ results: [1], total: 1 }, 'a document'],
    [{ results: [], total: -1 }, 'a count'],
    [{ results: [], total: 0.5 }, 'a count'],
    [{ results: [], total: '1' }, 'a count'],
    [{ results: [], total: 1, above: -1 }, 'a count'],
    [{ results: [{ _federation: null }], total: 1 }, 'score values'],
    [{ results: [{ _federation: {} }], total: 1 }, 'score values'],
    [{ results: [sorted(1, { sort: { value: 1 } })], total: 1 }, 'a sort value'],
    [{ results: [sorted(1, asc(true))], total: 1 }, 'a sort value'],
    [{ results: [sorted(1, asc({ whole: 'x' }))], total: 1 }, 'a sort value'],
    [{ results: [sorted(1, null as never)], total: 1 }, 'a sort value'],
  ])('refuses %j, and says which answer it is', (answer, expected) => {
    expect(() => merged([first, answer])).toThrow(
      expect.objectContaining({
        code: 'remote_bad_response',
        message: expect.stringContaining(expected),
        detail: { kind: 'answer', at: 1, lacksScores: false },
      }),
    )
  })

  it('ends when the client has gone', () => {
    const page = { offset: 0, limit: 10 }
    const request = { answers: [bytes(first)], page, remoteErrors: {} }
    expect(() => runDocumentsMerge(request as DocumentsMerge, () => true)).toThrow(Canceled)
  })
})

describe('a list of similar documents', () => {
  const similar: SimilarMerge = {
    id: '7',
    sentAt: Date.now() + 1e9,
    totalMax: 1000,
    examinedMax: null,
    showPerformanceDetails: false,
  }
  const hit = (id: number, weightedScore: number, externalId: string) => ({
    id,
    _federation: { weightedScoreValues: [{ weightedScore }], externalId },
  })

  it('breaks ties by external id, and has its own members', () => {
    const answers = [
      { results: [hit(10, 0.5, '10'), hit(1, 0.4, '1')], total: 2 },
      { results: [hit(9, 0.5, '9')], total: 4 },
    ]
    expect(merged(answers, { similar, page: { offset: 0, limit: 2 } })).toBe(
      '{"hits":[{"id":9},{"id":10}],"id":"7","processingTimeMs":0,"limit":2,"offset":0,' +
        '"estimatedTotalHits":6}',
    )
  })

  it('has performance details and errors if they are to be shown', () => {
    const detailed = { ...similar, showPerformanceDetails: true, sentAt: Date.now() - 5000 }
    const answer = shown([], { similar: detailed, remoteErrors: { b: 1 } })
    expect(answer).toMatchObject({ performanceDetails: {}, remoteErrors: { b: 1 } })
    expect(answer.processingTimeMs).toBeGreaterThanOrEqual(5000)
  })

  const counts = (above: number, isCut: boolean, total = 50) => ({
    results: [],
    total,
    above,
    isCut,
  })
  it.each([
    ['all without a threshold', { examinedMax: null }, [counts(2, true)], 50],
    ['at most as many as are shown', { totalMax: 60 }, [counts(2, true), counts(1, true)], 60],
    ['those above a threshold', { examinedMax: 6 }, [counts(2, true), counts(3, false)], 5],
    ['all if enough were above', { examinedMax: 5 }, [counts(2, true), counts(3, false)], 100],
    ['all if none was below', { examinedMax: 9 }, [counts(2, false), counts(3, false)], 100],
    ['all of an instance that does not tell', { examinedMax: 9 }, [{ results: [], total: 4 }], 4],
  ])('counts %s', (_, more, answers, total) => {
    const merge = { ...similar, ...more }
    expect(shown(answers, { similar: merge }).estimatedTotalHits).toBe(total)
  })
})
