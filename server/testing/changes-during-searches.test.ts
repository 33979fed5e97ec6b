// Searches while indexes are swapped, deleted, created and reconfigured: each answer is 200, or 404
// if the index is gone, and all hits of an answer come from one index at one moment.
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startServer, type TestServer } from './test-server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.stop())

const DOCUMENTS = 30
const ROUNDS = 25
const SEARCHERS = 4

type Hit = { readonly id: number; readonly of: string }
type Answer = { readonly hits: readonly Hit[]; readonly estimatedTotalHits: number }

const documentsOf = (of: string) =>
  Array.from({ length: DOCUMENTS }, (_, id) => ({ id, of, text: `word ${of}` }))

async function fill(uid: string, of = uid): Promise<void> {
  const { status } = await server.ask('POST', `/indexes/${uid}/documents`, documentsOf(of))
  expect(status).toBe(202)
}

/** Returns what is wrong with an answer, or null if it is right. */
function faultOf(status: number, body: unknown): string | null {
  if (status === 404) {
    const { code } = body as { readonly code: string }
    return code === 'index_not_found' ? null : `404 ${code}`
  }
  if (status !== 200) return `${status} ${JSON.stringify(body)}`
  const { hits, estimatedTotalHits: total } = body as Answer
  const sources = new Set(hits.map(({ of }) => of))
  if (sources.size > 1) return `hits of ${[...sources].join(' and ')} in one answer`
  if (hits.length !== 0 && hits.length !== DOCUMENTS) return `${hits.length} hits`
  return total === hits.length ? null : `a total of ${total} for ${hits.length} hits`
}

/** Makes the changes of one round; the number of the round makes runs repeatable. */
async function change(round: number): Promise<void> {
  const swap = [{ indexes: ['left', 'right'] }]
  await server.ask('POST', '/swap-indexes', swap)
  if (round % 3 === 0) {
    const rankingRules = round % 2 === 0 ? ['words', 'typo'] : null
    await server.ask('PATCH', '/indexes/left/settings', { rankingRules, stopWords: [`s${round}`] })
  }
  if (round % 4 === 0) {
    await server.ask('DELETE', '/indexes/comes-and-goes')
    await fill('comes-and-goes')
  }
  if (round % 5 === 0) {
    await server.ask('PATCH', '/indexes/moves', { uid: 'moved' })
    await server.ask('PATCH', '/indexes/moved', { uid: 'moves' })
  }
  await server.idle()
}

test('answers each search from one index at one moment', async () => {
  for (const uid of ['left', 'right', 'comes-and-goes', 'moves']) await fill(uid)
  await server.idle()
  let isOver = false
  const faults: string[] = []
  const answered = new Map<number, number>()
  const search = async (uid: string): Promise<void> => {
    const request = { q: 'word', limit: 2 * DOCUMENTS }
    const { status, body } = await server.ask('POST', `/indexes/${uid}/search`, request)
    answered.set(status, (answered.get(status) ?? 0) + 1)
    const fault = faultOf(status, body)
    if (fault !== null) faults.push(`${uid}: ${fault}`)
    const { hits = [] } = body as { readonly hits?: readonly Hit[] }
    const own = uid === 'left' || uid === 'right' ? ['left', 'right'] : [uid, 'moves']
    const strange = hits.find(({ of }) => !own.includes(of))
    if (strange !== undefined) faults.push(`${uid}: a hit of ${strange.of}`)
  }
  const pair = async (): Promise<void> => {
    const queries = ['left', 'right'].map((indexUid) => ({ indexUid, q: 'word' }))
    const { status, body } = await server.ask('POST', '/multi-search', { queries })
    const { results = [] } = body as { readonly results?: readonly Answer[] }
    const sources = results.map(({ hits }) => hits[0]?.of)
    // All searches of one request see the same moment, so both sources must occur once.
    if (status !== 200 || new Set(sources).size !== 2) faults.push(`${status} ${sources.join()}`)
  }
  const names = ['left', 'right', 'comes-and-goes', 'moves', 'moved']
  const searching = Array.from({ length: SEARCHERS }, async (_, n) => {
    for (let i = n; !isOver; i++) {
      await search(names[i % names.length]!)
      await pair()
    }
  })
  for (let round = 0; round < ROUNDS; round++) await change(round)
  isOver = true
  await Promise.all(searching)
  expect([...new Set(faults)]).toEqual([])
  expect(answered.get(200)).toBeGreaterThan(0)
  expect(answered.get(404)).toBeGreaterThan(0)
}, 120_000)
