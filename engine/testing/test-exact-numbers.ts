// For tests: five thousand whole numbers beyond 2^53 that doubles do not tell apart, and what every
// operator, order, facet and `distinct` must find among them, computed with BigInt.
import { expect } from 'vitest'
import { asIndexUid } from '../../format/ids.ts'
import type { SearchRequest } from '../model/index.ts'
import { randomOf } from '../store/storage/index.ts'
import { enqueue, PLAIN_SEARCH, type TestEngine } from './test-engine.ts'

export const COUNT = 5_000
/** Bounds that each operator is tried with. */
const ROUNDS = 4
export const BASE = 712_345_678_901_230_000n
const NOW = { requestUid: 'r', queryUid: null }

/** By id: the owner, and the numbers of a list in an object. */
export type Model = Map<bigint, { readonly owner: bigint; readonly list: readonly bigint[] }>

const lineOf = ([id, { owner, list }]: readonly [
  bigint,
  { owner: bigint; list: readonly bigint[] },
]) => `{"id":${id},"owner":${owner},"in":{"list":[${list.join()}]},"text":"event"}\n`

async function add(
  engine: TestEngine,
  lines: Iterable<string>,
  method: 'replace' | 'update' = 'replace',
): Promise<void> {
  const receiver = engine.documents.receive({ kind: 'ndjson' })
  for (const line of lines) await receiver.write(Buffer.from(line))
  await engine.documents.enqueueDocuments(asIndexUid('events'), await receiver.finish(), {
    method,
    primaryKey: 'id',
    skipCreation: false,
    allowIndexCreation: true,
    customMetadata: null,
  })
  await engine.idle()
}

async function answer(engine: TestEngine, request: Partial<SearchRequest>): Promise<string> {
  const { features } = engine.administration
  const signal = new AbortController().signal
  const plain = { ...PLAIN_SEARCH, ...ASKED, ...request }
  const bytes = await engine.queries.search(asIndexUid('events'), plain, {
    ...NOW,
    features,
    signal,
  })
  return Buffer.from(bytes).toString()
}

const idsIn = (text: string): bigint[] =>
  [...text.matchAll(/"id":(-?\d+)/g)].map(([, id]) => BigInt(id!))
/** Sends a search and returns the answer as text: parsing would round. */
export type Ask = (request: Partial<SearchRequest>) => Promise<string>

/** Members of every search. */
export const ASKED = { limit: COUNT, attributesToRetrieve: ['id'] }

export const askOf =
  (engine: TestEngine): Ask =>
  (request) =>
    answer(engine, request)

export const found = async (ask: Ask, filter: string): Promise<bigint[]> =>
  idsIn(await ask({ filter }))

const byValue = (a: bigint, b: bigint): number => (a < b ? -1 : Number(a > b))

/** The settings of the index. A cutoff would leave the rest unsorted on a busy machine. */
export const SETTINGS = {
  filterableAttributes: ['*'],
  sortableAttributes: ['*'],
  searchCutoffMs: 600_000,
  pagination: { maxTotalHits: COUNT },
}

/** Documents as lines to add one after another, and what is there afterwards. */
export function eventLines() {
  const random = randomOf(7)
  const model: Model = new Map()
  for (let i = 0; i < COUNT; i++) {
    const owner = BASE + BigInt(random.below(COUNT))
    const list = [2n ** 53n + BigInt(random.below(9)), -(2n ** 63n) + BigInt(random.below(9)), 5n]
    model.set(BASE + BigInt(i), { owner, list })
  }
  const all = [...model]
  const changed = all.filter((_, i) => i % 10 === 3)
  for (const [id, { list }] of changed) model.set(id, { owner: id + 1n, list })
  const updates = changed.map(([id]) => `{"id":${id},"owner":${id + 1n}}\n`)
  const halves = [all.slice(0, COUNT / 2).map(lineOf), all.slice(COUNT / 2).map(lineOf)]
  return { model, halves, updates }
}

/** Fills the index `events` of an engine. */
export async function fillEvents(engine: TestEngine): Promise<Model> {
  await enqueue(engine, 'events', {
    kind: 'settingsUpdate',
    patch: SETTINGS,
    isDeletion: false,
    allowIndexCreation: true,
  })
  const { model, halves, updates } = eventLines()
  for (const half of halves) await add(engine, half)
  await add(engine, updates, 'update')
  return model
}

const COMPARED: { readonly [operator: string]: (a: bigint, b: bigint) => boolean } = {
  '=': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
}

export async function expectExact(ask: Ask, model: Model): Promise<void> {
  const random = randomOf(11)
  const all = [...model]
  const where = (test: (owner: bigint) => boolean): bigint[] =>
    all.flatMap(([id, { owner }]) => (test(owner) ? [id] : [])).sort(byValue)
  /** As text, which compares faster than thousands of values. */
  const expectIds = async (filter: string, expected: readonly bigint[]): Promise<void> => {
    const ids = (await found(ask, filter)).sort(byValue)
    expect(ids.join() === expected.join(), `${filter}: ${ids.length}, ${expected.length}`).toBe(
      true,
    )
  }
  for (let i = 0; i < ROUNDS; i++) {
    const bound = BASE + BigInt(random.below(COUNT))
    for (const [operator, test] of Object.entries(COMPARED)) {
      await expectIds(
        `owner ${operator} ${bound}`,
        where((owner) => test(owner, bound)),
      )
    }
    const high = bound + BigInt(random.below(40))
    const inside = where((owner) => owner >= bound && owner <= high)
    await expectIds(`owner ${bound} TO ${high}`, inside)
    const some = Array.from({ length: 12 }, () => BASE + BigInt(random.below(COUNT)))
    const listed = where((owner) => some.includes(owner))
    await expectIds(`owner IN [${some.join()}]`, listed)
    await expectIds(`id = ${bound}`, [bound])
  }
  await expectSorted(ask, all)
  await expectFacets(ask, all)
}

async function expectSorted(ask: Ask, all: readonly (readonly [bigint, { owner: bigint }])[]) {
  for (const [direction, sign] of [
    ['asc', 1],
    ['desc', -1],
  ] as const) {
    const ids = idsIn(await ask({ sort: [`owner:${direction}`, `id:${direction}`] }))
    const expected = [...all].sort(
      ([a, { owner: x }], [b, { owner: y }]) => sign * (byValue(x, y) || byValue(a, b)),
    )
    expect(ids.join() === expected.map(([id]) => id).join(), direction).toBe(true)
  }
}

async function expectFacets(
  ask: Ask,
  all: readonly (readonly [bigint, { owner: bigint; list: readonly bigint[] }])[],
): Promise<void> {
  const [low, high] = [BASE + 500n, BASE + 560n]
  const some = all.filter(([, { owner }]) => owner >= low && owner <= high)
  const filter = `owner >= ${low} AND owner <= ${high}`
  const text = await ask({ filter, facets: ['owner', 'in.list'], limit: 0 })
  const owners = new Map<bigint, number>()
  for (const [, { owner }] of some) owners.set(owner, (owners.get(owner) ?? 0) + 1)
  const counts = [...owners]
    .sort(([a], [b]) => byValue(a, b))
    .map(([n, count]) => `"${n}":${count}`)
  expect(text).toContain(`"owner":{${counts.join()}}`)
  const least = [...owners.keys()].sort(byValue)
  expect(text).toContain(`"owner":{"min":${least[0]},"max":${least.at(-1)}}`)
  const list = some.flatMap(([, one]) => one.list).sort(byValue)
  expect(text).toContain(`"in.list":{"min":${list[0]},"max":${list.at(-1)}}`)
  const distinct = idsIn(await ask({ filter, distinct: 'owner' }))
  expect(distinct).toHaveLength(owners.size)
}
