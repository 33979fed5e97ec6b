// Commands on a server that is hostile: escapes for the terminal, answers without an end or of
// another form.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { anything } from '../../format/schema/index.ts'
import { type LoopbackServer, startLoopback } from '../../server/testing/test-loopback.ts'
import { runTools } from '../run-tools.ts'
import { askInstance } from './ask.ts'

const ESCAPES = '\u001b]0;pwn\u0007\u001b[2J\u009b31m\u007f\u202eabc\u2066\u200f\r'
const RAW = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/

let server: LoopbackServer
let answer: (response: ServerResponse, method: string, path: string) => void
const paths: string[] = []
const folder = mkdtempSync(join(tmpdir(), 'svc-hostile-'))

beforeAll(async () => {
  server = await startLoopback((request, response) => {
    paths.push(request.url!)
    answer(response, request.method!, request.url!)
  })
})
beforeEach(() => vi.stubEnv('SVC_API_KEY', 'TOOLS-KEY'))
afterEach(() => {
  vi.unstubAllEnvs()
  paths.length = 0
})
afterAll(async () => {
  await server.stop()
  rmSync(folder, { recursive: true })
})

async function run(...words: readonly string[]) {
  const written: string[] = []
  const code = await runTools([...words, '--url', server.url], {
    out: (text) => written.push(text),
    err: (text) => written.push(text),
    isWatched: true,
    columns: 100,
    now: () => 0,
  })
  return { code, text: written.join('').replaceAll('\r\u001b[K', '') }
}

const json = (value: unknown, status = 200): void => {
  answer = (response) => void response.writeHead(status).end(JSON.stringify(value))
}

describe('escapes for the terminal are shown, never obeyed', () => {
  const hits = { hits: [{ id: ESCAPES, [ESCAPES]: ESCAPES }], processingTimeMs: 1 }
  const error = { message: ESCAPES, code: ESCAPES, type: ESCAPES, link: ESCAPES }
  const network = {
    self: ESCAPES,
    leader: ESCAPES,
    version: ESCAPES,
    remotes: {
      [ESCAPES]: {
        url: ESCAPES,
        isSelf: true,
        isLeader: true,
        status: ESCAPES,
        shards: [ESCAPES],
        backlog: null,
        stale: null,
        lastError: ESCAPES,
      },
    },
    shards: { [ESCAPES]: [ESCAPES] },
    change: null,
    replicasEqual: null,
  }
  test.each<[string, unknown, number, readonly string[]]>([
    ['hits', hits, 200, ['remote', 'search', 'x', 'q']],
    ['hits as JSON', hits, 200, ['remote', 'search', 'x', 'q', '--json']],
    ['an error', error, 400, ['remote', 'search', 'x', 'q']],
    ['a refused key', error, 403, ['remote', 'search', 'x', 'q']],
    ['settings', { synonyms: { [ESCAPES]: [ESCAPES] } }, 200, ['remote', 'settings', 'get', 'x']],
    [
      'names of settings',
      { [ESCAPES]: 1 },
      200,
      ['remote', 'settings', 'get', 'x', 'rankingRules'],
    ],
    ['a network', network, 200, ['network', 'status']],
    ['a network as JSON', network, 200, ['network', 'status', '--json']],
  ])('in %s', async (_, value, status, words) => {
    json(value, status)
    const { text } = await run(...words)
    expect(text).not.toMatch(RAW)
    expect(text).toMatch(status === 403 ? /refuses the key/ : /pwn|abc/)
    if (words.includes('--json')) expect(JSON.parse(text)).toEqual(value)
  })

  test('in a failed task', async () => {
    const path = join(folder, 'a.ndjson')
    writeFileSync(path, '{"id":1}\n')
    answer = (response, method) => {
      const error = { message: ESCAPES, code: 'x' }
      const task = { uid: 1, status: 'failed', error, details: {} }
      response.end(JSON.stringify(method === 'POST' ? { taskUid: 1 } : task))
    }
    const { code, text } = await run('remote', 'import', 'x', path)
    expect(code).toBe(1)
    expect(text).toContain('Task 1 failed: \\u001b]0;pwn\\u0007')
    expect(text).not.toMatch(RAW)
  })

  test('in words of the command line', async () => {
    const { text } = await run('remote', 'import', ESCAPES, join(folder, `${ESCAPES}.ndjson`))
    expect(text).not.toMatch(RAW)
  })
})

const SEARCH = { method: 'GET', path: '/', action: 'search' } as const
const UNEXPECTED = 'sends an unexpected answer: is it an instance of this release?'

test.each([
  ['text', 'x'],
  ['null', 'null'],
  ['hits that are a number', '{"hits":5}'],
  ['no hits', '{"processingTimeMs":1}'],
  [
    'lists in lists',
    `{"processingTimeMs":1,"hits":[{"id":${'['.repeat(50_000)}${']'.repeat(50_000)}}]}`,
  ],
])('an answer of another form is a failure: %s', async (_, body) => {
  answer = (response) => void response.end(body)
  for (const more of [[], ['--json']]) {
    expect(await run('remote', 'search', 'x', 'q', ...more)).toEqual({
      code: 2,
      text: `svc-tools: ${server.url} ${UNEXPECTED}\n`,
    })
  }
})

test('an answer without an end is cut off', async () => {
  answer = (response) => {
    const piece = Buffer.alloc(1 << 20, ' ')
    const write = (): void => {
      while (!response.destroyed && response.write(piece));
      if (!response.destroyed) response.once('drain', write)
    }
    write()
  }
  const { code, text } = await run('remote', 'search', 'x', 'q')
  expect([code, text]).toEqual([
    2,
    `svc-tools: ${server.url} sends an answer of more than 16 MiB\n`,
  ])
})

test('an answer that does not come, or not to its end, is given up', async () => {
  const instance = { url: server.url, apiKey: null }
  const request = { ...SEARCH, answerMs: 50 }
  for (const begin of ['', '{"hits":[']) {
    answer = (response) => void (begin !== '' && response.write(begin))
    await expect(askInstance(instance, request, anything)).rejects.toThrow(
      `${server.url} has not answered after 0.05 s`,
    )
  }
})

test('the key goes to the server that was named, and is never shown', async () => {
  answer = (response) => {
    response.writeHead(307, { location: `${server.url}/elsewhere` }).end('no TOOLS-KEY')
  }
  const { code, text } = await run('remote', 'search', '../keys?x=', 'q')
  // The request that was given up may arrive late.
  const asked = paths.filter((path) => path !== '/')
  expect([code, asked]).toEqual([2, ['/indexes/..%2Fkeys%3Fx%3D/search']])
  const url = server.url.replace('//', '//user:PASSWORD@')
  await expect(askInstance({ url, apiKey: null }, SEARCH, anything)).rejects.toThrow(
    `${server.url} refuses (307)`,
  )
  json({ message: 'the key TOOLS-KEY is wrong' }, 400)
  expect((await run('remote', 'search', 'x', 'q')).text).toContain('the key XXX... is wrong')
  expect(text).not.toContain('TOOLS-KEY')
})

test('a key with a line end is refused with the remedy', async () => {
  vi.stubEnv('SVC_API_KEY', 'TOOLS-KEY\n')
  expect((await run('remote', 'search', 'x', 'q')).text).toBe(
    'svc-tools: the key in SVC_API_KEY ends with a line end, as the content of a file does, ' +
      'which must be removed\n',
  )
  expect(paths).toEqual([])
})
