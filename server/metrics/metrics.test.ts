// The metrics, read with an independent parser, over fake engines and a real one.
import { readFileSync, writeFileSync } from 'node:fs'
import parse from 'parse-prometheus-text-format'
import { describe, expect, test } from 'vitest'
import { asUuid } from '../../format/ids.ts'
import { fakeEngine } from '../testing/fake-engine.ts'
import { startServer } from '../testing/test-server.ts'
import { EventTally, Metrics, RequestTally } from './index.ts'
import { STRAY_PATHS_MAX } from './limits.ts'
import { METRICS, PREFIX } from './metrics.table.ts'
import { metricsPage } from './metrics-page.ts'
import type { RemoteMeasures } from './network-samples.ts'

type Family = {
  readonly name: string
  readonly help: string
  readonly type: string
  readonly metrics: readonly {
    readonly labels?: { readonly [label: string]: string }
    readonly value?: string
    readonly count?: string
    readonly sum?: string
    readonly buckets?: { readonly [le: string]: string }
  }[]
}

const families = (text: string): ReadonlyMap<string, Family> =>
  new Map((parse(text) as Family[]).map((family) => [family.name, family]))

/** Returns the values of a metric by its labels. */
function valuesOf(found: ReadonlyMap<string, Family>, name: string): { [labels: string]: number } {
  const family = found.get(PREFIX + name)
  expect(family, name).toBeDefined()
  return Object.fromEntries(
    family!.metrics.map(({ labels, value }) => [
      Object.values(labels ?? {}).join(' '),
      Number(value),
    ]),
  )
}

const NO_NETWORK: RemoteMeasures = { remotes: [], self: null, areReplicasEqual: null }

const made = (network: RemoteMeasures = NO_NETWORK) => {
  const requests = new RequestTally()
  const events = new EventTally()
  const engine = fakeEngine()
  const metrics = new Metrics({
    engine,
    requests,
    events,
    network: () => network,
    now: () => 0,
  })
  return { requests, events, metrics, read: async () => families(await metrics.text()) }
}

test('shows values of the other instances of the network, and none that are unknown', async () => {
  const errors = { unreachable: 2, timeout: 0, refused: 1, failed: 0 }
  const found = await made({
    self: 'a',
    areReplicasEqual: false,
    remotes: [
      {
        remote: 'b',
        isAvailable: false,
        shards: 3,
        backlog: { tasks: 7, bytes: 900 },
        isStale: true,
        calls: { calls: 5, seconds: 1.5, errors },
      },
      { remote: 'c', isAvailable: true, shards: 0, backlog: null, isStale: false, calls: null },
    ],
  }).read()
  expect(valuesOf(found, 'network_remote_calls_total')).toEqual({ b: 5 })
  expect(valuesOf(found, 'network_remote_call_seconds_total')).toEqual({ b: 1.5 })
  expect(valuesOf(found, 'network_remote_errors_total')).toEqual({
    'b unreachable': 2,
    'b timeout': 0,
    'b refused': 1,
    'b failed': 0,
  })
  expect(valuesOf(found, 'network_remote_available')).toEqual({ b: 0, c: 1 })
  expect(valuesOf(found, 'network_remote_shards')).toEqual({ b: 3, c: 0 })
  expect(valuesOf(found, 'network_remote_backlog_tasks')).toEqual({ b: 7 })
  expect(valuesOf(found, 'network_remote_backlog_bytes')).toEqual({ b: 900 })
  expect(valuesOf(found, 'network_remote_stale')).toEqual({ b: 1, c: 0 })
  expect(valuesOf(found, 'network_replicas_equal')).toEqual({ a: 0 })
  expect(valuesOf(await made().read(), 'network_replicas_equal')).toEqual({})
})

test('has every metric with its type and its help', async () => {
  const found = await made().read()
  for (const [name, { kind, help }] of Object.entries(METRICS)) {
    expect(found.get(PREFIX + name), name).toMatchObject({ type: kind.toUpperCase(), help })
  }
  for (const name of [
    'process_cpu_seconds_total',
    'process_open_fds',
    'process_max_fds',
    'process_threads',
    'process_virtual_memory_bytes',
    'process_resident_memory_bytes',
    'process_start_time_seconds',
  ]) {
    expect(Number(found.get(name)?.metrics[0]?.value), name).toBeGreaterThan(0)
  }
})

describe('requests', () => {
  test('are counted by route, method and status, and timed', async () => {
    const { requests, metrics, read } = made()
    requests.add('GET', '/indexes/:indexUid/search', '/indexes/a/search', 200, 3)
    requests.add('GET', '/indexes/:indexUid/search', '/indexes/b/search', 200, 30)
    requests.add('GET', '/indexes/:indexUid/search', '/indexes/c/search', 404, 60_000)
    requests.add('GET', null, '/no"where\\\n', 404, 1)
    for (let scrape = 0; scrape < 2; scrape++) {
      const found = await read()
      const counts = found.get('svc_http_requests_total')!.metrics
      expect(counts.map(({ labels, value }) => [Object.values(labels!), value])).toEqual([
        [['GET', '/indexes/{index_uid}/search', '200'], '2'],
        [['GET', '/indexes/{index_uid}/search', '404'], '1'],
        [['GET', '/no"where\\\n', '404'], '1'],
      ])
      const times = found.get('svc_http_response_time_seconds')!.metrics
      expect(times).toHaveLength(1)
      expect(times[0]!.buckets).toMatchObject({ '0.005': '1', '0.05': '2', '10': '2', '+Inf': '3' })
    }
    // The parser drops sum and count of histograms with labels.
    const labels = '{method="GET",path="/indexes/{index_uid}/search"}'
    const text = await metrics.text()
    expect(text).toContain(`svc_http_response_time_seconds_sum${labels} 60.033\n`)
    expect(text).toContain(`svc_http_response_time_seconds_count${labels} 3\n`)
  })

  test('count some unrouted paths separately, then all others together', async () => {
    const { requests, read } = made()
    for (let i = 0; i < STRAY_PATHS_MAX + 50; i++) requests.add('GET', null, `/p${i}`, 404, null)
    const found = await read()
    const counts = found.get('svc_http_requests_total')!.metrics
    expect(counts).toHaveLength(STRAY_PATHS_MAX + 1)
    expect(counts.at(-1)).toMatchObject({ labels: { path: 'other' }, value: '50' })
  })
})

test('counts chats and personalized searches', async () => {
  const { events, read } = made()
  events.personalizedSearch()
  events.chatSearch('internal')
  events.chatSearch('internal')
  events.chatAnswer('w', 'm', { prompt: 5, completion: 2 })
  events.chatAnswer('w', 'm', { prompt: 5, completion: 3 })
  const found = await read()
  expect(valuesOf(found, 'personalized_search_requests')).toEqual({ '': 1 })
  expect(valuesOf(found, 'chat_searches_total')).toEqual({ internal: 2 })
  expect(valuesOf(found, 'chat_prompt_tokens_total')).toEqual({ 'w m': 10 })
  expect(valuesOf(found, 'chat_completion_tokens_total')).toEqual({ 'w m': 5 })
  expect(valuesOf(found, 'chat_tokens_total')).toEqual({ 'w m': 15 })
})

test('shows failed webhooks, the last snapshot, and free disk space', async () => {
  const { events, read } = made()
  events.webhookFailure(asUuid('a'))
  events.webhookFailure(asUuid('b'))
  events.webhookFailure(asUuid('a'))
  const found = await read()
  expect(valuesOf(found, 'webhook_failures_total')).toEqual({ a: 2, b: 1 })
  expect(valuesOf(found, 'db_disk_free_bytes')).toEqual({ '': 7 })
  const server = await startServer({ EXPERIMENTAL_ENABLE_METRICS: 'true' })
  try {
    const readServer = async () => families(await (await fetch(`${server.url}/metrics`)).text())
    expect(valuesOf(await readServer(), 'last_snapshot')).toEqual({ '': 0 })
    const before = Math.floor(Date.now() / 1000)
    await server.ask('POST', '/snapshots')
    await server.idle()
    const later = await readServer()
    const [at] = Object.values(valuesOf(later, 'last_snapshot'))
    expect(at).toBeGreaterThanOrEqual(before)
    expect(at).toBeLessThanOrEqual(Math.ceil(Date.now() / 1000))
    const [free] = Object.values(valuesOf(later, 'db_disk_free_bytes'))
    expect(free).toBeGreaterThan(0)
  } finally {
    await server.stop()
  }
})

test('counts further models of a workspace together', () => {
  const events = new EventTally()
  for (let i = 0; i < 500; i++) events.chatAnswer('w', `m${i}`, { prompt: 1, completion: 0 })
  const models = events.chatTokens.get('w')!
  expect(models.size).toBe(101)
  expect(models.get('other')).toEqual({ prompt: 400, completion: 0 })
})

test('counts searches with personalization, once per request', async () => {
  const server = await startServer({
    EXPERIMENTAL_ENABLE_METRICS: 'true',
    EXPERIMENTAL_PERSONALIZATION_API_KEY: 'k',
  })
  try {
    await server.ask('POST', '/indexes', { uid: 'a' })
    await server.idle()
    const personalize = { userContext: 'reads a lot' }
    await server.ask('POST', '/indexes/a/search', { personalize })
    await server.ask('POST', '/indexes/a/search', {})
    const query = { indexUid: 'a', personalize }
    await server.ask('POST', '/multi-search', { queries: [query, query] })
    const found = families(await (await fetch(`${server.url}/metrics`)).text())
    expect(valuesOf(found, 'personalized_search_requests')).toEqual({ '': 2 })
  } finally {
    await server.stop()
  }
})

test('concurrent texts do not share values', async () => {
  const { read } = made()
  const all = await Promise.all(Array.from({ length: 8 }, () => read()))
  for (const found of all) expect(found.size).toBe(all[0]!.size)
})

test('a server shows indexes, tasks, batches and itself', async () => {
  const server = await startServer({ EXPERIMENTAL_ENABLE_METRICS: 'true' })
  try {
    await server.ask('POST', '/indexes/films/documents', [{ id: 1 }, { id: 2 }])
    await server.idle()
    await server.ask('POST', '/indexes/films/search', { q: '' })
    await server.ask('GET', '/indexes/none')
    const answer = await fetch(`${server.url}/metrics`)
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4')
    const found = families(await answer.text())
    expect(valuesOf(found, 'index_count')).toEqual({ '': 1 })
    expect(valuesOf(found, 'index_docs_count')).toEqual({ films: 2 })
    expect(valuesOf(found, 'nb_tasks')).toMatchObject({
      'statuses succeeded': 1,
      'statuses enqueued': 0,
      'types documentAdditionOrUpdate': 1,
      'types dsrClear': 0,
      'indexes films': 1,
    })
    expect(valuesOf(found, 'last_indexed_documents_count')).toEqual({ '0 films': 2 })
    expect(Object.keys(valuesOf(found, 'last_finished_batches_progress_trace_ms'))).toContain(
      '0 processing tasks',
    )
    expect(valuesOf(found, 'batch_running_progress_trace')).toEqual({})
    expect(valuesOf(found, 'is_indexing')).toEqual({ '': 0 })
    expect(valuesOf(found, 'last_update')['']).toBeGreaterThan(1e9)
    expect(valuesOf(found, 'db_size_bytes')['']).toBeGreaterThan(0)
    expect(valuesOf(found, 'task_queue_latency_seconds')).toEqual({ '': 0 })
    const left = valuesOf(found, 'task_queue_size_until_stop_registering')['']!
    const used = valuesOf(found, 'task_queue_used_size')['']!
    expect(left + used).toBe(valuesOf(found, 'task_queue_max_size')[''])
    expect(valuesOf(found, 'http_requests_total')).toMatchObject({
      'POST /indexes/{index_uid}/documents 202': 1,
      'POST /indexes/{index_uid}/search 200': 1,
      'GET /indexes/{index_uid} 404': 1,
    })
  } finally {
    await server.stop()
  }
})

test('the dashboard uses existing metrics only', async () => {
  const file = new URL('../../docs/grafana/svc-search.json', import.meta.url)
  const { panels } = JSON.parse(readFileSync(file, 'utf8')) as {
    panels: readonly { title: string; targets?: readonly { expr: string }[] }[]
  }
  const known = await made().read()
  const asked = new Set<string>()
  for (const { title, targets = [] } of panels) {
    for (const { expr } of targets) {
      for (const name of metricsIn(expr, title, known)) asked.add(name.replace(/_bucket$/, ''))
    }
  }
  for (const name of Object.keys(METRICS)) expect(asked, name).toContain(PREFIX + name)
})

test('alerts use existing metrics and labels, and say what to do', async () => {
  const file = new URL('../../packaging/prometheus/alerts.yaml', import.meta.url)
  const rules = readFileSync(file, 'utf8').split('- alert: ').slice(1)
  expect(rules.length).toBeGreaterThan(10)
  const known = await made().read()
  for (const rule of rules) {
    const [name = ''] = rule.split('\n', 1)
    const expr = /\n {8}expr: (.+)\n/.exec(rule)?.[1] ?? ''
    if (!expr.startsWith('up{')) metricsIn(expr, name, known)
    for (const [, label] of expr.matchAll(/(\w+)=~?"/g)) {
      const labels = Object.values(METRICS).flatMap((metric) => [...metric.labels] as string[])
      expect([...labels, 'job', 'kind', 'value'], name).toContain(label)
    }
    expect(rule, name).toMatch(/severity: (?:warning|critical) }/)
    expect(rule, name).toMatch(/summary: ".+\$labels\.instance.+"\n {10}description: ".{40,}"\n/)
  }
})

test('the alert about the disk fires for small and for large databases', () => {
  const file = new URL('../../packaging/prometheus/alerts.yaml', import.meta.url)
  const rules = readFileSync(file, 'utf8')
  const fires = (alert: string, free: number, size: number): boolean => {
    const expr = new RegExp(`alert: ${alert}\\n(?: +#.*\\n)? +expr: (.+)\\n`).exec(rules)![1]!
    return expr.split(' or ').some((part) => {
      const [, left, right = ''] = /^(\w+) < (\w+)$/.exec(part)!
      expect(left).toBe('svc_db_disk_free_bytes')
      return free < (right === 'svc_db_size_bytes' ? size : Number(right))
    })
  }
  const nearlyFull = (free: number, size: number) => fires('SvcSearchDiskIsNearlyFull', free, size)
  expect(nearlyFull(300e6, 100e6)).toBe(true)
  expect(nearlyFull(50e9, 100e9)).toBe(true)
  expect(nearlyFull(15e9, 10e9)).toBe(false)
  expect(nearlyFull(3e9, 1e6)).toBe(false)
  expect([1e8, 1e9].map((free) => fires('SvcSearchDiskIsFull', free, 1e6))).toEqual([true, false])
})

function metricsIn(
  expr: string,
  title: string,
  known: ReadonlyMap<string, Family>,
): readonly string[] {
  const names = expr.match(/\b(?:svc|process|nodejs)_\w+/g) ?? []
  expect(names.length, title).toBeGreaterThan(0)
  for (const name of names) {
    const isKnown = known.has(name) || known.has(name.replace(/_(?:bucket|sum|count)$/, ''))
    expect(isKnown, `${title}: ${name}`).toBe(true)
  }
  return names
}

test('the page matches the table', () => {
  const file = new URL('../../docs/metrics.md', import.meta.url)
  if (process.env['UPDATE_GOLDEN'] === '1') writeFileSync(file, metricsPage())
  expect(metricsPage()).toBe(readFileSync(file, 'utf8'))
})
