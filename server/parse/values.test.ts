// Values of requests one by one: moments, sizes, positions, ids, filters, lists and headers, each
// against an independent rule.
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ApiError } from '../errors/index.ts'
import * as parse from './index.ts'
import { momentOf } from './schema/date-time.ts'
import { externalIdOf } from './schema/external-id.ts'
import { filterOf } from './schema/filter.ts'
import { isIndexUid } from './schema/index-uid.ts'
import { compactText, cut, type Json, quotedText } from './schema/json-value.ts'
import { SEARCH_NAMES_MAX } from './schema/limits.ts'
import { readUpTo } from './schema/place.ts'
import { rawSort } from './schema/sort.ts'
import { urlProblem } from './schema/url.ts'

const utf8 = new TextEncoder()
const bytes = (value: unknown): Uint8Array => utf8.encode(JSON.stringify(value))

function refusalOf(work: () => unknown): ApiError {
  try {
    work()
  } catch (error) {
    expect(error).toBeInstanceOf(ApiError)
    return error as ApiError
  }
  throw new Error('nothing was refused')
}

describe('a moment', () => {
  const milliseconds = fc.integer({ min: -2e12, max: 4e12 })

  test('is the one that Date reads, in microseconds, on both sides', () => {
    fc.assert(
      fc.property(milliseconds, fc.constantFrom(0, 90, -330, 720), (ms, offset) => {
        const local = new Date(ms + offset * 60_000).toISOString().slice(0, -1)
        const size = Math.abs(offset)
        const two = (n: number): string => String(n).padStart(2, '0')
        const zone = `${offset < 0 ? '-' : '+'}${two(Math.floor(size / 60))}:${two(size % 60)}`
        expect(momentOf(local + zone, 'after')).toBe(ms * 1000)
        expect(momentOf((local + zone).replace('T', ' '), 'before')).toBe(ms * 1000)
      }),
      { numRuns: 200 },
    )
  })

  test('with more digits is rounded away from what it excludes', () => {
    fc.assert(
      fc.property(fc.nat(999_999), fc.nat(999), (micros, nanos) => {
        const fraction = String(micros).padStart(6, '0') + String(nanos).padStart(3, '0')
        const text = `1970-01-01T00:00:01.${fraction}Z`
        const exact = 1_000_000 + micros
        expect(momentOf(text, 'after')).toBe(exact)
        expect(momentOf(text, 'before')).toBe(nanos === 0 ? exact : exact + 1)
      }),
      { numRuns: 200 },
    )
  })

  test('without a time is a whole day, which both sides exclude', () => {
    fc.assert(
      fc.property(milliseconds, (ms) => {
        const day = new Date(ms).toISOString().slice(0, 10)
        const midnight = Date.parse(day) * 1000
        expect(momentOf(day, 'before')).toBe(midnight)
        expect(momentOf(day, 'after')).toBe(midnight + 86_400e6)
      }),
      { numRuns: 100 },
    )
  })

  test.each(['2023-02-29', '2024-13-01', '2024-00-10', '2024-04-31', '24-01-01', '2024-1-1', ''])(
    '%j is not one',
    (text) => {
      expect(momentOf(text, 'after')).toBeNull()
      expect(momentOf(`${text}T00:00:00Z`, 'before')).toBeNull()
    },
  )
})

describe('the size of an export', () => {
  const sizeOf = (payloadSize: unknown): unknown =>
    parse.readExport(bytes({ url: 'http://a', payloadSize })).payloadSize

  test('has a unit of 1000 or 1024, in any letter case, with or without B', () => {
    const powers = fc.constantFrom(...'KMGT'.split('').entries())
    fc.assert(
      fc.property(
        fc.nat(900),
        powers,
        fc.constantFrom('', 'i', 'I'),
        fc.boolean(),
        (n, unit, i, b) => {
          const [at, letter] = unit
          const text = `${n} ${b ? letter.toLowerCase() : letter}${i}${b ? 'b' : 'B'}`
          expect(sizeOf(text)).toBe(sizeOf(n * (i === '' ? 1000 : 1024) ** (at + 1)))
        },
      ),
      { numRuns: 100 },
    )
  })

  test.each([
    ['', 'no value can be found'],
    ['MiB', "the character 'M' is not a number"],
    ['-1', "the character '-' is not a number"],
    ['1 X', "the character 'X' is incorrect"],
    ['1 KiX', "the character 'X' is incorrect ('B' or no character is expected)"],
    ['1 BB', "the character 'B' is incorrect (no character is expected)"],
  ])('%j is refused', (text, problem) => {
    const { code, message } = refusalOf(() => sizeOf(text))
    expect(code).toBe('invalid_export_payload_size')
    expect(message).toContain(problem)
  })
})

describe('a position in a body', () => {
  const name = fc.stringMatching(/^[a-z"\\é]{1,3}$/)
  const scalar = fc.oneof(fc.integer(), fc.string({ maxLength: 4 }), fc.constantFrom(null, true))
  const nested = fc.tuple(name, name, scalar, fc.dictionary(name, fc.jsonValue({ maxDepth: 1 })))

  test('is behind a scalar and in front of a list or an object', () => {
    fc.assert(
      fc.property(nested, fc.nat(2), ([outer, inner, value, others], indent) => {
        const body = { ...others, [outer]: { ...others, [inner]: value } }
        const text = JSON.stringify(body, null, indent)
        const buffer = Buffer.from(text)
        const end = readUpTo(buffer, [outer, inner])
        expect(buffer.subarray(0, end).toString().endsWith(JSON.stringify(value))).toBe(true)
        expect(buffer[readUpTo(buffer, [outer])]).toBe('{'.charCodeAt(0))
        expect(readUpTo(buffer, [outer, 'absent'])).toBe(buffer.length)
      }),
      { numRuns: 200 },
    )
  })
})

describe('ids', () => {
  test.each<[Json, string | null]>([
    ['a-b_C9', 'a-b_C9'],
    ['a'.repeat(511), 'a'.repeat(511)],
    ['a'.repeat(512), null],
    ['', null],
    ['a b', null],
    ['é', null],
    ['a\n', null],
    [7, '7'],
    [-7, '-7'],
    [1.5, null],
    [true, null],
    [null, null],
    [['a'], null],
  ])('%j of a document', (id, expected) => {
    expect(externalIdOf(id)).toBe(expected)
  })

  test('beyond 2^53 keep all digits', () => {
    expect(externalIdOf(2n ** 63n)).toBe('9223372036854775808')
  })

  test('an index name is up to 400 letters, digits, hyphens and underscores', () => {
    expect([isIndexUid('a'.repeat(400)), isIndexUid('a'.repeat(401)), isIndexUid('')]).toEqual([
      true,
      false,
      false,
    ])
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 6 }), (text) => {
        const isPlain = [...text].every((one) => /[0-9A-Za-z_-]/.test(one))
        expect(isIndexUid(text)).toBe(isPlain)
      }),
    )
  })
})

describe('a filter in a query string', () => {
  test('is JSON where it reads as JSON, and filter syntax elsewhere', () => {
    const json = fc.array(fc.oneof(fc.string(), fc.array(fc.string(), { maxLength: 2 })))
    fc.assert(
      fc.property(json, (value) => {
        expect(filterOf(JSON.stringify(value), 'invalid_search_filter')).toEqual(value)
      }),
      { numRuns: 100 },
    )
    for (const text of ['a = 1', 'nullable = 2', 'true story', '[broken', '"a" = 1', '']) {
      expect(filterOf(text, 'invalid_search_filter'), text).toBe(text)
    }
    expect(refusalOf(() => filterOf(' null ', 'invalid_search_filter')).code).toBe(
      'invalid_search_filter',
    )
  })
})

test('sort entries are split at commas outside of points', () => {
  const field = fc.stringMatching(/^[a-z]{1,4}:(asc|desc)$/)
  const point = fc.tuple(fc.integer(), fc.integer()).map(([a, b]) => `_geoPoint(${a},${b}):asc`)
  fc.assert(
    fc.property(fc.array(fc.oneof(field, point), { minLength: 1 }), (entries) => {
      expect(rawSort(entries.join(','))).toEqual(entries)
      expect(rawSort(entries.join(' , '))).toEqual(entries)
    }),
    { numRuns: 100 },
  )
})

test('a list of tasks is restricted to each element once; a star restricts nothing', () => {
  fc.assert(
    fc.property(fc.array(fc.nat(9), { minLength: 1 }), fc.boolean(), (uids, every) => {
      const text = `uids=${[...uids, ...(every ? ['*'] : [])].join(',')}`
      const { filter } = parse.readTaskList(text)
      expect(filter.uids).toEqual(every ? null : [...new Set(uids)])
      expect(parse.readTasksToDelete(text).text).toBe(`?${text}`)
    }),
    { numRuns: 100 },
  )
})

describe('quoted text', () => {
  test('is the JSON text, or its beginning', () => {
    fc.assert(
      fc.property(fc.jsonValue({ maxDepth: 3 }), fc.integer({ min: 1, max: 40 }), (value, max) => {
        const whole = compactText(value as Json)
        expect(JSON.parse(whole)).toEqual(JSON.parse(JSON.stringify(value)))
        const quoted = quotedText(value as Json, max)
        if (!quoted.endsWith('…')) expect(quoted).toBe(whole)
        expect(cut(whole, max).length).toBeLessThanOrEqual(max + 1)
      }),
      { numRuns: 200 },
    )
  })
})

test.each([
  ['http://a.b/c', null],
  ['a.b/c', 'relative URL without a base'],
  ['http://', 'empty host'],
  ['http://u@:80', 'empty host'],
  ['http://a:b', 'invalid port number'],
  ['http://a:99999', 'invalid port number'],
  ['http://[::1', 'invalid IPv6 address'],
  ['http://[::1]:x', 'invalid port number'],
  ['http://1.2.3.4.5', 'invalid IPv4 address'],
  ['http://a b', 'invalid international domain name'],
])('%j as a URL: %s', (text, problem) => {
  expect(urlProblem(text)).toBe(problem)
})

test.each<[string, string | null, string | null]>([
  ['X-Token', 'a b', null],
  ['X-Token', null, null],
  ['x\ty', 'a', 'name `x\ty`: invalid HTTP header name'],
  ['', 'a', 'name ``: invalid HTTP header name'],
  ['X', 'a\nb', 'value `X`: failed to parse header value'],
  ['X', 'a\tb', null],
  ['X', 'é', null],
])('the header %j of a webhook with %j', (name, value, problem) => {
  const check = (): void => parse.checkWebhookHeaders({ [name]: value })
  if (problem === null) return check()
  expect(refusalOf(check)).toMatchObject({
    code: 'invalid_webhook_headers',
    message: `Invalid header ${problem}`,
  })
})

describe('a key', () => {
  const remotes = (key: unknown) => ({ remotes: { b: key } })
  const PLACES: readonly (readonly [string, (key: string) => unknown, string, string])[] = [
    [
      'network',
      (key) => parse.readNetworkPatch(bytes(remotes({ searchApiKey: key }))),
      'invalid_network_search_api_key',
      '.remotes.b.searchApiKey',
    ],
    [
      'network',
      (key) => parse.readNetworkPatch(bytes({ addRemotes: { b: { writeApiKey: key } } })),
      'invalid_network_write_api_key',
      '.addRemotes.b.writeApiKey',
    ],
    [
      'chat',
      (key) => parse.readChatSettings(bytes({ apiKey: key })),
      'invalid_chat_completion_api_key',
      '.apiKey',
    ],
    [
      'chat',
      (key) => parse.readChatSettings(bytes({ orgId: key })),
      'invalid_chat_completion_org_id',
      '.orgId',
    ],
    [
      'chat',
      (key) => parse.readChatSettings(bytes({ projectId: key })),
      'invalid_chat_completion_project_id',
      '.projectId',
    ],
    [
      'export',
      (key) => parse.readExport(bytes({ url: 'http://a', apiKey: key })),
      'invalid_export_api_key',
      '.apiKey',
    ],
  ]

  test.each(PLACES)('of a %s has to fit into a header', (_, read, code, place) => {
    for (const key of ['a key', 'ключ', 'a\tb', '']) read(key)
    const lineEnd =
      'the text ends with a line end, as the content of a file does, which must be removed'
    for (const end of ['\n', '\r\n', '\n\n', '\r']) {
      expect(refusalOf(() => read(`SECRET${end}`))).toMatchObject({
        code,
        message: `Invalid value at \`${place}\`: ${lineEnd}`,
      })
    }
    for (const key of [
      'SECRET\r\nX-Evil: 1',
      '\nSECRET',
      'SECRET\u0000',
      'SECRET\u007f',
      '\u001b',
    ]) {
      const refusal = refusalOf(() => read(key))
      expect(refusal.code).toBe(code)
      expect(refusal.message).toContain('which no HTTP header can carry')
      expect(refusal.message).not.toContain('SECRET')
    }
  })

  test('of an instance that another one sends is read as it was stored', () => {
    const sent = { ...remotes({ writeApiKey: 'SECRET\n' }), previousRemotes: {} }
    expect(parse.readNetworkPatch(bytes(sent)).remotes).toEqual({ b: { writeApiKey: 'SECRET\n' } })
  })

  test('of a webhook says what to do about a line end', () => {
    expect(refusalOf(() => parse.checkWebhookHeaders({ X: 'SECRET\n' })).message).toBe(
      'Invalid header value `X`: failed to parse header value: the text ends with a line end, as ' +
        'the content of a file does, which must be removed',
    )
  })
})

test('similar documents are requested up to a limit, by body and by query', () => {
  const most = 100_000_000
  const byBody = (more: object) => parse.readSimilar(bytes({ id: 1, embedder: 'e', ...more }), true)
  const byQuery = (more: string) => parse.similarQueryReader(() => true)(`id=1&embedder=e&${more}`)
  expect(byBody({ limit: most, offset: most })).toMatchObject({ limit: most, offset: most })
  expect(byQuery(`limit=${most}&offset=${most}`)).toMatchObject({ limit: most, offset: most })
  for (const value of [most + 1, 1e9, 2 ** 53 - 1, 1e20]) {
    for (const name of ['limit', 'offset']) {
      const code = `invalid_similar_${name}`
      expect(refusalOf(() => byBody({ [name]: value })).code).toBe(code)
      expect(refusalOf(() => byQuery(`${name}=${value}`)).code).toBe(code)
    }
  }
})

test.each([
  ['info', true],
  ['OFF', true],
  ['svc::http=debug,warn', true],
  ['svc::http=5, svc=0', true],
  ['svc=', false],
  ['svc=6', false],
  ['svc=loud', false],
  ['a=b=c', false],
  ['', false],
])('the log target %j is accepted: %s', (target, isAccepted) => {
  const read = (): string => parse.readLogTarget(bytes({ target }))
  if (isAccepted) expect(read()).toBe(target)
  else expect(refusalOf(read).code).toBe('bad_request')
})

test('the names in all lists of all searches of a request are counted together', () => {
  const names = (count: number): readonly string[] => Array.from({ length: count }, () => 'a')
  const half = SEARCH_NAMES_MAX / 2
  const search = { indexUid: 'i', attributesToRetrieve: names(half) }
  const read = (facets: number) =>
    parse.readMultiSearch(bytes({ queries: [search, { indexUid: 'j', facets: names(facets) }] }))
  expect(read(half).queries).toHaveLength(2)
  expect(refusalOf(() => read(half + 1))).toMatchObject({
    code: 'bad_request',
    message: `The lists of a search hold too many names: ${SEARCH_NAMES_MAX + 1} (limit: ${SEARCH_NAMES_MAX}).`,
  })
})

describe('a request for a completion', () => {
  const read = (more: object) =>
    parse.readCompletion(bytes({ model: 'm', messages: [{ role: 'user', content: 'a' }], ...more }))

  test('passes known members on, and drops others and nulls', () => {
    const { members } = read({ temperature: 0.5, secret: 1, top_p: null, seed: 3 })
    const passed = JSON.parse(`{"a":0${members}}`) as object
    expect(passed).toEqual({ a: 0, model: 'm', temperature: 0.5, seed: 3 })
  })

  test('keeps messages in order, without unknown members', () => {
    const role = fc.constantFrom('system', 'user', 'developer')
    const message = fc.record({ role, content: fc.string(), stray: fc.string() })
    fc.assert(
      fc.property(fc.array(message), (messages) => {
        const sent = Buffer.from(read({ messages }).messages).toString()
        const wanted = messages.map(({ role, content }) => ({ content, role }))
        expect(JSON.parse(`[${sent}]`)).toEqual(wanted)
      }),
      { numRuns: 50 },
    )
  })

  test.each([
    [{ messages: undefined }, 'missing field `messages`'],
    [{ model: undefined }, 'missing field `model`'],
    [{ model: 1 }, 'invalid type: integer `1`, expected a string'],
    [{ stream: 'yes' }, 'expected a boolean'],
    [{ n: 256 }, 'expected u8'],
    [{ tools: [{}] }, 'missing field `name`'],
    [{ messages: [{ role: 'robot' }] }, 'messages[0]: unknown role'],
    [{ messages: ['hi'] }, 'messages[0]: invalid type: string "hi", expected a map'],
    [{ messages: [{ content: 'a' }] }, 'messages[0]: missing field `role`'],
    [{ temperature: 'hot' }, '`temperature`: expected'],
  ])('%j is refused', (more, problem) => {
    const { code, message } = refusalOf(() => read(more))
    expect(code).toBe('bad_request')
    expect(message).toMatch(/^Json deserialize error: .* at line 1 column \d+$/)
    expect(message).toContain(problem)
  })
})
