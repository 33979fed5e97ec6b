// Every route against every fault, on a running server: the answers match the table. Rows of the
// table come from the contract; a route without a row fails here.
import { type Dispatcher, request } from 'undici'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { allRoutes } from '../routes/index.ts'
import { fakeEngine } from './fake-engine.ts'
import { fakeOptions } from './fake-options.ts'
import { FEATURE_FLAGS, PATH_PARTS, ROUTE_ROWS, TYPE_WORDS } from './routes-matrix.table.ts'
import { startServer, type TestServer } from './test-server.ts'

const MASTER = 'a-master-key-for-tests-only'
const BODY_BYTES_MAX = 65_536
const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const
const UID = '5eed0000-0000-4000-8000-000000000001'
/** A port where no server listens. */
const CLOSED_PORT = 'http://127.0.0.1:9'
/** Members that messages do not list. */
const UNLISTED: readonly string[] = [
  'addRemotes',
  'removeRemotes',
  'disjunctiveFacets',
  'infixSearch',
  'expiresAtAttribute',
  'showCorrection',
  'countTotal',
  'searchAfter',
  'attributeWeights',
  'similarity',
  'facetScope',
  'sortScope',
  'hitsPerGroup',
  'boosts',
  'boostsNow',
  'hybridFusion',
  'querySyntax',
]
const GENERIC = 'The provided API key is invalid.'

type Body = { readonly [member: string]: unknown }
type Answer = { readonly status: number; readonly body: Body; readonly allow: string | null }
type Sent = {
  readonly body?: unknown
  readonly text?: string
  readonly type?: string | null
  readonly key?: string | null
}

let server: TestServer
/** Whether a request since `prepare` may have changed what routes use. */
let isChanged = true
let webhook = ''
let task = ''
let batch = ''

const ROWS = Object.entries(ROUTE_ROWS).map(([route, row]) => {
  const [method = '', path = ''] = route.split(' ')
  return { route, method, path, row }
})
type Row = (typeof ROWS)[number]
const OWN = allRoutes({ ...fakeOptions(), engine: fakeEngine(), masterKey: MASTER })
const known = new Set(OWN.map(({ method, path }) => `${method} ${path}`.replace(/:\w+/g, ':')))
const shapeOf = ({ method, path }: Row): string => {
  const parts = path.split('/').map((part) => (PATH_PARTS[part] === undefined ? part : ':'))
  return `${method} ${parts.join('/')}`
}
/** After this route the server asks to be restarted. */
const LAST = 'POST /tasks/compact'
const THERE = ROWS.filter((row) => known.has(shapeOf(row)) && row.route !== LAST)

async function send(method: string, path: string, sent: Sent = {}): Promise<Answer> {
  const { key = MASTER } = sent
  const text = sent.text ?? (sent.body === undefined ? null : JSON.stringify(sent.body))
  const type = sent.type === undefined ? (text === null ? null : 'application/json') : sent.type
  const headers = {
    ...(type === null ? {} : { 'content-type': type }),
    ...(key === null ? {} : { authorization: `Bearer ${key}` }),
  }
  // Bytes, not text: for text the client would add a content type.
  const bytes = text === null || method === 'GET' ? null : Buffer.from(text)
  const answer = await request(server.url + path, {
    method: method as Dispatcher.HttpMethod,
    headers,
    body: bytes,
  })
  const { 'content-type': shown, 'content-length': length, allow = null } = answer.headers
  const isJson = shown?.includes('application/json') === true
  isChanged ||= method === 'GET' ? !isJson : answer.statusCode < 300
  const body = isJson && length !== '0' ? ((await answer.body.json()) as Body) : {}
  // A stream of the log does not end.
  if (!isJson) answer.body.on('error', () => undefined).destroy()
  return { status: answer.statusCode, body, allow: allow as string | null }
}

/** Returns the path with the names of existing things. */
function placeOf({ path, row }: Row, more = ''): string {
  const parts = path
    .split('/')
    .map((part) => ({ k: UID, h: webhook, t: task, b: batch })[part] ?? part)
  const queries = [row.with, more].filter((query) => query !== undefined && query !== '')
  return parts.join('/') + (queries.length === 0 ? '' : `?${queries.join('&')}`)
}

const usual = (one: Row, sent: Sent = {}, more = ''): Promise<Answer> =>
  send(one.method, placeOf(one, more), { body: one.row.body, ...sent })

/** Creates everything that routes may have deleted, and ends what they have begun. */
async function prepare(): Promise<void> {
  if (!isChanged) return
  await server.idle()
  const ask = (method: string, path: string, body?: unknown) => send(method, path, { body })
  if ((await ask('GET', '/indexes/m')).status !== 200) {
    const embedders = { e: { source: 'userProvided', dimensions: 2 } }
    await ask('PATCH', '/indexes/m/settings', { filterableAttributes: ['id', 'kind'], embedders })
  }
  const document = { id: 1, kind: 'a', _vectors: { e: [0.5, 1] } }
  const { body: added } = await ask('POST', '/indexes/m/documents', [document])
  task = String(added['taskUid'])
  await ask('PATCH', '/chats/w/settings', {})
  await ask('PATCH', '/dynamic-search-rules/r', { description: 'd' })
  if ((await ask('GET', `/webhooks/${webhook || UID}`)).status !== 200) {
    const made = await ask('POST', '/webhooks', { url: CLOSED_PORT })
    webhook = String(made.body['uuid'])
  }
  await ask('POST', '/keys', { uid: UID, actions: [], indexes: ['*'], expiresAt: null })
  await ask('DELETE', '/logs/stream')
  await server.idle()
  const { body: listed } = await ask('GET', '/batches?limit=1')
  batch = String(listed['from'])
  isChanged = false
}

/** Creates one more key, which no route needs. */
async function newKey(actions: readonly string[], indexes = ['*'], end: string | null = null) {
  const newKeyRequest = { actions, indexes, expiresAt: end }
  const wasChanged = isChanged
  const { status, body } = await send('POST', '/keys', { body: newKeyRequest })
  isChanged = wasChanged
  expect(status, JSON.stringify(body)).toBe(201)
  return String(body['key'])
}

let expired = ''

beforeAll(async () => {
  server = await startServer({
    MASTER_KEY: MASTER,
    HTTP_PAYLOAD_SIZE_LIMIT: String(BODY_BYTES_MAX),
  })
  const on = Object.fromEntries(FEATURE_FLAGS.map((flag) => [flag, true]))
  await send('PATCH', '/experimental-features', { body: on })
  await prepare()
  const end = Date.now() + 1000
  expired = await newKey(['*'], ['*'], new Date(end).toISOString())
  while (Date.now() <= end) await new Promise((resolve) => setTimeout(resolve, 100))
})

afterAll(async () => {
  await server.stop()
})

test('every route has a row, and every row a route', () => {
  const rows = new Set(ROWS.map(shapeOf))
  expect([...known].filter((route) => !rows.has(route))).toEqual([])
  expect(ROWS.filter((row) => !known.has(shapeOf(row))).map(({ route }) => route)).toEqual([])
})

const each = (rows: readonly Row[] = THERE) => rows.map((one) => [one.route, one] as const)

describe('access', () => {
  beforeEach(prepare)

  test.each(each())('%s: accepts a key with the action', async (_, one) => {
    const { action, status, needsKey = false } = one.row
    const actions = action ?? (needsKey ? 'version' : null)
    const key = actions === null ? null : await newKey(actions.split(' '))
    const answer = await usual(one, { key })
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status })
  })

  const guarded = THERE.filter(({ row }) => row.action !== null)

  test.each(each(guarded))('%s: refuses all other keys', async (_, one) => {
    const { action, scope } = one.row
    const refused = async (key: string | null) => {
      const { status, body } = await usual(one, { key })
      return [status, body['code'], body['message']]
    }
    const missing = await refused(null)
    expect(missing.slice(0, 2)).toEqual([401, 'missing_authorization_header'])
    const invalid = [403, 'invalid_api_key', GENERIC]
    expect(await refused('none')).toEqual(invalid)
    expect(await refused(await newKey([action === 'version' ? 'stats.get' : 'version']))).toEqual(
      invalid,
    )
    expect(await refused(expired)).toEqual(invalid)
    if (scope === undefined) return
    const wider = scope === 'instance' ? '*' : action!
    const answer = await refused(await newKey([wider], ['other']))
    const words = 'The API key cannot acces the index `m`, authorized indexes are ["other"].'
    expect(answer).toEqual(scope === 'path' ? [403, 'invalid_api_key', words] : invalid)
  })
})

describe('path', () => {
  beforeAll(prepare)
  const paths = [...new Set(THERE.map(({ path }) => path))]

  test.each(paths)('%s: other methods', async (path) => {
    const rows = THERE.filter((one) => one.path === path)
    const allowed = rows.map(({ method }) => method)
    const others: string[] = METHODS.filter((method) => !allowed.includes(method))
    if (path !== '/' && !allowed.includes('GET')) others.push('HEAD')
    for (const method of others) {
      const answer = await send(method, placeOf(rows[0]!))
      expect(answer, method).toMatchObject({ status: 405, body: {} })
      expect(
        answer.allow
          ?.split(', ')
          .filter((name) => name !== 'HEAD')
          .sort(),
      ).toEqual([...allowed].sort())
    }
  })

  const ofIndexes = THERE.filter(({ row }) => row.missingIndex !== undefined)

  test.each(each(ofIndexes))('%s: missing index', async (_, one) => {
    const { missingIndex } = one.row
    const gone = { ...one, path: one.path.replace('/m', '/gone') }
    const answer = await usual(gone)
    expect(answer, JSON.stringify(answer.body)).toMatchObject({ status: missingIndex })
    if (missingIndex === 404) return expect(answer.body['code']).toBe('index_not_found')
    await server.idle()
    await send('DELETE', '/indexes/gone')
    await server.idle()
  })

  test.each(each(ofIndexes))('%s: invalid index name', async (_, one) => {
    const answer = await usual({ ...one, path: one.path.replace('/m', '/b@d') })
    const isLookedUp = one.path.endsWith('/fields')
    expect(answer).toMatchObject(
      isLookedUp
        ? { status: 404, body: { code: 'index_not_found' } }
        : { status: 400, body: { code: 'invalid_index_uid' } },
    )
  })
})

const reading = THERE.filter(({ row }) => row.body !== undefined)
const ignoresBody = ({ row, method }: Row) => row.body === undefined && method !== 'GET'
const ignoresParameters = ({ row }: Row) =>
  row.query === undefined && row.with === undefined && row.isEndless !== true
const IGNORED_BODY = { text: '{"doggo', type: 'image/png' }

describe('bodies', () => {
  beforeAll(prepare)

  test.each(each(reading))('%s: wrong types and texts', async (_, one) => {
    const refused = async (sent: Sent) => {
      const { status, body } = await usual(one, sent)
      return [status, body['code']]
    }
    expect(await refused({ type: null })).toEqual([415, 'missing_content_type'])
    expect(await refused({ type: 'text/plain' })).toEqual([415, 'invalid_content_type'])
    expect(await refused({ text: 'tru' })).toEqual([400, 'malformed_payload'])
    expect(await refused({ text: '[{"a":1,}]' })).toSatisfy(([status]) => status === 400)
    expect(await refused({ text: '' })).toEqual([400, 'missing_payload'])
    const text = JSON.stringify('x'.repeat(BODY_BYTES_MAX))
    expect(await refused({ text })).toEqual([413, 'payload_too_large'])
  })

  const passing = THERE.filter((one) => ignoresBody(one) && !ignoresParameters(one))

  test.each(each(passing))('%s: ignores the body', async (_, one) => {
    await prepare()
    const { row } = one
    const answer = await usual(one, IGNORED_BODY)
    expect(answer.status, JSON.stringify(answer.body)).toBe(row.status)
  })
})

const SAMPLES: readonly (readonly [word: string, found: string, value: unknown])[] = [
  ['null', 'null', null],
  ['flag', 'a boolean: `true`', true],
  ['count', 'a positive integer: `7`', 7],
  ['negative', 'a negative integer: `-1`', -1],
  ['number', 'a number: `1.5`', 1.5],
  ['text', 'a string: `"doggo"`', 'doggo'],
  ['list', 'an array: `["doggo"]`', ['doggo']],
  ['map', 'an object: `{"name":"products"}`', { name: 'products' }],
]

/** Returns values of other types, with the text of their refusal after the path of the member. */
function wrongValues(types: string): readonly (readonly [value: unknown, words: string])[] {
  const isNullable = types.endsWith('?')
  const words = types.replace('?', '').split(' ')
  const fits = (sample: string): boolean => {
    if (sample === 'null') return isNullable
    if (words.includes('number')) return ['count', 'negative', 'number'].includes(sample)
    return words.includes(sample)
  }
  const expected = words.map((word) => TYPE_WORDS[word as keyof typeof TYPE_WORDS]).join(' or ')
  return SAMPLES.filter(([sample]) => !fits(sample)).map(([, found, value]) => [
    value,
    `: expected ${expected}, but found ${found}`,
  ])
}

describe('members', () => {
  beforeAll(prepare)
  const withMembers = THERE.filter(({ row }) => row.members !== undefined)

  test.each(each(withMembers))('%s: wrong type', async (_, one) => {
    const { members = {} } = one.row
    for (const [name, [types, code]] of Object.entries(members)) {
      if (types === 'any') continue
      for (const [value, words] of wrongValues(types)) {
        const { [name]: _replaced, ...rest } = one.row.body as Body
        const { status, body } = await usual(one, { body: { [name]: value, ...rest } })
        const message = `Invalid value type at \`.${name}\`${words}`
        expect([status, body['code'], body['message']]).toEqual([400, code, message])
      }
    }
  })

  const strict = THERE.filter(({ row }) => row.unknown !== undefined)

  test.each(each(strict))('%s: unknown members', async (_, one) => {
    const { unknown, members = {} } = one.row
    const { status, body } = await usual(one, { body: { doggo: 1, ...(one.row.body as Body) } })
    if (unknown === null) return expect(status).toBe(one.row.status)
    expect([status, body['code']]).toEqual([400, unknown])
    const message = String(body['message'])
    expect(message).toContain('Unknown field `doggo`: expected one of `')
    for (const name of Object.keys(members)) {
      const isOffered = !UNLISTED.includes(name)
      expect(message.includes(`\`${name}\``), name).toBe(isOffered)
    }
  })

  const wholes = THERE.filter(({ row }) => row.whole !== undefined)

  test.each(each(wholes))('%s: a body of another type', async (_, { row, ...one }) => {
    const [types, code] = row.whole!
    for (const [value, words] of wrongValues(types)) {
      const { status, body } = await usual({ row, ...one }, { body: value })
      expect([status, body['code'], body['message']]).toEqual([
        400,
        code,
        `Invalid value type${words}`,
      ])
    }
  })

  test.each(each(withMembers))('%s: a body that is not an object', async (_, one) => {
    const sent = one.path === '/logs/stream' ? 3 : ['doggo']
    const { status, body } = await usual(one, { body: sent })
    expect(status).toBe(400)
    expect(body['message']).toContain('Invalid value type: expected an object, but found ')
  })
})

const PARAMETER_WORDS: { readonly [kind: string]: string | null } = {
  count: 'could not parse `doggo` as a positive integer',
  counts: 'could not parse `doggo` as a positive integer',
  flag: 'could not parse `doggo` as a boolean, expected either `true` or `false`',
  date: '`doggo` is an invalid date-time. It should follow the YYYY-MM-DD or RFC 3339 date-time format.',
  number: null,
  word: null,
}

describe('parameters', () => {
  beforeAll(prepare)
  const withQuery = THERE.filter(({ row }) => row.query !== undefined)

  test.each(each(withQuery))('%s: values', async (_, one) => {
    for (const [name, [kind, code]] of Object.entries(one.row.query!)) {
      if (kind === 'text') continue
      const { status, body } = await usual(one, {}, `${name}=doggo`)
      expect([name, status, body['code']]).toEqual([name, 400, code])
      const words = PARAMETER_WORDS[kind]
      if (words !== null) {
        expect(body['message']).toBe(`Invalid value in parameter \`${name}\`: ${words}`)
      }
    }
  })

  test.each(each(withQuery))('%s: unknown parameters', async (_, one) => {
    const { status, body } = await usual(one, {}, 'doggo=1')
    expect([status, body['code']]).toEqual([400, 'bad_request'])
    expect(body['message']).toContain('Unknown parameter `doggo`: expected one of `')
    for (const name of Object.keys(one.row.query!)) {
      if (!UNLISTED.includes(name)) expect(body['message']).toContain(`\`${name}\``)
    }
  })

  const without = THERE.filter(ignoresParameters)

  test.each(each(without))(
    '%s: ignores parameters, and a body, where it reads none',
    async (_, one) => {
      await prepare()
      const { status } = await usual(one, ignoresBody(one) ? IGNORED_BODY : {}, 'doggo=1&%zz')
      expect(status).toBe(one.row.status)
    },
  )
})

test(`${LAST}: accepts a key with the action`, async () => {
  const one = ROWS.find(({ route }) => route === LAST)!
  expect(await usual(one, { key: await newKey(['stats.get']) })).toMatchObject({ status: 403 })
  expect(await usual(one, { key: null })).toMatchObject({ status: 401 })
  expect(await usual(one, { key: await newKey(['tasks.compact']) })).toMatchObject({ status: 200 })
  expect(await send('GET', '/health', { key: null })).toMatchObject({
    status: 500,
    body: { status: 'mustRestart' },
  })
})
