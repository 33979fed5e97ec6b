// Commands about a network, with instances in this process.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { Rendezvous } from '../../engine/network/records/index.ts'
import { asTaskUid } from '../../format/ids.ts'
import { originHeaders } from '../../server/network/calls/headers.ts'
import { TestNetwork } from '../../server/network/test-network.ts'
import { startServer } from '../../server/testing/test-server.ts'
import { runForTest } from '../test-run.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-network-tools-'))
let network: TestNetwork

beforeAll(async () => {
  network = new TestNetwork({
    EXPERIMENTAL_PROXY_BACKOFF_TIMEOUT_SECONDS: '1',
    EXPERIMENTAL_PROXY_CONNECT_TIMEOUT_SECONDS: '1',
  })
  await network.form(['a', 'b', 'c'], { s1: ['a', 'b'], s2: ['b'], s3: ['c', 'a'] })
  const films = Array.from({ length: 90 }, (_, id) => ({ id, title: `film ${id}` }))
  await network.ask('a', 'POST', '/indexes/films/documents', films)
  await network.settled()
}, 60_000)

afterEach(() => {
  vi.unstubAllEnvs()
})

afterAll(async () => {
  await network.end()
  rmSync(folder, { recursive: true })
})

let copies = 0

/** Adds a document of the shard to one instance alone, as if the leader had sent it there only. */
async function changeAlone(name: string, shard: string): Promise<void> {
  const shards = new Rendezvous(['s1', 's2', 's3'])
  const isThere = (id: number) => shards.winner(Buffer.from(String(id))) === Number(shard[1]) - 1
  const id = Array.from({ length: 100 }, (_, i) => 1000 + i).find(isThere)
  const { version } = await network.ask(name, 'GET', '/network')
  const origin = {
    remoteName: 'a',
    taskUid: asTaskUid(1e6 + copies++),
    networkVersion: String(version),
  }
  const answer = await fetch(`${network.url(name)}/indexes/films/documents`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...originHeaders(origin) },
    body: JSON.stringify([{ id, title: 'alone' }]),
  })
  expect(answer.status).toBe(202)
  await network.settled()
}

const run = (...words: readonly string[]) => runForTest(['network', ...words])

test('status shows the owners, as text and as JSON', async () => {
  const { code, out } = await run('status', '--url', network.url('a'))
  expect(code).toBe(0)
  expect(out).toContain('As `a` sees it; `a` leads.')
  expect(out).toMatch(/^ {2}a +leads, asked +available +s1 s3$/m)
  expect(out).toMatch(/^ {2}b +available +s1 s2 +nothing$/m)
  expect(out).toContain('1 shard on one instance only: s2')
  const json = await run('status', '--json', '--url', network.url('b'))
  expect(JSON.parse(json.out)).toMatchObject({ self: 'b', remotes: { a: { isLeader: true } } })
})

test('plan counts the documents that a change would move, from the command line and from a file', async () => {
  const change = '{"shards": {"s2": {"addRemotes": ["c"]}}}'
  const path = join(folder, 'change.json')
  writeFileSync(path, change)
  const url = ['--url', network.url('a')]
  const asText = await run('plan', change, ...url)
  expect(asText).toMatchObject({ code: 0, err: '' })
  const moved = Number(/^(\d+) documents \(.*\) would move/.exec(asText.out)?.[1])
  expect(moved).toBeGreaterThan(10)
  expect(asText.out).toMatch(new RegExp(`^ {2}c +s3 +s2 s3 +\\d+ .*${moved} \\(`, 'm'))
  const asJson = await run('plan', `@${path}`, '--json', ...url)
  expect(JSON.parse(asJson.out)).toMatchObject({
    moves: [{ from: 'b', to: 'c', documents: moved }],
  })
  expect((await run('plan', '{}', ...url)).out).toContain('No document would move.')
})

test('verify ends with 0 if all are equal, with 1 if one is unreachable', async () => {
  const equal = await run('verify', '--url', network.url('c'))
  expect(equal).toMatchObject({ code: 0, err: '' })
  expect(equal.out).toMatch(/^Equal/)
  await network.stop('b')
  const { code, out } = await run('verify', '--url', network.url('a'))
  expect(code).toBe(1)
  expect(out).toMatch(/^All instances that answer are equal, but some do not answer/)
  expect(out).toMatch(/^ {2}b +- +error sending request/m)
  await network.start('b')
}, 30_000)

test('verify --repair sends shards that differ again, or says which are unclear', async () => {
  const url = ['--url', network.url('a')]
  expect(await run('verify', '--repair', ...url)).toMatchObject({
    code: 0,
    out: 'Nothing was repaired.\n',
  })
  // Owned by a and b.
  await changeAlone('b', 's1')
  const started = await run('verify', '--repair', ...url)
  expect(started.code).toBe(0)
  expect(started.out).toMatch(/^These get again what differs:\n.*\n.* b +s1$/ms)
  await network.until(async () => (await run('verify', ...url)).code === 0)
  const refused = await run('verify', '--repair', '--wrong', 'a', '--url', network.url('b'))
  expect(refused).toMatchObject({ code: 2, out: '' })
  expect(refused.err).toContain('not the leader')
  // Named as wrong, but the leader owns the shard too and cannot get it again.
  await changeAlone('b', 's1')
  const unclear = await run('verify', '--repair', '--wrong', 'a', ...url)
  expect(unclear.code).toBe(1)
  expect(unclear.out).toMatch(/unknown which owner of these is right:\n.*films +s1 +a b$/ms)
  expect((await run('verify', '--repair', '--wrong', 'b', ...url)).code).toBe(0)
  await network.until(async () => (await run('verify', ...url)).code === 0)
}, 60_000)

test.each([
  [['status', '--url', 'nowhere'], 'is not the URL of an instance'],
  [['status', '--url', 'ftp://a'], 'is not the URL of an instance'],
  [['status', '--url', 'http://127.0.0.1:9'], 'does not answer'],
  [['plan', '{"shards"'], 'the change is not JSON'],
  [['plan', '@/nowhere/at-all'], 'cannot be read'],
  [['plan'], 'CHANGE is missing'],
])('%j is refused: %s', async (words, message) => {
  const { code, out, err } = await run(...words)
  expect(code).toBe(2)
  expect(out).toBe('')
  expect(err).toContain(message)
})

test('a refusal of the instance is passed on', async () => {
  const { code, err } = await run('plan', '{"shards": 1}', '--url', network.url('a'))
  expect(code).toBe(2)
  expect(err).toContain('refuses (400): Invalid value type at `.shards`')
})

test('the key comes from the environment', async () => {
  const masterKey = 'a-master-key-of-16-bytes'
  const server = await startServer({ MASTER_KEY: masterKey })
  try {
    vi.stubEnv('SVC_API_KEY', 'wrong')
    const refused = await run('status', '--url', server.url)
    expect(refused.code).toBe(2)
    expect(refused.err).toContain('set SVC_API_KEY to one with the action `network.get`')
    vi.stubEnv('SVC_API_KEY', masterKey)
    const off = await run('status', '--url', server.url)
    expect(off.err).toContain('refuses (400): Using the /network/status route requires enabling')
  } finally {
    await server.stop()
  }
})

test('an answer of another form is refused', async () => {
  const other = createServer((_, response) => response.end('{"remotes": 1}'))
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const { port } = other.address() as AddressInfo
  const { code, err } = await run('verify', '--url', `http://127.0.0.1:${port}`)
  expect(code).toBe(2)
  expect(err).toContain('sends an unexpected answer')
  other.close()
  other.closeAllConnections()
})
