// Attributes that share a rank: searches answer as if they were the fields of one object that has
// the rank. Changes, restrictions, dumps and their import keep the form of the setting.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { asIndexUid } from '../../format/ids.ts'
import type { SearchRequest } from '../model/index.ts'
import { FakeDisk, randomOf } from '../store/storage/index.ts'
import { dumpOf, dumpsOn, openFromDump } from './test-dump.ts'
import { addDocuments, enqueue, openTestEngine, searchFor, type TestEngine } from './test-engine.ts'

const WORDS = 'river ravine stone store lantern light night fall summer winter'.split(' ')
const RANKS = ['title', ['o.tags', 'o.brand'], 'rest']
const dumps = new FakeDisk()
let engine: TestEngine

async function change(uid: string, patch: object): Promise<void> {
  const content = { patch, isDeletion: false, allowIndexCreation: true } as never
  await enqueue(engine, uid, { kind: 'settingsUpdate', ...(content as object) } as never)
  await engine.idle()
}
const ranksOf = (of: TestEngine, uid: string): unknown =>
  of.documents.settings(asIndexUid(uid))['searchableAttributes']

beforeAll(async () => {
  engine = await openTestEngine(new FakeDisk().mount(), { dumps: dumpsOn(dumps) })
  const random = randomOf(7)
  const some = (most: number): string =>
    Array.from({ length: random.below(most + 1) }, () => WORDS[random.below(WORDS.length)]).join(
      ' ',
    )
  const documents = Array.from({ length: 200 }, (_, id) => ({
    id,
    rest: some(5),
    o: { brand: some(2), tags: [some(1), some(2)] },
    title: some(3),
  }))
  await change('one', { searchableAttributes: ['title', 'o', 'rest'] })
  await change('shared', { searchableAttributes: RANKS })
  await change('apart', { searchableAttributes: RANKS.flat() })
  for (const uid of ['one', 'shared', 'apart']) await addDocuments(engine, uid, documents)
  await engine.idle()
})
afterAll(() => engine.close())

const answerOf = async (uid: string, request: Partial<SearchRequest>): Promise<unknown> =>
  (await searchFor(engine, uid, { ...request, showRankingScoreDetails: true })).hits

describe('searches', () => {
  it.each([
    [['words', 'attribute']],
    [['words', 'typo', 'proximity', 'attributeRank', 'wordPosition', 'exactness']],
    [['attributeRank']],
    [['words', 'bm25']],
  ])('rank as over one object, by %j', async (rankingRules) => {
    for (const uid of ['one', 'shared', 'apart']) await change(uid, { rankingRules })
    let different = 0
    for (const q of [
      'river',
      'sto',
      'light night',
      'ravine lantrn "fall"',
      'store -stone winter',
    ]) {
      for (const matchingStrategy of ['last', 'all', 'frequency', 'any'] as const) {
        const found = await answerOf('shared', { q, matchingStrategy })
        expect(found).toEqual(await answerOf('one', { q, matchingStrategy }))
        const apart = await answerOf('apart', { q, matchingStrategy })
        if (JSON.stringify(found) !== JSON.stringify(apart)) different++
      }
    }
    if (rankingRules[1] !== 'bm25') expect(different).toBeGreaterThan(5)
  })

  it('are restricted to attributes of a shared rank by their names', async () => {
    for (const names of [['o.tags'], ['o.brand', 'title'], ['o.*']]) {
      const request = { q: 'river stone', attributesToSearchOn: names }
      expect(await answerOf('shared', request)).toEqual(await answerOf('one', request))
    }
    await expect(answerOf('shared', { q: 'x', attributesToSearchOn: ['id'] })).rejects.toThrow(
      'Attribute `id` is not searchable',
    )
  })
})

describe('the setting', () => {
  it('is shown as it was sent, each name where it comes first; a star means all', async () => {
    expect(ranksOf(engine, 'shared')).toEqual(RANKS)
    for (const [sent, shown] of [
      [
        [['a', 'b'], 'a', ['b', 'c']],
        [['a', 'b'], ['c']],
      ],
      [['a', ['b', '*']], ['*']],
      [[['a'], 'a'], [['a']]],
    ]) {
      await change('form', { searchableAttributes: sent })
      expect(ranksOf(engine, 'form')).toEqual(shown)
    }
  })

  it('comes back from a dump', async () => {
    const uid = await dumpOf(engine)
    const back = await openFromDump(dumps.mount(), uid)
    expect(ranksOf(back, 'shared')).toEqual(RANKS)
    const { hits } = await searchFor(back, 'shared', { q: 'river', showRankingScoreDetails: true })
    expect(hits).toEqual(await answerOf('shared', { q: 'river' }))
    await back.close()
  })
})
