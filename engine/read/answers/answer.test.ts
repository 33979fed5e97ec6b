// Answers that would be too large are refused as a whole, for each part that may be large.

import { beforeAll, describe, expect, it } from 'vitest'
import { MiB } from '../../../format/bytes/index.ts'
import type { JsonPieces, SearchRequest } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  openTestEngine,
  PLAIN_SEARCH,
  searchFor,
  type TestEngine,
} from '../../testing/test-engine.ts'
import { ANSWER_BYTES_MAX, SEARCH_BYTES_MAX } from '../jobs/limits.ts'
import { answerBuffer, hitsTookTooLong } from './answer.ts'

const DOCUMENTS = 100
const LONG = 'x'.repeat(MiB)

describe('an answer', () => {
  let engine: TestEngine
  beforeAll(async () => {
    engine = await openTestEngine(new FakeDisk().mount())
    const documents = Array.from({ length: DOCUMENTS }, (_, id) => ({ id, title: `word ${id}` }))
    await addDocuments(engine, 'books', documents, { primaryKey: 'id' })
    await engine.idle()
  })
  const search = (request: Partial<SearchRequest>) => searchFor(engine, 'books', request)

  const all = { q: 'word', limit: DOCUMENTS }
  const costly: readonly (readonly [string, Partial<SearchRequest>])[] = [
    ['tags', { ...all, attributesToHighlight: ['title'], highlightPreTag: LONG }],
    ['crop markers', { ...all, attributesToCrop: ['title'], cropLength: 1, cropMarker: LONG }],
  ]

  it.each(costly)(
    'that long %s make too large is refused, and a shorter one is not',
    async (_, params) => {
      await expect(search(params)).rejects.toMatchObject({
        code: 'answer_too_large',
        message: expect.stringContaining(`larger than ${SEARCH_BYTES_MAX} bytes`),
      })
      const { hits } = await search({ ...params, limit: 3 })
      expect(hits.length).toBe(3)
    },
  )

  it('to several searches together is refused when it is too large', async () => {
    const request = { ...PLAIN_SEARCH, ...costly[0]![1], limit: 5 }
    const ask = (count: number): Promise<JsonPieces> =>
      engine.queries.multiSearch(Array(count).fill({ indexUid: 'books', request }), {
        requestUid: '',
        queryUid: null,
        features: engine.administration.features,
        signal: new AbortController().signal,
      })
    expect(Buffer.concat(await ask(4)).length).toBeGreaterThan(20 * MiB)
    await expect(ask(Math.ceil(ANSWER_BYTES_MAX / (5 * MiB)))).rejects.toMatchObject({
      code: 'answer_too_large',
    })
  })
})

it('has a limit that the fault names', () => {
  const out = answerBuffer(4, 10)
  expect(() => out.ascii('01234567890')).toThrow('larger than 10 bytes')
})

it('has different faults for its own time limit and for waiting searches', () => {
  expect(hitsTookTooLong({ ms: 5, isPreempted: false }).code).toBe('answer_too_large')
  expect(hitsTookTooLong({ ms: 5, isPreempted: true }).code).toBe('too_many_search_requests')
})
