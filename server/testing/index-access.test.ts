// A key for some indexes reaches no other index, wherever a request names it: in the path, the
// body, the query, a filter or a template. A tenant token reaches no more than its key.
import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { isInstanceWide } from '../../engine/admin/keys/index.ts'
import { allRoutes } from '../routes/index.ts'
import { fakeEngine } from './fake-engine.ts'
import { fakeOptions } from './fake-options.ts'
import {
  ACCESS_ROWS,
  LISTING_ROUTES,
  ROUTES_WITHOUT_NAMES,
  type Sent,
} from './index-access.table.ts'
import { startServer, type TestServer } from './test-server.ts'

const MASTER = 'a-master-key-for-tests-only'
/** Occurs in every document of the index that the key does not cover. */
const SECRET = 'kept-from-the-key'
const ROUTES = allRoutes({ ...fakeOptions(), engine: fakeEngine(), masterKey: MASTER })

type Body = { readonly [member: string]: unknown }
type Answer = { readonly status: number; readonly body: Body; readonly text: string }

let server: TestServer
let key = ''
let tenantToken = ''

async function send({ method, path, body }: Sent, token: string): Promise<Answer> {
  const answer = await fetch(server.url + path, {
    method,
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: body === undefined ? null : JSON.stringify(body),
  })
  const text = await answer.text()
  const isJson = answer.headers.get('content-type')?.startsWith('application/json') === true
  return { status: answer.status, text, body: (isJson ? JSON.parse(text) : {}) as Body }
}

const asMaster = (method: string, path: string, body?: unknown): Promise<Answer> =>
  send({ method, path, body }, MASTER)

/** Returns a token of this key with rules for all indexes. */
function tokenOf(uid: string, text: string): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = part({ searchRules: ['*'], apiKeyUid: uid })
  const message = `${part({ alg: 'HS256', typ: 'JWT' })}.${claims}`
  return `${message}.${createHmac('sha256', text).update(message).digest('base64url')}`
}

beforeAll(async () => {
  server = await startServer({ MASTER_KEY: MASTER })
  await asMaster('PATCH', '/experimental-features', {
    foreignKeys: true,
    renderRoute: true,
    multimodal: true,
    chatCompletions: true,
    network: true,
    getTaskDocumentsRoute: true,
  })
  const titles = [
    ['a1', 'one'],
    ['a2', 'secret'],
    ['outside', 'secret'],
  ] as const
  for (const [uid, title] of titles) {
    const note = uid === 'outside' ? SECRET : 'own'
    const refs = { to_a2: '1', to_outside: '1' }
    await asMaster('POST', `/indexes/${uid}/documents`, [{ id: '1', title, note, ...refs }])
    await server.idle()
  }
  const embedders = { e: { source: 'rest', documentTemplate: SECRET } }
  await asMaster('PATCH', '/indexes/outside/settings', {
    filterableAttributes: ['title'],
    chat: { documentTemplate: SECRET },
    embedders,
  })
  await asMaster('PATCH', '/indexes/a2/settings', { filterableAttributes: ['title'] })
  await asMaster('PATCH', '/indexes/a1/settings', {
    filterableAttributes: ['title', 'to_a2', 'to_outside'],
    foreignKeys: ['a2', 'outside'].map((uid) => ({ foreignIndexUid: uid, fieldName: `to_${uid}` })),
  })
  await server.idle()
  const made = await asMaster('POST', '/keys', { actions: ['*'], indexes: ['a*'], expiresAt: null })
  key = made.body['key'] as string
  tenantToken = tokenOf(made.body['uid'] as string, key)
}, 30_000)

afterAll(() => server.stop())

/** Reads everything that an answer can show of the index that the key does not cover. */
async function stateOfOutside(): Promise<string> {
  const paths = ['', '/stats', '/settings', '/documents']
  const parts = paths.map((path) => asMaster('GET', `/indexes/outside${path}`))
  const tasks = asMaster('GET', '/tasks/2')
  return (await Promise.all([...parts, tasks])).map(({ text }) => text).join('\n')
}

async function detailsOf({ body }: Answer): Promise<Body> {
  await server.idle()
  return (await asMaster('GET', `/tasks/${body['taskUid']}`)).body['details'] as Body
}

describe.each(ACCESS_ROWS)('$route $what', ({ send: sent, own, outside, tenants }) => {
  test('allows an index of the key', async () => {
    expect(await send(sent('a2'), key)).toMatchObject({ status: own })
    if (tenants) expect(await send(sent('a2'), tenantToken)).toMatchObject({ status: own })
  })

  test('refuses another index', async () => {
    const before = await stateOfOutside()
    for (const token of tenants ? [key, tenantToken] : [key]) {
      const answer = await send(sent('outside'), token)
      expect(answer.text).not.toContain(SECRET)
      if (outside === 'refused') {
        expect(answer).toMatchObject({ status: 403, body: { code: 'invalid_api_key' } })
      } else if (outside === 'missing') {
        expect(answer.body['code']).toMatch(/^(index|task|batch)_not_found$/)
      } else if (outside === 'task') {
        const { matchedTasks = 0 } = await detailsOf(answer)
        expect(matchedTasks).toBe(0)
      } else {
        expect(answer.status).toBe(200)
        expect(answer.body['results'] ?? []).toEqual([])
      }
    }
    await server.idle()
    expect(await stateOfOutside()).toBe(before)
  })
})

describe('every route', () => {
  const names = ROUTES.map(({ method, path }) => `${method} ${path}`)

  test('of a table exists', () => {
    for (const { route } of ACCESS_ROWS) expect(names).toContain(route)
    for (const route of [...LISTING_ROUTES, ...ROUTES_WITHOUT_NAMES]) {
      expect(names).toContain(route)
    }
  })

  test('with an index in its path refuses another index', async () => {
    for (const { method, path } of ROUTES) {
      if (!path.includes(':indexUid')) continue
      const place = path.replace(':indexUid', 'outside').replace(':documentId', '1')
      const sent = { method, path: place, ...(method === 'GET' ? {} : { body: {} }) }
      expect(await send(sent, key), `${method} ${path}`).toMatchObject({ status: 403 })
    }
  })

  test('without an index in its path is about the instance, public, or in one of the tables', () => {
    const tabled = new Set(ACCESS_ROWS.map(({ route }) => route))
    const listed = new Set([...tabled, ...LISTING_ROUTES, ...ROUTES_WITHOUT_NAMES])
    for (const { method, path, permits } of ROUTES) {
      if (path.includes(':indexUid') || permits === null || isInstanceWide(permits)) continue
      expect(listed, 'the table has no row').toContain(`${method} ${path}`)
    }
  })

  test.each(LISTING_ROUTES)('%s lists only indexes that the key covers', async (route) => {
    const [method = '', path = ''] = route.split(' ')
    const { status, text } = await send({ method, path }, key)
    expect(status).toBe(200)
    expect(text).toContain('"a1"')
    expect(text).not.toContain('"outside"')
  })
})
