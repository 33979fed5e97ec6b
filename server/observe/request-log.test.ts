// The log line of a request: which parts of the client's input it shows.
import type { IncomingMessage } from 'node:http'
import { expect, test } from 'vitest'
import { ApiError } from '../errors/index.ts'
import { type Answered, route } from '../http/index.ts'
import { Log } from '../log/index.ts'
import { RequestTally } from '../metrics/index.ts'
import { requestLog } from './request-log.ts'
import { SlowSearches } from './slow-searches.ts'

function made() {
  const lines: string[] = []
  const write = (line: string) => void lines.push(line)
  const log = new Log({ level: 'INFO', mode: 'json', write, now: () => 0 })
  const requests = new RequestTally()
  const slow = new SlowSearches(log.for('svc::search'), 100)
  const { answered, failed } = requestLog(log, requests, () => true, slow)
  const tell = (url: string, more: Partial<Answered> = {}, agent?: string) => {
    const headers = { host: 'h', ...(agent === undefined ? {} : { 'user-agent': agent }) }
    const request = { method: 'GET', url, headers } as unknown as IncomingMessage
    const times = { beganAt: 0, millis: 5, idleMs: 2, body: undefined }
    answered({ request, route: null, status: 200, error: null, ...times, ...more })
    return (JSON.parse(lines.at(-1)!) as { span: { [field: string]: string } }).span
  }
  return { lines, requests, tell, failed }
}

test('logs the request and its result', () => {
  const { lines, requests, tell } = made()
  const error = new ApiError('index_not_found', 'Index `a` not found.')
  expect(tell('/indexes/a?x=%20y', { status: 404, error }, 'curl/8')).toEqual({
    name: 'HTTP request',
    method: 'GET',
    host: 'h',
    route: '/indexes/a',
    query_parameters: 'x=%20y',
    user_agent: 'curl/8',
    status_code: 404,
    error: 'Index `a` not found.',
  })
  expect(JSON.parse(lines[0]!)).toMatchObject({
    target: 'svc::http',
    fields: { message: 'close', duration_ms: 5, 'time.busy': '3.00ms', 'time.idle': '2.00ms' },
  })
  expect([...requests.counts()]).toMatchObject([{ path: '/indexes/a', status: 404, count: 1 }])
})

test('removes secrets in every place', () => {
  const { lines, requests, tell } = made()
  const key = '0123abcd'.repeat(8)
  const error = new ApiError('api_key_not_found', `API key \`${key}\` not found.`)
  tell(`/keys/${key}`, { error })
  tell(`/keys/${key.replaceAll('a', '%61')}`)
  tell(`/x?a=${key}&apiKey=one&q=seen&X-Token=two&my_secret=three&PASSWORD=four&authorization=five`)
  const all = lines.join('') + JSON.stringify([...requests.counts()])
  for (const secret of [key, '%61', 'one', 'two', 'three', 'four', 'five']) {
    expect(all).not.toContain(`=${secret}`)
    expect(all).not.toContain(`/${secret}`)
    expect(all).not.toContain(`\`${secret}`)
  }
  expect(all).toContain('q=seen')
})

test('truncates long texts', () => {
  const { lines, tell } = made()
  const shown = (length: number) => tell('/', {}, 'x'.repeat(length))['user_agent']
  expect([shown(2048), shown(2049)]).toEqual(['x'.repeat(2048), `${'x'.repeat(2048)}…`])
  lines.length = 0
  const long = 'x y'.repeat(20_000)
  tell(`/${long}?q=${long}`, { error: new ApiError('bad_request', long) }, long)
  expect(lines[0]!.length).toBeLessThan(20_000)
})

test('logs overload at intervals and each failure', () => {
  const { lines, failed } = made()
  const search = route('GET', '/s', { permits: null, body: 'none', query: null }, () => ({
    status: 200,
  }))
  for (let i = 0; i < 100; i++) failed(search, new ApiError('too_many_search_requests', 'full'))
  expect(lines).toHaveLength(1)
  expect(JSON.parse(lines[0]!)).toMatchObject({ level: 'WARN', fields: { requests: 1 } })
  for (let i = 0; i < 3; i++) failed(search, new ApiError('internal', 'broken'))
  expect(lines).toHaveLength(4)
  expect(JSON.parse(lines[3]!)).toMatchObject({ level: 'ERROR', fields: { message: 'broken' } })
})

test('logs the query of a slow search; the wait for its body does not count', () => {
  const { lines, tell } = made()
  const search = route('POST', '/indexes/:indexUid/search', RULES, () => ({ status: 200 }))
  const other = route('GET', '/stats', { ...RULES, permits: 'stats.get' }, () => ({ status: 200 }))
  const query = {
    q: 'lamp',
    filter: ['a = 1'],
    sort: [],
    hitsPerPage: null,
    showRankingScore: false,
    vector: Array.from({ length: 384 }, (_, i) => i),
  }
  tell('/indexes/a/search', { route: search, millis: 199, idleMs: 100, body: query })
  tell('/stats', { route: other, millis: 5000 })
  expect(lines).toHaveLength(2)
  tell('/indexes/a/search?x=1', { route: search, millis: 250.4, idleMs: 100, body: query })
  expect(JSON.parse(lines[2]!)).toMatchObject({
    level: 'WARN',
    target: 'svc::search',
    fields: {
      message: 'slow search',
      route: '/indexes/a/search',
      duration_ms: 150,
      status_code: 200,
      query: '{"q":"lamp","filter":["a = 1"],"vector":"384 numbers"}',
    },
  })
  tell('/indexes/a/search?q=lamp&limit=3', { route: search, millis: 300, idleMs: 0 })
  expect(JSON.parse(lines.at(-2)!)).toMatchObject({ fields: { query: 'q=lamp&limit=3' } })
  const shown = (body: object): string => {
    tell('/indexes/a/search', { route: search, millis: 300, body })
    return (JSON.parse(lines.at(-2)!) as { fields: { query: string } }).fields.query
  }
  const numbers = [1, 2, 3, 4, 5, 6, 7, 8]
  expect(shown({ vector: numbers })).toBe(JSON.stringify({ vector: numbers }))
  expect(shown({ vector: [...numbers, 9] })).toBe('{"vector":"9 numbers"}')
  const most = 4096 - '{"q":""}'.length
  expect(shown({ q: 'x'.repeat(most) })).toBe(`{"q":"${'x'.repeat(most)}"}`)
  expect(shown({ q: 'x'.repeat(most + 1) })).toBe(`{"q":"${'x'.repeat(most + 1)}"…`)
  // Exactly as slow as the threshold; one that is faster is not logged.
  tell('/indexes/a/search?q=a', { route: search, millis: 102, idleMs: 2 })
  expect(lines.at(-2)).toContain('slow search')
})

const RULES = { permits: 'search', body: 'none', query: null } as const
