// The moment of boosts: which searches get one, and which keep theirs.
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  DEFAULT_SEARCH,
  type Engine,
  type IndexSearch,
  wholeSecond,
} from '../../../engine/index.ts'
import { asIndexUid } from '../../../format/ids.ts'
import { atOneMoment } from './moments.ts'

const NOW = 1_700_000_123_456

beforeEach(() => {
  vi.useFakeTimers({ now: NOW })
})
afterEach(() => {
  vi.useRealTimers()
})

test('searches get the moment if their boosts, or those of their index, need it', () => {
  const engine = {
    queries: {
      boosts: (uid: string) => (uid === 'news' ? [{ origin: 5 }, { origin: 'now' }] : []),
    },
  }
  const search = (indexUid: string, request: object = {}): IndexSearch =>
    ({ indexUid: asIndexUid(indexUid), request: { ...DEFAULT_SEARCH, ...request } }) as IndexSearch
  const searches = [
    search('news'),
    search('films'),
    search('news', { boosts: [{ origin: 5 }] }),
    search('films', { boosts: [{ origin: 'now' }] }),
    search('news', { boostsNow: 7 }),
  ]
  const found = atOneMoment(engine as unknown as Engine, searches)
  const moment = wholeSecond(NOW)
  expect(found.map(({ request }) => request.boostsNow)).toEqual([moment, null, null, moment, 7])
  expect(found[0]).toEqual({
    ...searches[0],
    request: { ...searches[0]!.request, boostsNow: moment },
  })
})
