// Texts that share more first bytes than a column stores: different values in filters, facets, sorts
// and distinct, also in lists, after merges and from other segments.
import { expect, test } from 'vitest'
import { FakeDisk } from '../store/storage/index.ts'
import { addDocuments, changeSettings, enqueue, openTestEngine, searchFor } from './test-engine.ts'

const HEAD = 'long '.repeat(120)
const [A, B] = [`${HEAD}a`, `${HEAD}b`]
const C = 'é'.repeat(600)

test('long texts are different values if they differ', async () => {
  const engine = await openTestEngine(new FakeDisk().mount())
  const patch = { filterableAttributes: ['v'], sortableAttributes: ['v'] }
  await changeSettings(engine, 'i', patch)
  await addDocuments(engine, 'i', [
    { id: 1, v: A },
    { id: 2, v: B },
    { id: 3, v: C },
    { id: 4, v: 'short' },
  ])
  await engine.idle()
  await addDocuments(engine, 'i', [
    { id: 5, v: [B.toUpperCase(), A] },
    { id: 6, v: C.normalize('NFD') },
  ])
  await engine.idle()
  const found = async (request: object): Promise<number[]> => {
    const { hits } = await searchFor(engine, 'i', request)
    return hits.map(({ id }: { readonly id: number }) => id).sort((a: number, b: number) => a - b)
  }
  const expectDifferent = async (): Promise<void> => {
    expect(await found({ filter: `v = "${A}"` })).toEqual([1, 5])
    expect(await found({ filter: `v IN ["${B}", short]` })).toEqual([2, 4, 5])
    expect(await found({ filter: `v != "${A}"` })).toEqual([2, 3, 4, 6])
    expect(await found({ filter: `v = "${C.toUpperCase()}"` })).toEqual([3, 6])
    expect(await found({ filter: `v = "${HEAD}"` })).toEqual([])
    expect(await found({ filter: `v STARTS WITH "${HEAD}"` })).toEqual([1, 2, 5])
    expect(await found({ filter: `v >= "${A}" AND v <= "${A}"` })).toEqual([1, 5])
    expect(await found({ filter: `v = "${A}"`, distinct: 'v' })).toHaveLength(1)
    expect(await found({ filter: 'v EXISTS', sort: ['v:asc'] })).toHaveLength(6)
    const { facetDistribution } = await searchFor(engine, 'i', { facets: ['v'] })
    expect(facetDistribution.v).toEqual({ [A]: 2, [B]: 2, [C]: 2, short: 1 })
  }
  await expectDifferent()
  await engine.allMerged()
  await expectDifferent()
  await enqueue(engine, 'i', { kind: 'documentDeletion', by: 'filter', filter: `v = "${B}"` })
  await engine.idle()
  expect(await found({})).toEqual([1, 3, 4, 6])
  await engine.close()
}, 60_000)
