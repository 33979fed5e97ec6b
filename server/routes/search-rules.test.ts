// The routes of dynamic search rules: both forms of actions, faults, states after waiting tasks, and
// rules that are sent with a search.
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../testing/test-server.ts'

type Body = { readonly [member: string]: unknown }

let server: TestServer

const ask = async (method: string, path: string, body?: unknown): Promise<Body> => {
  const answer = await server.ask(method, path, body)
  return { status: answer.status, ...(answer.body as object) }
}
const rule = (uid: string, members: object) => ask('PATCH', `/dynamic-search-rules/${uid}`, members)

beforeAll(async () => {
  server = await startServer()
  await server.ask('PATCH', '/experimental-features', { dynamicSearchRules: true })
  await server.ask('PATCH', '/indexes/shop/settings', { filterableAttributes: ['brand'] })
  await server.ask('POST', '/indexes/shop/documents', [
    { id: 'm-1', name: 'kettle', brand: 'Norr' },
    { id: 'm-2', name: 'blue kettle', brand: 'Sund' },
  ])
  await server.idle()
})

afterAll(() => server.stop())

describe('actions', () => {
  const pin = [
    { indexUid: 'shop', id: 'm-2', position: 0 },
    { id: 'm-1', position: 3 },
  ]
  const scale = [
    { indexUid: 'shop', filter: 'brand = Norr', weight: 0.4 },
    { ids: ['m-2'], filter: ['brand = Sund', ['brand = Norr']], weight: 0 },
  ]

  test('are an object of lists, in which empty ones are left out', async () => {
    await rule('a', { actions: { pin, scale } })
    await rule('b', { actions: { pin: [], scale: null } })
    const last = await rule('c', { actions: { pin: [{ ...pin[1], indexUid: null }] } })
    await server.idle()
    const { status: _, ...found } = await ask('GET', '/dynamic-search-rules/a')
    expect(found).toMatchObject({ uid: 'a', active: true, actions: { pin, scale } })
    const { results } = await ask('POST', '/dynamic-search-rules', {})
    expect((results as Body[]).map(({ uid, actions }) => [uid, actions])).toEqual([
      ['c', { pin: [pin[1]] }],
      ['b', {}],
      ['a', { pin, scale }],
    ])
    expect((results as Body[])[0]!.lastUpdatedAt).toBe(last.enqueuedAt)
  })

  test('may be the list of earlier releases', async () => {
    const listed = pin.map(({ position, ...selector }) => ({
      selector,
      action: { type: 'pin', position },
    }))
    const task = await rule('a', { actions: listed })
    await server.idle()
    expect(await ask('GET', '/dynamic-search-rules/a')).toMatchObject({ actions: { pin } })
    expect(await ask('GET', `/tasks/${task.taskUid}`)).toMatchObject({
      details: { rule: { actions: { pin } }, updatedRules: 1 },
    })
    await rule('a', { actions: null })
    await server.idle()
    expect((await ask('GET', '/dynamic-search-rules/a')).actions).toEqual({})
  })

  const actionsFault = (where: string, words: string) => [where, words] as const
  test.each([
    [
      3,
      actionsFault('type at `.actions`', 'expected an object, but found a positive integer: `3`'),
    ],
    [
      { pins: [] },
      [
        'Unknown field `pins` inside `.actions`',
        'did you mean `pin`? expected one of `pin`, `scale`',
      ],
    ],
    [{ pin: {} }, actionsFault('type at `.actions.pin`', 'expected an array')],
    [{ pin: [{ id: 1 }] }, actionsFault('type at `.actions.pin[0].id`', 'expected a string')],
    [{ pin: [{ id: '1' }] }, ['Missing field `position` inside `.actions.pin[0]`', '']],
    [{ pin: [{ id: '1', position: -1 }] }, actionsFault('`.actions.pin[0].position`', 'positive')],
    [{ pin: [{ id: '1', position: 2 ** 32 }] }, ['`.actions.pin[0].position`', 'too large']],
    [{ pin: [{ id: '1', position: 0, indexUid: 'a b' }] }, ['`.actions.pin[0].indexUid`', 'a b']],
    [{ scale: [{ ids: ['1'] }] }, ['Missing field `weight` inside `.actions.scale[0]`', '']],
    [{ scale: [{ weight: -1 }] }, ['`.actions.scale[0].weight`', 'expected a positive float']],
    [{ scale: [{ weight: '1' }] }, ['`.actions.scale[0].weight`', 'expected a number']],
    [{ scale: [{ weight: 1, ids: [1] }] }, ['`.actions.scale[0].ids[0]`', 'expected a string']],
    [{ scale: [{ weight: 1, filter: 'brand = ' }] }, ['`.actions.scale[0].filter`', 'brand = ']],
    [{ scale: [{ weight: 1, filter: 4 }] }, ['`.actions.scale[0].filter`', 'found: 4']],
    [{ scale: [{ weight: 1, filter: '_foreign(a, b = 1)' }] }, ['`_foreign` is not supported', '']],
    [
      { scale: [{ weight: 1, boost: 1 }] },
      ['Unknown field `boost` inside `.actions.scale[0]`', ''],
    ],
    [
      [{ selector: { id: '1' }, action: { type: 'scale' } }],
      ['[0].action`', 'Incorrect tag value'],
    ],
  ])('%j are refused', async (actions, words) => {
    const answer = await rule('z', { actions })
    expect(answer).toMatchObject({ status: 400, code: 'invalid_dynamic_search_rule_actions' })
    for (const word of words) expect(answer.message).toContain(word)
  })

  test('with a number beyond all doubles are refused', async () => {
    const response = await fetch(`${server.url}/dynamic-search-rules/z`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: '{"actions":{"scale":[{"weight":1e999}]}}',
    })
    expect(response.status).toBe(400)
  })
})

test('a uid that breaks the rule is refused on every route', async () => {
  for (const [method, path, body] of [
    ['GET', 'a%20b', undefined],
    ['GET', 'a%20b/target', undefined],
    ['PATCH', 'a%20b', {}],
    ['DELETE', 'a%20b', undefined],
  ] as const) {
    expect(await ask(method, `/dynamic-search-rules/${path}`, body)).toMatchObject({
      status: 400,
      code: 'invalid_dynamic_search_rule_uid',
      message: expect.stringContaining('`a b` is not a valid index uid.'),
    })
  }
})

describe('targets', () => {
  test('without waiting tasks are the rules as they are', async () => {
    await ask('DELETE', '/dynamic-search-rules')
    await rule('tea', { description: 'Tea', active: false })
    await server.idle()
    const current = (await ask('GET', '/dynamic-search-rules/tea')) as object
    const { status: _, ...found } = current as Body
    expect(await ask('GET', '/dynamic-search-rules/tea/target')).toEqual({
      status: 200,
      current: found,
      target: found,
      needsProcessing: false,
      taskUids: [],
    })
    expect(await ask('POST', '/dynamic-search-rules', { showTarget: true })).toEqual({
      status: 200,
      results: [{ ...found, needsProcessing: false }],
      offset: 0,
      limit: 20,
      total: 1,
      needsProcessing: false,
      taskUids: [],
      totalRuleCount: 1,
      targetTotalRuleCount: 1,
    })
    expect(await ask('GET', '/dynamic-search-rules/none/target')).toMatchObject({
      status: 404,
      code: 'dynamic_search_rule_not_found',
    })
    expect(await ask('POST', '/dynamic-search-rules', { showTarget: 'x' })).toMatchObject({
      status: 400,
      code: 'bad_request',
    })
  })

  test('show the changes of tasks that wait', async () => {
    const [created, changed, removed] = await Promise.all([
      rule('mug', { precedence: 4 }),
      rule('mug', { active: false }),
      ask('DELETE', '/dynamic-search-rules/tea'),
    ])
    const pending = await ask('POST', '/dynamic-search-rules', { showTarget: true })
    const mug = await ask('GET', '/dynamic-search-rules/mug/target')
    const tea = await ask('GET', '/dynamic-search-rules/tea/target')
    const uids = [created, changed, removed].map(({ taskUid }) => taskUid)
    // The batch may have run meanwhile.
    if ((pending.taskUids as unknown[]).length === 3) {
      expect(pending).toMatchObject({
        taskUids: uids,
        needsProcessing: true,
        totalRuleCount: 1,
        targetTotalRuleCount: 1,
      })
      expect(pending.results).toMatchObject([
        { uid: 'mug', needsProcessing: true, active: false },
        { uid: 'tea', needsProcessing: true },
      ])
    }
    expect(mug.target).toMatchObject({ uid: 'mug', precedence: 4, active: false })
    expect((mug.target as Body).lastUpdatedAt).toBe(changed!.enqueuedAt)
    if (tea.needsProcessing === true)
      expect(tea).toMatchObject({ target: null, taskUids: [uids[2]] })
    await server.idle()
    const { status: _, ...found } = await ask('GET', '/dynamic-search-rules/mug')
    expect(found).toEqual(mug.target)
    await ask('DELETE', '/dynamic-search-rules')
    await server.idle()
  })
})

describe('a rule of a search', () => {
  const inlineRule = {
    uid: 'try-1',
    conditions: {
      query: { words: 'kettle tea', isEmpty: false },
      time: { end: '2001-01-01T00:00:00Z' },
      filter: { values: { brand: 'Norr' } },
    },
    actions: { scale: [{ filter: 'brand = Norr', weight: 0.1 }] },
  }
  const headers = { 'content-type': 'application/json', 'svc-include-metadata': 'true' }
  const found = async (path: string, body: object) => {
    const sent = { method: 'POST', headers, body: JSON.stringify(body) }
    return (await fetch(server.url + path, sent)).json() as Promise<Body>
  }

  test('applies to that search, and its metadata say which conditions hold', async () => {
    const { conditions: _, ...always } = inlineRule
    const answer = await found('/indexes/shop/search', { q: 'kettle', inlineRule: always })
    expect(answer.hits).toMatchObject([{ id: 'm-2' }, { id: 'm-1' }])
    expect(answer.metadata).toMatchObject({
      inlineRuleConditionOutcomes: { satisfiesActiveCondition: true },
    })
    const request = { q: 'kettle', filter: ['brand = Norr', 'brand = Sund'], inlineRule }
    const { metadata } = await found('/indexes/shop/search', { ...request, filter: 'brand != x' })
    expect((metadata as Body).inlineRuleConditionOutcomes).toEqual({
      satisfiesActiveCondition: true,
      satisfiesTimeCondition: 'tooLate',
      satisfiesQueryEmptyCondition: 'satisfied',
      satisfiesQueryWordsCondition: { missingWord: { word: 'tea' } },
      satisfiesFilterCondition: { missingFacet: { facet: 'brand' } },
    })
    const early = { time: { start: '2999-01-01T00:00:00Z' }, query: { isEmpty: false } }
    const { results } = await found('/multi-search', {
      queries: [
        { indexUid: 'shop', q: ' ', inlineRule: { uid: 'x', active: false, conditions: early } },
        { indexUid: 'shop', filter: 'brand = norr', inlineRule },
        { indexUid: 'shop' },
      ],
    })
    const outcomes = (results as { metadata: Body }[]).map(
      (one) => one.metadata.inlineRuleConditionOutcomes,
    )
    expect(outcomes).toEqual([
      {
        satisfiesActiveCondition: false,
        satisfiesTimeCondition: 'tooEarly',
        satisfiesQueryEmptyCondition: 'queryEmpty',
      },
      expect.objectContaining({ satisfiesFilterCondition: 'satisfied' }),
      undefined,
    ])
  })

  test.each([
    [3, 'bad_request', '`.inlineRule`: expected an object'],
    [{}, 'bad_request', 'Missing field `uid` inside `.inlineRule`'],
    [{ uid: 'a b' }, 'invalid_dynamic_search_rule_uid', '`.inlineRule.uid`: `a b` is not'],
    [{ uid: 'a', description: 'x' }, 'bad_request', 'Unknown field `description`'],
    [{ uid: 'a', active: 1 }, 'invalid_dynamic_search_rule_active', '`.inlineRule.active`'],
    [{ uid: 'a', precedence: -1 }, 'invalid_dynamic_search_rule_priority', '.precedence`'],
    [{ uid: 'a', conditions: { x: 1 } }, 'invalid_dynamic_search_rule_conditions', '`x` inside'],
    [{ uid: 'a', actions: { x: 1 } }, 'invalid_dynamic_search_rule_actions', '.inlineRule.actions'],
  ])('%j is refused', async (sent, code, words) => {
    const answer = await ask('POST', '/indexes/shop/search', { inlineRule: sent })
    expect(answer).toMatchObject({ status: 400, code, message: expect.stringContaining(words) })
    const several = await ask('POST', '/multi-search', {
      queries: [{ indexUid: 'shop', inlineRule: sent }],
    })
    expect(several).toMatchObject({ status: 400, code })
  })

  test('needs the feature, and null does not', async () => {
    await ask('PATCH', '/experimental-features', { dynamicSearchRules: false })
    const queries = [{ indexUid: 'shop', inlineRule: { uid: 'a' } }]
    for (const [path, body] of [
      ['/indexes/shop/search', { inlineRule: { uid: 'a' } }],
      ['/multi-search', { queries }],
      ['/multi-search', { queries, federation: {} }],
    ] as const) {
      expect(await ask('POST', path, body)).toMatchObject({
        status: 400,
        code: 'feature_not_enabled',
        message: expect.stringContaining('passing `inlineRule` in a search query requires'),
      })
    }
    expect((await ask('POST', '/indexes/shop/search', { inlineRule: null })).status).toBe(200)
    expect(await ask('GET', '/dynamic-search-rules/a/target')).toMatchObject({
      code: 'feature_not_enabled',
    })
    await ask('PATCH', '/experimental-features', { dynamicSearchRules: true })
  })
})
