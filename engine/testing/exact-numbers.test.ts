// Whole numbers beyond 2^53 through the whole engine, against BigInt: ten thousand neighbours that
// doubles do not tell apart, after updates, merges, a dump and its import.
import { describe, expect, it } from 'vitest'
import { asIndexUid } from '../../format/ids.ts'
import type { SearchRequest } from '../model/index.ts'
import { FakeDisk, randomOf } from '../store/storage/index.ts'
import { dumpOf, dumpsOn, openFromDump } from './test-dump.ts'
import { enqueue, openTestEngine, PLAIN_SEARCH, type TestEngine } from './test-engine.ts'

const COUNT = 10_000
/** Bounds that each operator is tried with. */
const ROUNDS = 8
const BASE = 712_345_678_901_230_000n
const NOW = { requestUid: 'r', queryUid: null }

/** By id: the owner, and the numbers of a list in an object. */
type Model = Map<bigint, { readonly owner: bigint; readonly list: readonly bigint[] }>

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

/** Returns the answer as text: parsing would round. */
async function answer(engine: TestEngine, request: Partial<SearchRequest>): Promise<string> {
  const { features } = engine.administration
  const signal = new AbortController().signal
  const plain = { ...PLAIN_SEARCH, limit: COUNT, attributesToRetrieve: ['id'], ...request }
  const bytes = await engine.queries.search(asIndexUid('events'), plain, {
    ...NOW,
    features,
    signal,
  })
  return Buffer.from(bytes).toString()
}

const idsIn = (text: string): bigint[] =>
  [...text.matchAll(/"id":(-?\d+)/g)].map(([, id]) => BigInt(id!))
const found = async (engine: TestEngine, filter: string): Promise<bigint[]> =>
  idsIn(await answer(engine, { filter }))

const byValue = (a: bigint, b: bigint): number => (a < b ? -1 : Number(a > b))

async function events(
  disk: FakeDisk,
  dumps: FakeDisk,
): Promise<{ engine: TestEngine; model: Model }> {
  const engine = await openTestEngine(disk.mount(), { dumps: dumpsOn(dumps) })
  // A cutoff would leave the rest unsorted on a busy machine.
  const patch = {
    filterableAttributes: ['*'],
    sortableAttributes: ['*'],
    searchCutoffMs: 600_000,
  }
  await enqueue(engine, 'events', {
    kind: 'settingsUpdate',
    patch: { ...patch, pagination: { maxTotalHits: COUNT } },
    isDeletion: false,
    allowIndexCreation: true,
  })
  const random = randomOf(7)
  const model: Model = new Map()
  for (let i = 0; i < COUNT; i++) {
    const owner = BASE + BigInt(random.below(COUNT))
    const list = [2n ** 53n + BigInt(random.below(9)), -(2n ** 63n) + BigInt(random.below(9)), 5n]
    model.set(BASE + BigInt(i), { owner, list })
  }
  const all = [...model]
  await add(engine, all.slice(0, COUNT / 2).map(lineOf))
  await add(engine, all.slice(COUNT / 2).map(lineOf))
  const changed = all.filter((_, i) => i % 10 === 3)
  for (const [id, { list }] of changed) model.set(id, { owner: id + 1n, list })
  await add(
    engine,
    changed.map(([id]) => `{"id":${id},"owner":${id + 1n}}`),
    'update',
  )
  return { engine, model }
}

const COMPARED: { readonly [operator: string]: (a: bigint, b: bigint) => boolean } = {
  '=': (a, b) => a === b,
  '!=': (a, b) => a !== b,
  '>': (a, b) => a > b,
  '>=': (a, b) => a >= b,
  '<': (a, b) => a < b,
  '<=': (a, b) => a <= b,
}

async function expectExact(engine: TestEngine, model: Model): Promise<void> {
  const random = randomOf(11)
  const all = [...model]
  const where = (test: (owner: bigint) => boolean): bigint[] =>
    all.flatMap(([id, { owner }]) => (test(owner) ? [id] : [])).sort(byValue)
  /** As text, which compares faster than ten thousand values. */
  const expectIds = async (filter: string, expected: readonly bigint[]): Promise<void> => {
    const ids = (await found(engine, filter)).sort(byValue)
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
  await expectSorted(engine, all)
  await expectFacets(engine, all)
}

async function expectSorted(
  engine: TestEngine,
  all: readonly (readonly [bigint, { owner: bigint }])[],
) {
  for (const [direction, sign] of [
    ['asc', 1],
    ['desc', -1],
  ] as const) {
    const ids = idsIn(await answer(engine, { sort: [`owner:${direction}`, `id:${direction}`] }))
    const expected = [...all].sort(
      ([a, { owner: x }], [b, { owner: y }]) => sign * (byValue(x, y) || byValue(a, b)),
    )
    expect(ids.join() === expected.map(([id]) => id).join(), direction).toBe(true)
  }
}

async function expectFacets(
  engine: TestEngine,
  all: readonly (readonly [bigint, { owner: bigint; list: readonly bigint[] }])[],
): Promise<void> {
  const [low, high] = [BASE + 500n, BASE + 560n]
  const some = all.filter(([, { owner }]) => owner >= low && owner <= high)
  const filter = `owner >= ${low} AND owner <= ${high}`
  const text = await answer(engine, { filter, facets: ['owner', 'in.list'], limit: 0 })
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
  const distinct = idsIn(await answer(engine, { filter, distinct: 'owner' }))
  expect(distinct).toHaveLength(owners.size)
}

describe('ten thousand neighbours beyond 2^53', () => {
  it('are told apart by filters, sorts, facets and distinct, also after merges and a dump', async () => {
    const dumps = new FakeDisk()
    const { engine, model } = await events(new FakeDisk(), dumps)
    await expectExact(engine, model)
    await engine.allMerged()
    await expectExact(engine, model)
    const dump = await dumpOf(engine)
    await engine.close()

    const again = await openFromDump(dumps.mount(), dump)
    await expectExact(again, model)
    await again.close()
  }, 120_000)

  it('are deleted and edited one by one', async () => {
    const { engine, model } = await events(new FakeDisk(), new FakeDisk())
    const [one, other] = [BASE + 4_321n, BASE + 4_322n]
    const filter = `id = ${one}`
    await enqueue(engine, 'events', { kind: 'documentDeletion', by: 'filter', filter })
    const text = 'doc.owner = doc.owner + 1; doc.more = doc.id > 712345678901230000'
    const edition = { filter: `id = ${other}`, context: null, function: text }
    await enqueue(engine, 'events', { kind: 'documentEdition', ...edition })
    await engine.idle()
    expect(await found(engine, `id >= ${one} AND id <= ${other}`)).toEqual([other])
    const owner = model.get(other)!.owner + 1n
    expect(await found(engine, `owner = ${owner} AND more = true`)).toEqual([other])
    await engine.close()
  }, 60_000)
})
