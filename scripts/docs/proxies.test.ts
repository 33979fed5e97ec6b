// Runs nginx and Caddy with the configurations of docs/guides/proxy.md, each where it is installed:
// requests below the path reach the server, others do not.
import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startServer, type TestServer } from '../../server/testing/test-server.ts'
import { blocksOf } from './blocks.ts'

const PAGE = fileURLToPath(new URL('../../docs/guides/proxy.md', import.meta.url))
const KEY = 'the-master-key-of-the-proxy'
/** More than the megabyte to which nginx limits bodies unless it is told otherwise. */
const BODY_BYTES = 2_000_000
const START_MS_MAX = 15_000

type Proxy = {
  readonly program: string
  readonly words: (file: string, folder: string) => readonly string[]
  /** Returns the whole configuration around the block of the page. */
  readonly config: (block: string, port: number, folder: string) => string
}

const PROXIES: { readonly [language: string]: Proxy } = {
  nginx: {
    program: '/usr/sbin/nginx',
    words: (file, folder) => ['-c', file, '-p', folder, '-e', 'stderr', '-g', 'daemon off;'],
    config: (block, port, folder) =>
      `pid ${folder}/pid;\nevents {}\nhttp {\naccess_log off;\n${[
        'client_body',
        'proxy',
        'fastcgi',
        'uwsgi',
        'scgi',
      ]
        .map((name) => `${name}_temp_path ${folder}/${name};\n`)
        .join('')}server {\nlisten 127.0.0.1:${port};\n${block}\n}\n}\n`,
  },
  caddy: {
    program: '/usr/bin/caddy',
    words: (file) => ['run', '--config', file, '--adapter', 'caddyfile'],
    config: (block, port) =>
      `{\nadmin off\n}\n${block.replace('shop.example', `http://127.0.0.1:${port}`)}\n`,
  },
}

let server: TestServer
beforeAll(async () => {
  server = await startServer({ MASTER_KEY: KEY })
})
afterAll(() => server.stop())

const blocks = blocksOf(readFileSync(PAGE, 'utf8'))

test.each(Object.keys(PROXIES))('the page has one configuration of %s', (language) => {
  expect(blocks.filter((block) => block.language === language)).toHaveLength(1)
})

for (const [language, proxy] of Object.entries(PROXIES)) {
  describe.skipIf(!existsSync(proxy.program))(`behind ${language}`, () => {
    const folder = mkdtempSync(join(tmpdir(), 'svc-proxy-'))
    let child: ChildProcess
    let url = ''

    beforeAll(async () => {
      const { text } = blocks.find((block) => block.language === language)!
      const port = await freePort()
      const block = text.replace('127.0.0.1:7700', new URL(server.url).host)
      const file = join(folder, 'config')
      writeFileSync(file, proxy.config(block, port, folder))
      child = spawn(proxy.program, proxy.words(file, folder), {
        stdio: 'ignore',
        env: { HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder },
      })
      url = `http://127.0.0.1:${port}`
      await untilAnswered(`${url}/search/health`)
    })
    afterAll(async () => {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill()
      await ended
      rmSync(folder, { recursive: true })
    })

    const ask = (path: string, body?: unknown): Promise<Response> =>
      fetch(url + path, {
        ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
        headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
      })

    test('requests below the path reach the server with their key and their body', async () => {
      const documents = [{ id: 1, text: 'lamp '.repeat(BODY_BYTES / 5) }]
      expect((await ask('/search/indexes/wares/documents', documents)).status).toBe(202)
      await server.idle()
      const answer = await ask('/search/indexes/wares/search', { q: 'lamp' })
      expect(await answer.json()).toMatchObject({ estimatedTotalHits: 1 })
    })

    test('others do not', async () => {
      const answer = await ask('/indexes')
      expect(await answer.text()).not.toContain('results')
    })
  })
}

async function freePort(): Promise<number> {
  const listener = createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => listener.once('listening', resolve))
  const { port } = listener.address() as { readonly port: number }
  await new Promise((resolve) => listener.close(resolve))
  return port
}

async function untilAnswered(url: string): Promise<void> {
  const deadline = Date.now() + START_MS_MAX
  for (;;) {
    const answer = await fetch(url).catch((error: unknown) => {
      // The proxy does not listen yet.
      if (!(error instanceof TypeError)) throw error
      return null
    })
    if (answer?.ok === true) return
    if (Date.now() > deadline) throw new Error(`no answer from ${url}`)
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}
