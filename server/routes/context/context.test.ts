// The features that requests need, the form of answers, the context of searches, and reads that
// wait for tasks.
import { describe, expect, test } from 'vitest'
import { FEATURES, type Features } from '../../../engine/index.ts'
import { asIndexUid, asTaskUid } from '../../../format/ids.ts'
import { ApiError } from '../../errors/index.ts'
import { EVERYTHING } from '../../http/index.ts'
import type { Caller, RouteRequest } from '../../http/messages/index.ts'
import * as gates from './gates.ts'
import { listText } from './list-text.ts'
import { searchContext } from './metadata.ts'
import type { RouteOptions } from './options.ts'
import { type ReadParts, seeingWrites } from './reads.ts'
import { accepted, indexStatsView, okReply, statsView } from './views.ts'

const OFF = Object.fromEntries(FEATURES.map((name) => [name, false])) as Features
const withFeature = (name: keyof Features): Features => ({ ...OFF, [name]: true })

const codeOf = async (run: () => unknown): Promise<string> => {
  try {
    await run()
    return ''
  } catch (error) {
    return error instanceof ApiError ? `${error.code}: ${error.message}` : String(error)
  }
}

describe('a feature', () => {
  const NETWORK = withFeature('network')
  const OWN = { code: 'invalid_suggest_use_network', what: 'suggestions are found' } as const

  test.each<[string, () => void, string]>([
    ['no use of the network', () => gates.checkUseNetwork(null, OFF), ''],
    ['`false`', () => gates.checkUseNetwork(false, OFF), 'passing `useNetwork` in a search query'],
    ['`false` with it', () => gates.checkUseNetwork(false, NETWORK), ''],
    ['own: absent', () => gates.checkOwnInstance(null, OFF, OWN), ''],
    ['own: sent', () => gates.checkOwnInstance(false, OFF, OWN), 'feature_not_enabled'],
    ['own: `false`', () => gates.checkOwnInstance(false, NETWORK, OWN), ''],
    [
      'own: `true`',
      () => gates.checkOwnInstance(true, NETWORK, OWN),
      'invalid_suggest_use_network: Invalid value at `.useNetwork`: suggestions are found in one',
    ],
    ['no rule', () => gates.checkInlineRule({ inlineRule: null }, OFF), ''],
    [
      'a rule',
      () => gates.checkInlineRule({ inlineRule: {} as never }, OFF),
      'passing `inlineRule` in a search query',
    ],
    [
      'a rule with it',
      () => gates.checkInlineRule({ inlineRule: {} as never }, withFeature('dynamicSearchRules')),
      '',
    ],
    ['no personalization', () => gates.checkPersonalize(null, false), ''],
    ['personalization', () => gates.checkPersonalize({ userContext: 'u' }, true), ''],
    [
      'personalization without a provider',
      () => gates.checkPersonalize({ userContext: 'u' }, false),
      'feature_not_enabled: reranking search results',
    ],
  ])('is needed for %s', async (_, check, refusal) => {
    const found = await codeOf(check)
    if (refusal === '') expect(found).toBe('')
    else expect(found.toLowerCase()).toContain(refusal.toLowerCase())
  })

  test('that is refused is reported after a filter that cannot be read', async () => {
    const check = (useNetwork: boolean | null, filter: unknown, features = OFF) =>
      codeOf(() => gates.checkFilterFirst({ useNetwork, filter }, asIndexUid('a'), features))
    expect(await check(true, 'a =')).toContain('Was expecting a value')
    expect(await check(false, 'a =')).toContain('Was expecting a value')
    expect(await check(true, 'a = 1')).toBe('')
    expect(await check(true, Buffer.from('"a ="'))).toBe('')
    expect(await check(null, 'a =')).toBe('')
    expect(await check(true, 'a =', NETWORK)).toBe('')
  })
})

test('sizes are numbers, or texts for people', () => {
  const index = {
    numberOfDocuments: 1,
    indexSize: 2048,
    usedIndexSize: 1024,
    rawDocumentDbSize: 4096,
    avgDocumentSize: 3072,
    isIndexing: true,
    internalDatabaseSizes: { documents: 1536 },
    numberOfEmbeddings: 2,
    numberOfEmbeddedDocuments: 3,
    fieldDistribution: { id: 1 },
  }
  const raw = { showInternalDatabaseSizes: false, sizeFormat: 'raw' } as const
  const { internalDatabaseSizes, ...plain } = index
  expect(indexStatsView(index as never, raw)).toEqual(plain)
  const all = { ...raw, showInternalDatabaseSizes: true }
  expect(indexStatsView(index as never, all)).toEqual(index)
  expect(indexStatsView({ ...index, internalDatabaseSizes: {} } as never, all)).toEqual(plain)
  const human = { ...all, sizeFormat: 'human' } as const
  expect(indexStatsView(index as never, human)).toMatchObject({
    numberOfDocuments: 1,
    indexSize: '2.00 KiB',
    usedIndexSize: '1.00 KiB',
    rawDocumentDbSize: '4.00 KiB',
    avgDocumentSize: '3.00 KiB',
    internalDatabaseSizes: { documents: '1.50 KiB' },
    numberOfEmbeddings: 2,
  })
  const database = {
    databaseSize: 1024,
    usedDatabaseSize: 2048,
    lastUpdate: null,
    indexes: new Map([['a', index]]),
  }
  expect(statsView(database as never, human)).toMatchObject({
    databaseSize: '1.00 KiB',
    usedDatabaseSize: '2.00 KiB',
    lastUpdate: null,
    indexes: { a: { indexSize: '2.00 KiB' } },
  })
  const updated = statsView({ ...database, lastUpdate: 1_700_000_000_000_000 } as never, raw)
  expect(updated['lastUpdate']).toBe('2023-11-14T22:13:20Z')
})

test('writes are accepted with 202, unless they were carried out', () => {
  const task = { uid: 1, indexUid: 'a', status: 'enqueued', kind: 'x', enqueuedAt: 0 } as never
  expect([accepted(task).status, accepted(task, 200).status]).toEqual([202, 200])
  expect(okReply({ a: 1 })).toEqual({ status: 200, body: { a: 1 } })
})

test('long lists are written in slices, between which other work runs', async () => {
  let turns = 0
  const count = (): void => {
    turns++
    timer = setImmediate(count)
  }
  let timer = setImmediate(count)
  const written = async (length: number): Promise<[items: unknown, turns: number]> => {
    turns = 0
    const items = Array.from({ length }, (_, at) => at)
    const text = await listText(items, (at) => ({ at }), { offset: 1, limit: 2 })
    const { results, ...rest } = JSON.parse(text) as { results: { at: number }[] }
    expect(rest).toEqual({ offset: 1, limit: 2 })
    expect(results.map(({ at }) => at)).toEqual(items)
    return [text.endsWith('"offset":1,"limit":2}'), turns]
  }
  expect(await written(0)).toEqual([true, 0])
  expect(await written(500)).toEqual([true, 0])
  expect(await written(1001)).toEqual([true, 2])
  clearImmediate(timer)
})

type Headers = { readonly [name: string]: string }
const requestOf = (
  headers: Headers = {},
  caller: Partial<Caller> = {},
  signal = new AbortController().signal,
) => ({
  caller: { ...EVERYTHING, ...caller },
  context: {
    uid: 'request',
    address: '2001:db8::1',
    signal,
    header: (name: string) => headers[name],
  } as unknown as RouteRequest['context'],
})

describe('the context of a search', () => {
  test.each<[Headers, boolean]>([
    [{}, false],
    [{ 'svc-include-metadata': 'True' }, true],
    [{ 'svc-include-metadata': '1' }, true],
    [{ 'svc-include-metadata': '0' }, false],
    [{ 'meili-include-metadata': 'true' }, true],
    [{ 'svc-include-metadata': 'no', 'meili-include-metadata': 'true' }, false],
  ])('with %j includes metadata: %s', (headers, isIncluded) => {
    const { queryUid, requestUid } = searchContext(requestOf(headers), OFF)
    expect([requestUid, queryUid !== null]).toEqual(['request', isIncluded])
  })

  test('has the key and the network of its caller, and what it may see', () => {
    const filterOf = (uid: string) => (uid === 'a' ? 'x = 1' : null)
    const caller = { keyUid: 'key', visible: (uid: string) => uid !== 'c', filterOf }
    const context = searchContext(requestOf({}, caller), OFF)
    expect(context.caller).toEqual({ key: 'key', address: '2001:db8:0:0' })
    const seen = ['a', 'b', 'c'].map((uid) => context.access?.(asIndexUid(uid)))
    expect(seen).toEqual([{ filter: 'x = 1' }, { filter: null }, null])
    const all = searchContext(requestOf(), OFF)
    expect(all.caller?.key).toBe('')
    expect(all.access?.(asIndexUid('a'))).toEqual({ filter: null })
  })
})

describe('a read', () => {
  type World = {
    readonly own?: boolean
    readonly others?: boolean
    readonly newest?: number | null
    readonly leader?: string | null
    readonly isFull?: boolean
    readonly foreign?: readonly string[]
    readonly foreignKeys?: boolean
    readonly snapshot?: string
    readonly here?: number
    readonly signal?: AbortSignal
    readonly visible?: (uid: string) => boolean
  }

  /** Reads in this world; `asked` has the questions to the tasks of the instances. */
  async function read(
    world: World,
    parts: Partial<ReadParts>,
    headers: Headers = {},
    answer: Parameters<typeof seeingWrites>[3] = () => Promise.resolve({ status: 200 }),
  ) {
    const asked: unknown[] = []
    const { newest = 9, leader = null, here = 3, snapshot } = world
    const question =
      (name: string, result: boolean) =>
      (wanted: { uid: number; indexes: () => unknown }, wait: { ms: number }) => {
        asked.push([name, wanted.uid, wanted.indexes(), Math.ceil(wait.ms / 10_000)])
        return Promise.resolve(result)
      }
    const options = {
      engine: {
        administration: { features: { ...OFF, foreignKeys: world.foreignKeys ?? false } },
        network: { get: () => ({ leader }) },
        queries: { foreignUids: () => world.foreign ?? [] },
        visibility: { isFull: world.isFull ?? false, newest: () => here },
        follows: snapshot === undefined ? undefined : { snapshot },
      },
      instances: {
        contained: {
          newest: (indexes: unknown) => {
            asked.push(['newest', indexes])
            return newest
          },
          own: question('own', world.own ?? true),
          others: question('others', world.others ?? true),
        },
      },
    } as unknown as RouteOptions
    const request = requestOf(headers, { visible: world.visible ?? null }, world.signal)
    const whole = { indexes: [asIndexUid('a')], minTask: {}, isNetwork: false, ...parts }
    const reply = await seeingWrites(options, request, whole, answer).catch(
      (error: unknown) => error,
    )
    return { asked, reply }
  }
  const task = (uid: number, ms: number | null = null) => ({
    minTaskUid: asTaskUid(uid),
    minTaskTimeout: ms,
  })

  test('without a task waits for nothing, and names the newest that it contains', async () => {
    const { asked, reply } = await read({}, {})
    expect(asked).toEqual([['newest', ['a']]])
    expect(reply).toEqual({ status: 200, headers: ['Svc-Task-Uid', '9'] })
    expect((await read({ newest: null }, {})).reply).toEqual({ status: 200 })
    const kept = await read({}, {}, {}, () => Promise.resolve({ status: 200, headers: ['A', 'b'] }))
    expect(kept.reply).toEqual({ status: 200, headers: ['A', 'b', 'Svc-Task-Uid', '9'] })
  })

  test.each<[string, Partial<ReadParts>, Headers, unknown[]]>([
    ['in the request', { minTask: task(4, 30_000) }, {}, ['own', 4, ['a'], 3]],
    ['with the default time', { minTask: task(0) }, {}, ['own', 0, ['a'], 1]],
    ['in a header', {}, { 'svc-min-task-uid': '5' }, ['own', 5, ['a'], 1]],
    [
      'in a header, with a time',
      {},
      { 'svc-min-task-uid': '5', 'svc-min-task-timeout': '55000' },
      ['own', 5, ['a'], 6],
    ],
    [
      'in both: the newer one, and the time of the request',
      { minTask: task(4, 30_000) },
      { 'svc-min-task-uid': '7', 'svc-min-task-timeout': '60000' },
      ['own', 7, ['a'], 3],
    ],
    [
      'in one of its parts',
      { further: [{ indexes: [asIndexUid('b')], minTask: task(6, 20_000), isNetwork: true }] },
      {},
      ['own', 6, ['b'], 2],
    ],
  ])('waits for a task %s', async (_, parts, headers, question) => {
    const { asked, reply } = await read({}, parts, headers)
    expect(asked).toEqual([question, ['newest', ['a']]])
    expect(reply).toMatchObject({ status: 200 })
  })

  test('with a time alone waits for nothing, and a wrong header is refused', async () => {
    const { asked } = await read({}, {}, { 'svc-min-task-timeout': '55000' })
    expect(asked).toEqual([['newest', ['a']]])
    await expect(async () => {
      throw (await read({}, {}, { 'svc-min-task-uid': 'x' }).catch(
        (error: unknown) => error,
      )) as Error
    }).rejects.toMatchObject({ code: 'invalid_min_task_uid' })
  })

  test('of a network with a leader waits for the other instances', async () => {
    const parts = { isNetwork: true, minTask: task(4, 30_000) }
    const names = async (world: World, more: Partial<ReadParts> = parts) =>
      (await read(world, more)).asked.map((one) => (one as unknown[])[0])
    expect(await names({ leader: 'b' })).toEqual(['own', 'others', 'newest'])
    expect(await names({ leader: null })).toEqual(['own', 'newest'])
    expect(await names({ leader: 'b' }, { ...parts, isNetwork: false })).toEqual(['own', 'newest'])
  })

  test('shows tasks of the other instances in its answer: the oldest, or none', async () => {
    const noting = async (...tasks: (number | null)[]) => {
      const { reply } = await read({ leader: 'b' }, { isNetwork: true }, {}, (state) => {
        expect(state?.minTaskUid).toBeNull()
        for (const uid of tasks) state?.note(uid === null ? null : asTaskUid(uid))
        return Promise.resolve({ status: 200 })
      })
      return (reply as { headers?: unknown[] }).headers?.[1]
    }
    expect([await noting(7), await noting(12), await noting(7, 8), await noting(7, null)]).toEqual([
      '7',
      '9',
      '7',
      undefined,
    ])
    expect(await noting(null, 5)).toBeUndefined()
    await read({ leader: 'b' }, { isNetwork: true, minTask: task(4) }, {}, (state) => {
      expect(state?.minTaskUid).toBe(4)
      return Promise.resolve({ status: 200 })
    })
    await read({ leader: 'b' }, {}, {}, (state) => {
      expect(state).toBeUndefined()
      return Promise.resolve({ status: 200 })
    })
  })

  test('reaches the indexes of foreign keys that its caller sees', async () => {
    const reached = async (world: World, indexes: ReadParts['indexes'] = [asIndexUid('a')]) =>
      ((await read(world, { indexes })).asked[0] as unknown[])[1]
    const foreign = ['b', 'c']
    expect(await reached({ foreign })).toEqual(['a'])
    expect(await reached({ foreign, foreignKeys: true })).toEqual(['a', 'b', 'c'])
    const visible = (uid: string): boolean => uid !== 'b'
    expect(await reached({ foreign, foreignKeys: true, visible })).toEqual(['a', 'c'])
    expect(await reached({ foreign, foreignKeys: true }, null)).toBeNull()
  })

  test.each<[World, string, string]>([
    [{ own: false }, 'task_not_visible_yet', 'this instance contains the tasks up to `3`'],
    [{ own: false, here: -1 }, 'task_not_visible_yet', 'this instance contains no task'],
    [{ own: false, here: 0 }, 'task_not_visible_yet', 'contains the tasks up to `0`'],
    [
      { own: false, snapshot: 's7' },
      'task_not_visible_yet',
      'the state `s7` that this instance follows',
    ],
    [
      { others: false, leader: 'b' },
      'task_not_visible_yet',
      'Another instance does not contain it',
    ],
    [{ own: false, isFull: true }, 'too_many_search_requests', 'Too many requests wait for tasks'],
  ])('that waited in vain in %j is refused', async (world, code, words) => {
    const { reply } = await read(world, { isNetwork: true, minTask: task(4, 0) })
    expect(reply).toMatchObject({ code, message: expect.stringContaining(words) })
  })

  test('of a client that has gone is canceled', async () => {
    const signal = AbortSignal.abort()
    const { reply } = await read({ own: false, signal }, { minTask: task(4, 0) })
    expect((reply as Error).name).toBe('Canceled')
  })

  test('is repeated when an instance falls behind, as long as there is time', async () => {
    let calls = 0
    const answer = (): Promise<{ status: number }> => {
      calls++
      if (calls < 3) throw new ApiError('task_not_visible_yet', 'behind')
      return Promise.resolve({ status: 200 })
    }
    expect((await read({}, { minTask: task(4, 60_000) }, {}, answer)).reply).toMatchObject({
      status: 200,
    })
    expect(calls).toBe(3)
    calls = 0
    expect((await read({}, { minTask: task(4, 0) }, {}, answer)).reply).toMatchObject({
      message: 'behind',
    })
    const other = (): Promise<never> => Promise.reject(new ApiError('bad_request', 'other'))
    const refused = await read({}, { minTask: task(4, 60_000) }, {}, other)
    expect(refused.reply).toMatchObject({ message: 'other' })
  })
})
