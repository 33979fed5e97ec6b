// Access of every kind of caller to every route.
import { createHmac } from 'node:crypto'
import { beforeEach, describe, expect, it } from 'vitest'
import { ACTIONS, isInstanceWide, type Keys, keyText } from '../../engine/admin/keys/index.ts'
import { asIndexUid, asUuid } from '../../format/ids.ts'
import { ApiError } from '../errors/index.ts'
import type { Caller, Route } from '../http/messages/index.ts'
import { allRoutes } from '../routes/index.ts'
import { fakeEngine } from '../testing/fake-engine.ts'
import { fakeOptions } from '../testing/fake-options.ts'
import { authorisation, keyPermits } from './index.ts'
import { TOKEN_KEPT_LENGTH_MAX, TOKENS_KEPT_MAX } from './limits.ts'

const MASTER = 'a-master-key-for-tests-only'
const NOW_SECONDS = 1_800_000_000
const GENERIC = 'The provided API key is invalid.'

const ROUTES = allRoutes({ ...fakeOptions(), engine: fakeEngine(), masterKey: MASTER })

const uidOf = (n: number): string => `5eed0000-0000-4000-8000-${String(n).padStart(12, '0')}`

let keys: Keys
let seconds: number
let made: number

beforeEach(() => {
  keys = fakeEngine().keys
  seconds = NOW_SECONDS
  made = 0
})

/** Creates a key and returns its text. */
async function newKey(
  actions: readonly string[],
  indexes: readonly string[],
  end: number | null = null,
): Promise<string> {
  const uid = uidOf(made++)
  const expiresAt = end === null ? null : { seconds: end, nanos: 0, offsetMinutes: 0 }
  await keys.create({
    uid: asUuid(uid),
    name: null,
    description: null,
    actions,
    indexes,
    expiresAt,
  })
  return keyText(asUuid(uid), MASTER)
}

const guard = (masterKey: string | null = MASTER) =>
  authorisation({ masterKey, keys, now: () => seconds * 1000 })

const routeOf = (permits: string | null): Route => ({
  method: 'GET',
  path: '/',
  permits,
  body: 'none',
  query: null,
  handle: () => ({ status: 200 }),
})

async function answer(
  authorise: ReturnType<typeof guard>,
  route: Route,
  header: string | undefined,
  indexUid?: string,
): Promise<Caller | string> {
  try {
    return await authorise(route, header, indexUid === undefined ? {} : { indexUid })
  } catch (error) {
    if (error instanceof ApiError) return `${error.status} ${error.message}`
    throw error
  }
}

const may = async (
  action: string,
  token: string,
  indexUid?: string,
  authorise = guard(),
): Promise<string> => {
  const found = await answer(authorise, routeOf(action), `Bearer ${token}`, indexUid)
  return typeof found === 'string' ? found.slice(4) : 'yes'
}

/** Returns a token signed with the key of that number. */
function tenantToken(n: number, searchRules: unknown, more: object = {}): string {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claims = { searchRules, apiKeyUid: uidOf(n), ...more }
  const message = `${part({ alg: 'HS256', typ: 'JWT' })}.${part(claims)}`
  const secret = keyText(asUuid(uidOf(n)), MASTER)
  return `${message}.${createHmac('sha256', secret).update(message).digest('base64url')}`
}

/** Returns whether the answer needs no signature to be verified, which other threads do. */
async function isKept(token: string, authorise: ReturnType<typeof guard>): Promise<boolean> {
  let isAnswered = false
  const answered = answer(authorise, routeOf('search'), `Bearer ${token}`).then(() => {
    isAnswered = true
  })
  for (let i = 0; i < 20; i++) await Promise.resolve()
  const isAnsweredEarly = isAnswered
  await answered
  return isAnsweredEarly
}

describe('every route', () => {
  it('names an action that a key can hold, or is public', () => {
    const open = ROUTES.filter(({ permits }) => permits === null).map(({ path }) => path)
    // Each tool of /mcp needs the rights of its own route.
    expect(open).toEqual(['/', '/health', '/mcp'])
    for (const { path, permits } of ROUTES) {
      if (permits !== null) expect(ACTIONS, path).toContain(permits)
    }
  })

  it('needs the right key, with the action, for the index, not expired', async () => {
    const full = await newKey(['*'], ['*'])
    const nothing = await newKey([], ['*'])
    const elsewhere = await newKey(['*'], ['other*'])
    const expired = await newKey(['*'], ['*'], NOW_SECONDS)
    const authorise = guard()
    for (const route of ROUTES) {
      const { permits } = route
      if (permits === null) continue
      const name = `${route.method} ${route.path}`
      const indexUid = route.path.includes(':indexUid') ? 'shop' : undefined
      const told = (token: string) => answer(authorise, route, `Bearer ${token}`, indexUid)
      expect(await answer(authorise, route, undefined, indexUid), name).toMatch(/^401 The Auth/)
      expect(await told('wrong'), name).toBe(`403 ${GENERIC}`)
      expect(await told(MASTER), name).toMatchObject({ visible: null })
      expect(await told(full), name).toMatchObject({ visible: null, mayCreateIndex: true })
      expect(await told(nothing), name).toBe(`403 ${GENERIC}`)
      expect(await told(expired), name).toBe(`403 ${GENERIC}`)
      const there = await told(elsewhere)
      if (indexUid !== undefined) {
        expect(there, name).toBe(
          '403 The API key cannot acces the index `shop`, authorized indexes are ["other*"].',
        )
      } else if (isInstanceWide(permits)) expect(there, name).toBe(`403 ${GENERIC}`)
      else expect(there, name).toMatchObject({ mayCreateIndex: true })
    }
  })

  it('accepts its own action and no other', async () => {
    const all = new Set(ROUTES.flatMap(({ permits }) => permits ?? []))
    // A key with the star may do everything.
    const permitted = [...all].filter((action) => action !== '*')
    const authorise = guard()
    for (const held of permitted) {
      const key = await newKey([held], ['*'])
      for (const wanted of permitted) {
        const expected = held === wanted ? 'yes' : GENERIC
        expect(await may(wanted, key, undefined, authorise), `${held}, ${wanted}`).toBe(expected)
      }
    }
  })
})

describe('a public route', () => {
  it.each([MASTER, null])(
    'needs no header, and reads none, with the master key %j',
    async (key) => {
      for (const header of [undefined, 'Basic x', 'Bearer', 'Bearer wrong']) {
        expect(await answer(guard(key), routeOf(null), header)).toMatchObject({ visible: null })
      }
    },
  )
})

describe('an API key by itself', () => {
  it('permits its actions on the whole instance', async () => {
    const key = await newKey(['metrics.get'], ['*'])
    const part = await newKey(['metrics.get', 'search'], ['a'])
    const token = tenantToken(1, ['*'])
    const permits = (action: string) =>
      [MASTER, key, part, token, 'x'].map(keyPermits(guard(), action))
    expect(permits('metrics.get')).toEqual([true, true, false, false, false])
    expect(permits('search')).toEqual([true, false, true, false, false])
  })

  it('is no reason to hide a defect', () => {
    const broken = () => {
      throw new TypeError('a defect')
    }
    expect(() => keyPermits(broken, 'search')('x')).toThrow(TypeError)
  })
})

describe('a request that runs', () => {
  const caller = async (token: string, indexUid?: string): Promise<Caller> =>
    (await answer(guard(), routeOf('search'), `Bearer ${token}`, indexUid)) as Caller
  const replace = async (actions: readonly string[], indexes: readonly string[]): Promise<void> => {
    await keys.remove(asUuid(uidOf(0)))
    made = 0
    await newKey(actions, indexes)
  }

  it.each(['key', 'tenant token'])('loses its rights with its %s', async (form) => {
    const key = await newKey(['search'], ['*'], NOW_SECONDS + 10)
    const token = form === 'key' ? key : tenantToken(0, ['*'])
    const some = await caller(token)
    const one = await caller(token, 'a')
    const valid = () => [some.isValid(), one.isValid()]
    expect(valid()).toEqual([true, true])
    seconds += 9
    expect(valid()).toEqual([true, true])
    seconds += 1
    expect(valid()).toEqual([false, false])
    await replace(['search'], ['a'])
    expect(valid()).toEqual([true, true])
    await replace(['search'], ['b'])
    expect(valid()).toEqual([true, false])
    await replace(['documents.get'], ['*'])
    expect(valid()).toEqual([false, false])
    await keys.remove(asUuid(uidOf(0)))
    expect(valid()).toEqual([false, false])
  })

  it('loses its rights after the last second of its tenant token', async () => {
    await newKey(['search'], ['*'])
    const { isValid } = await caller(tenantToken(0, ['*'], { exp: NOW_SECONDS + 5 }))
    seconds += 5
    expect(isValid()).toBe(true)
    seconds += 1
    expect(isValid()).toBe(false)
  })

  it('tells why an index is not visible', async () => {
    const key = await newKey(['search'], ['a', 'b'])
    const words = async (token: string, indexUid: string) =>
      (await caller(token)).refusal!(asIndexUid(indexUid)).message
    const ofParent = 'The API key used to generate this tenant token cannot acces the index'
    expect(await words(key, 'c')).toBe(
      'The API key cannot acces the index `c`, authorized indexes are ["a", "b"].',
    )
    const token = tenantToken(0, ['b', 'c'])
    expect(await words(token, 'c')).toBe(`${ofParent} \`c\`.`)
    expect(await words(token, 'a')).toBe(
      'The provided tenant token cannot acces the index `a`, allowed indexes are ["b", "c"].',
    )
    expect((await caller(token)).keyUid).toBe(uidOf(0))
  })
})

describe('without a master key', () => {
  it('everything is public except keys', async () => {
    const authorise = guard(null)
    const search = routeOf('search')
    for (const header of [undefined, 'Bearer x', `Bearer ${tenantToken(0, ['none'])}`]) {
      expect(await answer(authorise, search, header)).toMatchObject({ filterOf: null })
      expect(await answer(authorise, routeOf('keys.get'), header)).toMatch(/^401 Svc is running/)
    }
    expect(await answer(authorise, search, 'Basic x')).toMatch(/^401 The Authorization header/)
    expect(await answer(authorise, search, 'Bearer')).toBe(`403 ${GENERIC}`)
  })
})

describe('a key', () => {
  it('is recognised in either case, and only in full length', async () => {
    const key = await newKey(['search'], ['*'])
    expect(await may('search', key)).toBe('yes')
    expect(await may('search', key.toUpperCase())).toBe('yes')
    for (const text of [key.slice(1), `${key}0`, uidOf(0), '', ` ${key}`]) {
      expect(await may('search', text)).toBe(GENERIC)
    }
  })

  it('follows changes of the key', async () => {
    const authorise = guard()
    const key = await newKey(['search'], ['*'])
    expect(await may('search', key, undefined, authorise)).toBe('yes')
    await keys.update(asUuid(uidOf(0)), { name: 'n' })
    expect(await may('search', key, undefined, authorise)).toBe('yes')
    await keys.remove(asUuid(uidOf(0)))
    expect(await may('search', key, undefined, authorise)).toBe(GENERIC)
    made = 0
    await newKey(['version'], ['*'])
    expect(await may('search', key, undefined, authorise)).toBe(GENERIC)
    expect(await may('version', key, undefined, authorise)).toBe('yes')
  })

  it('is valid until it expires', async () => {
    const key = await newKey(['search'], ['*'], NOW_SECONDS + 10)
    const authorise = guard()
    expect(await may('search', key, undefined, authorise)).toBe('yes')
    seconds += 10
    expect(await may('search', key, undefined, authorise)).toBe(GENERIC)
  })

  it('without indexes gives access to nothing', async () => {
    const key = await newKey(['*'], [])
    expect(await may('version', key)).toBe(GENERIC)
    expect(await may('indexes.get', key)).toBe(GENERIC)
    expect(await may('indexes.get', key, 'a')).toMatch(/authorized indexes are \[\]\.$/)
  })

  it('has the visible indexes and the further actions', async () => {
    const key = await newKey(['documents.add', '*.get'], ['shop', 'a*'])
    const header = `Bearer ${key}`
    const caller = (await answer(guard(), routeOf('documents.add'), header, 'shop')) as Caller
    expect(['shop', 'shops', 'ab', 'b'].map(asIndexUid).filter(caller.visible!)).toEqual([
      'shop',
      'ab',
    ])
    expect(caller.mayCreateIndex).toBe(false)
    expect(caller.may('settings.get')).toBe(true)
    // A group holds this action, but it is about the instance.
    expect(caller.may('version')).toBe(false)
  })

  it('of another master key is invalid', async () => {
    const key = await newKey(['search'], ['*'])
    expect(await may('search', key, undefined, guard('another-master-key'))).toBe(GENERIC)
    expect(await may('search', 'schlüssel', undefined, guard('schlüssel'))).toBe(GENERIC)
    const sent = Buffer.from('schlüssel').toString('latin1')
    expect(await may('search', sent, undefined, guard('schlüssel'))).toBe('yes')
  })
})

describe('a tenant token', () => {
  it('gives access to searches and chats only', async () => {
    await newKey(['*'], ['*'])
    const token = tenantToken(0, ['*'])
    for (const action of ACTIONS) {
      const isForTenants = action === 'search' || action === 'chatCompletions'
      expect(await may(action, token), action).toBe(isForTenants ? 'yes' : GENERIC)
    }
  })

  it('allows what both its rules and its key allow', async () => {
    await newKey(['search'], ['shelf*', 'a'])
    const token = tenantToken(0, { 'shelf*': { filter: 'x = 1' }, b: null })
    expect(await may('search', token, 'shelf-2')).toBe('yes')
    expect(await may('search', token, 'a')).toBe(
      'The provided tenant token cannot acces the index `a`, allowed indexes are ["b", "shelf*"].',
    )
    expect(await may('search', token, 'b')).toBe(
      'The API key used to generate this tenant token cannot acces the index `b`.',
    )
    const caller = (await answer(guard(), routeOf('search'), `Bearer ${token}`)) as Caller
    expect(['shelf', 'a', 'b', 'c'].map(asIndexUid).filter(caller.visible!)).toEqual(['shelf'])
    expect(caller.filterOf!(asIndexUid('shelf'))).toBe('x = 1')
  })

  it('expires by itself, and with its key', async () => {
    await newKey(['search'], ['*'], NOW_SECONDS + 100)
    const authorise = guard()
    const token = tenantToken(0, ['*'], { exp: NOW_SECONDS + 5 })
    const told = (one: string) => may('search', one, undefined, authorise)
    expect(await told(token)).toBe('yes')
    seconds += 5
    expect(await told(token)).toBe('yes')
    seconds += 1
    expect(await told(token)).toBe(
      `Tenant token expired. Was valid up to \`${NOW_SECONDS + 5}\` and we're now ` +
        `\`${NOW_SECONDS + 6}\`.`,
    )
    const endless = tenantToken(0, ['*'])
    expect(await told(endless)).toBe('yes')
    seconds += 94
    expect(await told(endless)).toBe(GENERIC)
    await keys.remove(asUuid(uidOf(0)))
    expect(await told(endless)).toBe(GENERIC)
    made = 0
    await newKey(['documents.add'], ['*'])
    expect(await told(endless)).toBe(GENERIC)
  })

  it('that was refused stays refused', async () => {
    await newKey(['search'], ['*'])
    const authorise = guard()
    const good = tenantToken(0, ['*'])
    const bad = `${good.slice(0, -4)}AAAA`
    for (const _ of [1, 2]) {
      expect(await may('search', good, undefined, authorise)).toBe('yes')
      expect(await may('search', bad, undefined, authorise)).toMatch(/InvalidSignature/)
    }
  })

  it('is refused if its key goes while it is verified', async () => {
    await newKey(['search'], ['*'])
    const answered = may('search', tenantToken(0, ['*']))
    await keys.remove(asUuid(uidOf(0)))
    expect(await answered).toBe(GENERIC)
  })

  it('is kept up to a length', async () => {
    await newKey(['search'], ['*'])
    const authorise = guard()
    const tokens = Array.from({ length: 40 }, (_, i) =>
      tenantToken(0, ['*'], { x: 'x'.repeat(i + (TOKEN_KEPT_LENGTH_MAX * 3) / 4 - 160) }),
    )
    for (const token of tokens) await may('search', token, undefined, authorise)
    const kept = await Promise.all(tokens.map((token) => isKept(token, authorise)))
    expect(kept).toEqual(tokens.map(({ length }) => length <= TOKEN_KEPT_LENGTH_MAX))
    expect(tokens.some(({ length }) => length === TOKEN_KEPT_LENGTH_MAX)).toBe(true)
    expect(kept).toContain(false)
  })

  it('may be long', async () => {
    await newKey(['search'], ['*'])
    const authorise = guard()
    const long = tenantToken(0, ['a', 'x'.repeat(TOKEN_KEPT_LENGTH_MAX)])
    for (const _ of [1, 2]) expect(await may('search', long, 'a', authorise)).toBe('yes')
  })

  it('is verified again after many others', async () => {
    await newKey(['search'], ['*'])
    const authorise = guard()
    const tokens = Array.from({ length: TOKENS_KEPT_MAX + 2 }, (_, n) => tenantToken(0, [`i${n}`]))
    for (const [n, token] of tokens.entries()) {
      expect(await may('search', token, `i${n}`, authorise)).toBe('yes')
    }
    expect(await may('search', tokens[0]!, 'i0', authorise)).toBe('yes')
    expect(await may('search', tokens[0]!, 'i1', authorise)).toMatch(/allowed indexes are \["i0"\]/)
    // Token 0 took the place of 2. A use of 3 lets 4 go before it.
    expect(await isKept(tokens[3]!, authorise)).toBe(true)
    expect(await isKept(tokens[2]!, authorise)).toBe(false)
    expect(await isKept(tokens[3]!, authorise)).toBe(true)
    expect(await isKept(tokens[4]!, authorise)).toBe(false)
    expect(await isKept(tokens[6]!, authorise)).toBe(true)
  })
})
