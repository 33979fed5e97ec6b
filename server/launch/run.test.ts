// A running server over a fake engine that records its calls: the effect of options on the engine,
// and the order of shutdown.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { expect, onTestFinished, test } from 'vitest'
import { type Config, readConfig } from '../config/index.ts'
import { Log } from '../log/index.ts'
import { fakeEngine } from '../testing/fake-engine.ts'
import { banner } from './banner.ts'
import { run } from './run.ts'

async function configOf(environment: { readonly [variable: string]: string }): Promise<Config> {
  return readConfig(new Map(), { SVC_HTTP_ADDR: '127.0.0.1:0', ...environment })
}

async function started(
  environment: { readonly [variable: string]: string } = {},
  preview: URL | null = null,
) {
  const lines: string[] = []
  const log = new Log({
    level: 'DEBUG',
    mode: 'human',
    write: (line) => lines.push(line),
    now: () => 0,
  })
  const engine = fakeEngine()
  const running = await run(await configOf(environment), engine, log, preview)
  const ask = (path: string, init?: RequestInit) =>
    fetch(`http://127.0.0.1:${running.address.port}${path}`, init)
  return { engine, running, lines, ask }
}

test('listens, answers, logs, closes the engine last', async () => {
  const { engine, running, lines, ask } = await started()
  expect((await ask('/version')).status).toBe(200)
  expect((await ask('/indexes/none')).status).toBe(404)
  await running.stop()
  expect(engine.calls).toEqual([['close', null]])
  expect(lines[0]).toContain(`listening host=127.0.0.1 port=${running.address.port}`)
  expect(lines.filter((line) => line.includes('HTTP request'))).toHaveLength(2)
  await expect(ask('/health')).rejects.toThrow()
})

test('options switch features on, a master key protects the instance, limits apply', async () => {
  const { engine, running, ask } = await started({
    SVC_EXPERIMENTAL_CONTAINS_FILTER: 'true',
    SVC_EXPERIMENTAL_ENABLE_METRICS: 'true',
    SVC_MASTER_KEY: 'a-master-key-of-tests',
    SVC_HTTP_PAYLOAD_SIZE_LIMIT: '10 B',
  })
  expect(engine.administration.features).toMatchObject({
    containsFilter: true,
    metrics: true,
    logsRoute: false,
  })
  expect((await ask('/version')).status).toBe(401)
  const answer = await ask('/indexes', {
    method: 'POST',
    headers: {
      authorization: 'Bearer a-master-key-of-tests',
      'content-type': 'application/json',
    },
    body: '{"uid":"movies"}',
  })
  expect(answer.status).toBe(413)
  await running.stop()
})

test('starts with keys, which allow their actions and do not appear in the log', async () => {
  const { running, lines, ask } = await started({ SVC_MASTER_KEY: 'a-master-key-of-tests' })
  const asMaster = { headers: { authorization: 'Bearer a-master-key-of-tests' } }
  const { results } = (await (await ask('/keys', asMaster)).json()) as {
    results: readonly { name: string; key: string; uid: string }[]
  }
  expect(results.map(({ name }) => name)).toEqual([
    'Default Search API Key',
    'Default Admin API Key',
    'Default Read-Only Admin API Key',
    'Default Chat API Key',
  ])
  const [{ key, uid }] = results as [(typeof results)[number]]
  const asSearcher = { headers: { authorization: `Bearer ${key}` } }
  expect((await ask('/indexes/none/search', asSearcher)).status).toBe(404)
  expect((await ask('/version', asSearcher)).status).toBe(403)
  const escaped = key.replaceAll('a', '%61')
  for (const name of [key, key.toUpperCase(), escaped, uid]) {
    expect((await ask(`/%6beys/${name}`, asMaster)).status).toBe(200)
  }
  await running.stop()
  const all = lines.join('').toLowerCase()
  expect(all).toContain(`eys/${uid}`)
  for (const secret of [key, escaped, 'a-master-key-of-tests']) expect(all).not.toContain(secret)
})

test('warns about options that have no effect yet', async () => {
  const { running, lines } = await started({
    SVC_EXPERIMENTAL_REDUCE_INDEXING_MEMORY_USAGE: 'true',
  })
  await running.stop()
  const warnings = lines.filter((line) => line.includes(' WARN '))
  expect(warnings).toHaveLength(1)
  expect(warnings[0]).toContain('option experimentalReduceIndexingMemoryUsage is accepted, but ')
})

test('warns that TLS is off with only one of its files', async () => {
  for (const [environment, count] of [
    [{ SVC_SSL_CERT_PATH: '/none/cert' }, 1],
    [{ SVC_SSL_KEY_PATH: '/none/key' }, 1],
    [{}, 0],
  ] as const) {
    const { running, lines } = await started(environment)
    await running.stop()
    const warnings = lines.filter((line) => line.includes(' WARN '))
    expect(warnings).toHaveLength(count)
    for (const line of warnings) {
      expect(line).toContain('TLS is off: it needs both --ssl-cert-path and --ssl-key-path')
    }
  }
})

const MASTER_KEY = 'a-master-key-of-tests'
const PRODUCTION = { SVC_ENV: 'production', SVC_MASTER_KEY: MASTER_KEY }
const PREVIEWED = { ...PRODUCTION, SVC_PREVIEW_IN_PRODUCTION: 'true' }

test.each<[string, { readonly [variable: string]: string }, boolean, readonly unknown[]]>([
  ['development', {}, true, [true, true, false]],
  ['development without its files', {}, false, [true, false, false]],
  ['production', PRODUCTION, true, [false, false, false]],
  ['production with the page', PREVIEWED, true, [false, true, true]],
])('in %s the API is described and pages are served as allowed', async (_, env, has, expected) => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-pages-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  for (const name of ['page.html', 'page.css', 'page.js', 'icon.svg']) {
    for (const ending of ['', '.br', '.gz']) {
      writeFileSync(join(folder, name + ending), '<html lang="en">')
    }
  }
  const pages = has ? pathToFileURL(`${folder}/`) : null
  const { running, ask } = await started(env, pages)
  const headers = { authorization: `Bearer ${MASTER_KEY}` }
  const description = await ask('/openapi.json', { headers })
  const page = await ask('/', { headers: { accept: 'text/html', 'accept-encoding': 'identity' } })
  const html = await page.text()
  await running.stop()
  const isPage = html.startsWith('<html')
  expect([description.status === 200, isPage, html.includes('data-read-only')]).toEqual(expected)
})

const HERE = { host: '127.0.0.1', port: 7700 }

test('the banner shows addresses and paths, and no secret', async () => {
  const text = banner(await configOf({ SVC_MASTER_KEY: 'secret', SVC_DB_PATH: 'here' }), HERE, true)
  expect(text).toContain('Database path:\t\t"here"\n')
  expect(text).toContain('Server listening on:\t"http://127.0.0.1:7700"\n')
  expect(text).toContain('considered unsafe')
  expect(text).toContain('\u001b[1;30;48;5;178m')
  expect(text).not.toContain('secret"')
  const plain = banner(await configOf({}), { host: '::1', port: 80 }, false)
  expect(plain).toContain('"http://[::1]:80"')
  expect(plain).not.toContain('\u001b')
})
