// Any split of documents over parts merges to what one part says: with parts as they are and as
// bytes, then with indexes and whole searches. Bytes that are changed are refused or are an answer.
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compareText } from '../../../format/bytes/index.ts'
import { CorruptionError, VersionError } from '../../../format/errors.ts'
import { JsonBuffer } from '../../../format/json/index.ts'
import type { Federation } from '../../model/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import { addDocuments, enqueue, openTestEngine, PLAIN_SEARCH } from '../../testing/test-engine.ts'
import { writeHits } from './answer.ts'
import { facetsByPart, merge } from './merge.ts'
import { FacetOrders, mergedFacets } from './merge-facets.ts'
import { mergeKey } from './merge-order.ts'
import type { PartialAnswer } from './partial-answer.ts'
import { decodePartial, encodePartial } from './partial-json.ts'
import { ReceivedAnswer } from './received-answer.ts'

type Doc = { readonly id: number; readonly rank: number; readonly value: string | null }

const docs = fc
  .array(fc.record({ value: fc.constantFrom(null, 'a', 'b', '1', '__proto__') }), { maxLength: 30 })
  // No two are equally good: then the order is the same however they are split.
  .map((list) => list.map(({ value }, id): Doc => ({ id, rank: 100 - id, value })))

/** The part that a split of documents gives: best first, one of each value if `distinct`. */
function partOf(all: readonly Doc[], distinct: boolean): PartialAnswer {
  const seen = new Set<string>()
  const shown = all.filter(({ value }) => {
    if (!distinct || value === null) return true
    return !seen.has(value) && seen.add(value)
  })
  const counts = new Map<string, number>()
  for (const { value } of all) if (value !== null) counts.set(value, (counts.get(value) ?? 0) + 1)
  const heads = shown.map(({ id, rank, value }) => ({
    key: mergeKey([{ kind: 'words', rank, max: 100 }], 1, 0),
    document: id,
    pin: null,
    distinct: distinct && value !== null ? [value] : [],
    bytes: 0,
  }))
  const sorted = [...counts].sort(([a], [b]) => compareText(a, b))
  const distribution = new Map(counts.size === 0 ? [] : [['value', new Map(sorted)]])
  return new ReceivedAnswer(
    {
      indexUid: 'i',
      total: shown.length,
      degraded: false,
      hits: heads,
      pinned: [],
      facets: { distribution, stats: new Map() },
    },
    shown.map((doc) => Buffer.from(JSON.stringify(doc))),
  )
}

function shownBy(parts: readonly PartialAnswer[], offset: number, limit: number): object {
  const answer = merge(parts, { offset, limit, finite: false })
  const out = new JsonBuffer(64)
  writeHits(answer, out, () => undefined)
  const facets = facetsByPart(answer).map((one) => one.facets)
  const { distribution } = mergedFacets(facets, new FacetOrders(), null)
  const counts = [...distribution].map(([field, values]) => [field, [...values]])
  return { hits: JSON.parse(Buffer.from(out.view()).toString()), total: answer.total, counts }
}

test('any split over parts merges to what one part says, as bytes as well', () => {
  const split = fc.array(fc.nat(4), { minLength: 30, maxLength: 30 })
  fc.assert(
    fc.property(docs, split, fc.boolean(), fc.nat(8), fc.nat(8), (all, by, distinct, from, n) => {
      const parts = [0, 1, 2, 3, 4].map((part) =>
        partOf(
          all.filter(({ id }) => by[id] === part),
          distinct,
        ),
      )
      const expected = shownBy([partOf(all, distinct)], from, n)
      expect(shownBy(parts, from, n)).toEqual(expected)
      const sent = parts.map((part) => decodePartial(encodePartial(part)))
      expect(shownBy(sent, from, n)).toEqual(expected)
    }),
  )
})

test('a received part has one encoding, and its hits keep their bytes', () => {
  const part = partOf([{ id: 1, rank: 3, value: 'x' }], true)
  const hit = '{"n":12345678901234567890,"2":1,"1":1.0}'
  const head = Buffer.from(encodePartial(part)).toString().split('\n')[0]!
  const length = JSON.stringify({ id: 1, rank: 3, value: 'x' }).length
  const text = `${head.replace(`"bytes":${length}`, `"bytes":${hit.length}`)}\n${hit}`
  expect(Buffer.from(encodePartial(decodePartial(Buffer.from(text)))).toString()).toBe(text)
})

test('changed and cut bytes are refused, or are a part that can be encoded', () => {
  const all = [1, 2, 3].map((id): Doc => ({ id, rank: 9 - id, value: 'v' }))
  const bytes = encodePartial(partOf(all, false))
  const tryIt = (changed: Uint8Array): void => {
    try {
      encodePartial(decodePartial(changed))
    } catch (error) {
      if (!(error instanceof CorruptionError || error instanceof VersionError)) throw error
    }
  }
  for (let end = 0; end < bytes.length; end++) {
    expect(() => decodePartial(bytes.subarray(0, end))).toThrow(CorruptionError)
  }
  for (let bit = 0; bit < bytes.length * 8; bit++) {
    const changed = Uint8Array.from(bytes)
    changed[bit >> 3]! ^= 1 << (bit & 7)
    tryIt(changed)
  }
  const newer = Buffer.from(bytes).toString().replace('"version":1', '"version":2')
  expect(() => decodePartial(Buffer.from(newer))).toThrow(VersionError)
})

test('documents split over indexes give the answer of one index', async () => {
  const engine = await openTestEngine(new FakeDisk().mount())
  const patch = { filterableAttributes: ['kind', 'size'], sortableAttributes: ['size'] }
  const titles = ['salt road', 'salt', 'iron salt', 'road', 'salt irn']
  const all = Array.from({ length: 40 }, (_, id) => ({
    id,
    title: titles[id % 5],
    kind: `k${id % 7}`,
    size: id,
  }))
  for (const uid of ['one', 'p0', 'p1', 'p2']) {
    const settings = { kind: 'settingsUpdate', patch, isDeletion: false } as const
    await enqueue(engine, uid, { ...settings, allowIndexCreation: true })
    const own = all.filter(({ id }) => uid === 'one' || `p${(id * id) % 3}` === uid)
    if (own.length > 0) await addDocuments(engine, uid, own, { primaryKey: 'id' })
  }
  await engine.idle()
  const { signal } = new AbortController()
  const context = { requestUid: 'r', queryUid: null, features: engine.features, signal }
  const ask = async (uids: readonly string[], distinct: string | null, q: string) => {
    const request = { ...PLAIN_SEARCH, q, sort: ['size:desc'] }
    const federation: Federation = {
      offset: 3,
      limit: 12,
      page: null,
      hitsPerPage: null,
      distinct,
      facetsByIndex: Object.fromEntries(uids.map((uid) => [uid, ['kind', 'size']])),
      mergeFacets: { maxValuesPerFacet: null },
      showPerformanceDetails: false,
    }
    const searches = uids.map((indexUid) => ({ indexUid, request, weight: 1, queryPosition: 0 }))
    const bytes = await engine.federatedSearch(searches, federation, context)
    const answer = JSON.parse(Buffer.from(bytes).toString())
    const ids = answer.hits.map(({ id }: { id: number }) => id)
    const { estimatedTotalHits: total, facetDistribution, facetStats } = answer
    return { ids, total, facetDistribution, facetStats }
  }
  for (const q of ['salt', 'salt road', '', 'irn']) {
    expect(await ask(['p0', 'p1', 'p2'], null, q)).toEqual(await ask(['one'], null, q))
    const [several, one] = [await ask(['p0', 'p1', 'p2'], 'kind', q), await ask(['one'], 'kind', q)]
    expect(several.ids).toEqual(one.ids)
  }
})
