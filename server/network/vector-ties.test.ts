// Hits that are equally near to a vector come in one order from every instance, on every page.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Body, TestNetwork } from './test-network.ts'

const SHARDS = { s1: ['a', 'b'], s2: ['b', 'c'], s3: ['c', 'a'] }
const DOCUMENTS = 90
/** Few vectors, each of many documents. */
const VECTORS = [
  [1, 0],
  [0.8, 0.6],
  [0, 1],
]

let network: TestNetwork

const vectorAt = (id: number): number => id % VECTORS.length
/** The ids in an order that is not theirs, so that internal ids differ from it. */
const shuffled = Array.from({ length: DOCUMENTS }, (_, i) => (i * 37) % DOCUMENTS)
/** The nearest first, then by id. */
const expected = [...shuffled].sort((a, b) => vectorAt(a) - vectorAt(b) || a - b)

beforeAll(async () => {
  network = new TestNetwork()
  await network.form(['a', 'b', 'c'], SHARDS)
  const embedders = { own: { source: 'userProvided', dimensions: 2 } }
  await network.ask('a', 'PATCH', '/indexes/films/settings', { embedders })
  const films = shuffled.map((id) => {
    return { id, title: 'same', _vectors: { own: VECTORS[vectorAt(id)] } }
  })
  await network.ask('a', 'POST', '/indexes/films/documents', films)
  await network.settled()
}, 60_000)

afterAll(() => network.end())

const ids = ({ hits }: Body): readonly unknown[] => (hits as readonly Body[]).map(({ id }) => id)

test.each(['a', 'b', 'c'])(
  'pages of %s cut ties at the same places',
  async (name) => {
    for (const semanticRatio of [1, 0.9]) {
      const q = semanticRatio === 1 ? {} : { q: 'same' }
      const hybrid = { embedder: 'own', semanticRatio }
      const search = (page: Body): Promise<Body> =>
        network.ask(name, 'POST', '/indexes/films/search', {
          ...q,
          vector: [1, 0],
          hybrid,
          ...page,
        })
      const whole = ids(await search({ limit: DOCUMENTS }))
      expect([...whole].sort()).toEqual([...expected].sort())
      if (semanticRatio === 1) expect(whole).toEqual(expected)
      for (const [offset, limit] of [
        [0, 7],
        [7, 7],
        [25, 10],
        [33, 1],
        [58, 20],
      ] as const) {
        const found = ids(await search({ offset, limit }))
        expect(found, `${semanticRatio} ${offset}`).toEqual(whole.slice(offset, offset + limit))
      }
    }
  },
  60_000,
)
