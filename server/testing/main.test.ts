// The program of `dist` from outside: its output, its exit codes and its shutdown.
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer as createHttpServer, type Server as HttpServer } from 'node:http'
import { type AddressInfo, connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gzipSync } from 'node:zlib'
import { afterAll, describe, expect, test } from 'vitest'

const PROGRAM = fileURLToPath(new URL('../../dist/server/main.js', import.meta.url))
/** Where it runs. */
const folder = mkdtempSync(join(tmpdir(), 'svc-main-'))
afterAll(() => rmSync(folder, { recursive: true }))

type Ended = {
  readonly code: number | null
  readonly stdout: string
  readonly stderr: string
}

class Program {
  readonly #child: ChildProcess
  readonly ended: Promise<Ended>
  stderr = ''

  /** `descriptors`: how many the system allows the program; null for the usual limit. */
  constructor(
    words: readonly string[],
    environment: { readonly [variable: string]: string } = {},
    descriptors: number | null = null,
  ) {
    const line = [process.execPath, PROGRAM, ...words]
    const limited = ['sh', '-c', `ulimit -n ${descriptors}; exec "$0" "$@"`, ...line]
    const [program = '', ...others] = descriptors === null ? line : limited
    this.#child = spawn(program, others, {
      cwd: folder,
      env: {
        PATH: process.env['PATH'],
        SVC_NATIVES: process.env['SVC_NATIVES'],
        ...environment,
      },
    })
    let stdout = ''
    this.#child.stdout?.on('data', (chunk) => (stdout += chunk))
    this.#child.stderr?.on('data', (chunk) => (this.stderr += chunk))
    this.ended = new Promise((resolve) => {
      this.#child.once('close', (code) => resolve({ code, stdout, stderr: this.stderr }))
    })
  }

  /** Waits until the server listens, and returns its address. */
  async url(): Promise<string> {
    let code: number | null = null
    this.ended.then((ended) => (code = ended.code))
    for (;;) {
      const found = / listening host=(\S+) port=(\d+)/.exec(this.stderr)
      if (found !== null) return `http://${found[1]}:${found[2]}`
      if (code !== null) throw new Error(`it ended with ${code}: ${this.stderr}`)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal)
  }
}

const ended = (words: string, environment = {}): Promise<Ended> =>
  new Program(words === '' ? [] : words.split(' '), environment).ended

/** For tests of which nothing depends on native packages. */
const isRepeated = process.env['SVC_NATIVES'] === 'off'

describe.skipIf(isRepeated)('output and exit codes', () => {
  test('prints help and release on stdout', async () => {
    const help = await ended('--help')
    expect(help).toMatchObject({ code: 0, stderr: '' })
    expect(help.stdout).toContain('--http-addr')
    expect((await ended('--version')).stdout).toMatch(/^svc-server \d+\.\d+\.\d+\n$/)
  })

  test('exits with 2 after a wrong command line, with one message', async () => {
    const wrong = await ended('--http-addr nowhere')
    expect(wrong).toMatchObject({ code: 2, stdout: '' })
    expect(wrong.stderr).toMatch(/^error: invalid value 'nowhere'/)
    expect((await ended('', { SVC_NO_ANALYTICS: 'yes' })).code).toBe(2)
  })

  test('says which release of Node it needs, if this one is too old', async () => {
    const older = join(folder, 'older.cjs')
    const sync = "require('node:module').syncBuiltinESMExports()"
    writeFileSync(older, `require('node:zlib').crc32 = undefined\n${sync}\n`)
    const { code, stderr } = await ended('--version', { NODE_OPTIONS: `--require ${older}` })
    expect(code).toBe(1)
    expect(stderr).toMatch(/^Svc Search needs Node 20\.19, 22\.12 or a later .* is v[\d.]+\n$/)
  })

  test('exits with 1 after any other failure to start', async () => {
    const unlocked = await ended('--env production')
    expect(unlocked.code).toBe(1)
    expect(unlocked.stderr).toMatch(/^Error: You must provide a master key/)
    const missing = await ended('--config-file-path nowhere.toml')
    expect(missing.code).toBe(1)
    expect(missing.stderr).toMatch(/^Error: unable to open or read the "nowhere.toml"/)
    const noKey = await ended('--ssl-cert-path nowhere.pem --ssl-key-path key.pem --db-path never')
    expect(noKey.code).toBe(1)
    expect(noKey.stderr).toContain('\nError: cannot open certificate file "nowhere.pem"\n')
    expect(noKey.stderr.match(/nowhere\.pem"\n/g)).toHaveLength(1)
    expect(existsSync(join(folder, 'never'))).toBe(false)
    writeFileSync(join(folder, 'file'), 'no folder')
    const noFolder = await ended('--db-path file')
    expect(noFolder.code).toBe(1)
    expect(noFolder.stderr).toContain('\nError: ')
    expect(noFolder.stderr).toContain(`"${join(folder, 'file')}". Choose the path of a folder, or`)
    const behindFile = await ended('--db-path file/inside')
    expect(behindFile.stderr).toContain('a part of the path is a file, not a folder (ENOTDIR)')
  })

  test('reports a failure as one JSON object when the log is JSON, without keys', async () => {
    const words = '--experimental-logs-mode json --env production --db-path never'
    const { code, stderr } = await ended(words)
    expect(code).toBe(1)
    const { level, fields } = JSON.parse(stderr) as { level: string; fields: { message: string } }
    expect(level).toBe('ERROR')
    expect(fields.message).toMatch(/^You must provide a master key/)
    expect(fields.message).not.toContain('export')
  })

  test('refuses to start unprotected when a Meilisearch variable is set', async () => {
    const { code, stderr } = await ended('--db-path never', { MEILI_MASTER_KEY: 'theirs' })
    expect(code).toBe(2)
    expect(stderr).toContain('MEILI_MASTER_KEY: rename it to SVC_MASTER_KEY')
    expect(existsSync(join(folder, 'never'))).toBe(false)
  })

  test.runIf(process.platform === 'linux')(
    'reports immediately that a folder cannot be created',
    async () => {
      const { code, stderr } = await ended('--db-path /proc/svc-nowhere')
      expect(code).toBe(1)
      expect(stderr).toContain('The system does not allow folders there')
    },
  )

  test('reports that the port is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => other.once('listening', resolve))
    const { port } = other.address() as { port: number }
    const { code, stderr } = await ended(`--db-path taken --http-addr 127.0.0.1:${port}`)
    other.close()
    expect(code).toBe(1)
    const problem = `127.0.0.1:${port} is in use by another program (EADDRINUSE): stop it, or choose`
    expect(stderr).toContain(`Error: ${problem} another address with --http-addr\n`)
  })
})

describe('a running server', () => {
  test.each([
    ['SIGTERM', 0],
    ['SIGINT', 130],
  ] as const)('keeps what it accepted, and stops on %s with %i', async (signal, code) => {
    const words = ['--db-path', `db-${signal}`, '--http-addr', '127.0.0.1:0']
    const program = new Program(words)
    const url = await program.url()
    expect(program.stderr).toContain(` db_path=db-${signal} `)
    expect(program.stderr).toContain(' WARN svc: no master key is set: all requests are accepted')
    expect(program.stderr).not.toContain('Database path:')
    program.kill('SIGHUP')
    const accepted = await fetch(`${url}/indexes`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"uid":"kept"}',
    })
    expect(accepted.status).toBe(202)
    program.kill(signal)
    const { code: ended, stderr } = await program.ended
    expect(ended).toBe(code)
    expect(stderr).toContain('SIGHUP reloads the TLS files, but TLS is off')
    const again = new Program(words)
    const task = (await (await fetch(`${await again.url()}/tasks/0`)).json()) as object
    expect(task).toMatchObject({ uid: 0, indexUid: 'kept', type: 'indexCreation' })
    again.kill('SIGTERM')
    expect((await again.ended).code).toBe(0)
  })
})

type Reply = {
  readonly taskUid: number
  readonly status: string
  readonly finishedAt: string | null
}

function clientOf(url: string) {
  const send = async (method: string, path: string, body?: unknown): Promise<Reply> =>
    (
      await fetch(url + path, {
        method,
        headers: { 'content-type': 'application/json' },
        body: body === undefined ? null : JSON.stringify(body),
      })
    ).json() as Promise<Reply>
  const ended = async (uid: number): Promise<Reply> => {
    for (;;) {
      const task = await send('GET', `/tasks/${uid}`)
      if (task.finishedAt !== null) return task
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  return { send, ended }
}

const embedderAt = (provider: HttpServer) => ({
  source: 'rest',
  url: `http://127.0.0.1:${(provider.address() as AddressInfo).port}`,
  dimensions: 2,
  request: '{{text}}',
  response: '{{embedding}}',
  documentTemplate: '{{doc.title}}',
})

describe.skipIf(isRepeated)('a canceled task', () => {
  const RETRIED = { status: 503, headers: { 'retry-after': '100' } }
  test.each(['waits for the next attempt', 'waits for an answer'])(
    'ends as canceled while its provider %s',
    async (state) => {
      let requests = 0
      const provider = createHttpServer((request, response) => {
        requests++
        request.resume()
        if (state === 'waits for an answer') return
        response.writeHead(RETRIED.status, RETRIED.headers).end('{}')
      }).listen(0, '127.0.0.1')
      await new Promise((resolve) => provider.once('listening', resolve))
      const words = ['--db-path', `db-${requests}-${state.length}`, '--http-addr', '127.0.0.1:0']
      const allowed = { SVC_EXPERIMENTAL_ALLOWED_IP_NETWORKS: '127.0.0.0/8' }
      const program = new Program(words, allowed)
      const url = await program.url()
      const { send, ended } = clientOf(url)
      const embedder = embedderAt(provider)
      const settings = await send('PATCH', '/indexes/i/settings', { embedders: { e: embedder } })
      expect(await ended(settings.taskUid)).toMatchObject({ status: 'succeeded' })
      const added = await send('POST', '/indexes/i/documents', [{ id: 1, title: 'a' }])
      while (requests === 0) await new Promise((resolve) => setTimeout(resolve, 10))
      const cancelation = await send('POST', `/tasks/cancel?uids=${added.taskUid}`)
      expect(await ended(cancelation.taskUid)).toMatchObject({ details: { canceledTasks: 1 } })
      expect(await ended(added.taskUid)).toMatchObject({ status: 'canceled', error: null })
      program.kill('SIGTERM')
      expect((await program.ended).code).toBe(0)
      provider.closeAllConnections()
      await new Promise((resolve) => provider.close(resolve))
    },
  )
})

describe('a long import', () => {
  /** Together their bytes are above `LONG_BATCH_BYTES_MIN`; their texts are no words. */
  const DOCUMENTS = 24
  const text = randomBytes(50_000).toString('hex')

  test('keeps no write of another index waiting, and a kill loses neither', async () => {
    let mayAnswer = false
    let requests = 0
    const provider = createHttpServer((request, response) => {
      requests++
      request.resume()
      // The import waits for its last document as long as there is no answer.
      if (mayAnswer) request.on('end', () => response.end('[1, 0]'))
    }).listen(0, '127.0.0.1')
    await new Promise((resolve) => provider.once('listening', resolve))
    const words = ['--db-path', 'db-beside', '--http-addr', '127.0.0.1:0']
    const allowed = { SVC_EXPERIMENTAL_ALLOWED_IP_NETWORKS: '127.0.0.0/8' }
    const program = new Program(words, allowed)
    const { send, ended } = clientOf(await program.url())
    const embedders = { e: embedderAt(provider) }
    await send('PATCH', '/indexes/large/settings?wait=searchable', { embedders })
    const own = { e: { embeddings: [0, 1], regenerate: false } }
    const documents = Array.from({ length: DOCUMENTS }, (_, id) => ({ id, text, _vectors: own }))
    const large = await send('POST', '/indexes/large/documents', [
      ...documents,
      { id: 'last', title: 'x' },
    ])
    while (requests === 0) await new Promise((resolve) => setTimeout(resolve, 10))
    const wait = 'wait=searchable&timeout=60000'
    for (const id of [1, 2]) {
      const small = await send('POST', `/indexes/small/documents?${wait}`, [{ id, t: 'beside' }])
      expect(small.status).toBe('succeeded')
    }
    const failing = await send('POST', '/indexes/other/documents', [{ noKey: 'x' }])
    expect(await ended(failing.taskUid)).toMatchObject({ status: 'failed', batchUid: 4 })
    const search = ['POST', '/indexes/small/search', { q: 'beside' }] as const
    expect(await send(...search)).toMatchObject({ estimatedTotalHits: 2 })
    expect(await send('GET', `/tasks/${large.taskUid}`)).toMatchObject({
      status: 'processing',
      batchUid: 1,
    })
    expect(await send('GET', '/stats')).toMatchObject({
      indexes: { large: { isIndexing: true }, small: { isIndexing: false } },
    })
    program.kill('SIGKILL')
    await program.ended
    mayAnswer = true
    const again = new Program(words, allowed)
    const client = clientOf(await again.url())
    expect(await client.send(...search)).toMatchObject({ estimatedTotalHits: 2 })
    expect(await client.ended(large.taskUid)).toMatchObject({
      status: 'succeeded',
      batchUid: 5,
      details: { indexedDocuments: DOCUMENTS + 1 },
    })
    again.kill('SIGTERM')
    expect((await again.ended).code).toBe(0)
    provider.closeAllConnections()
    await new Promise((resolve) => provider.close(resolve))
  })
})

// It hides them itself.
describe.skipIf(isRepeated)('a server without native packages', () => {
  test('names them once in its log, and excludes one that has them', async () => {
    const words = ['--db-path', 'db-natives', '--http-addr', '127.0.0.1:0']
    const program = new Program(words, { SVC_NATIVES: 'off' })
    await program.url()
    const others = await Promise.all(
      ['', 'off', 'koffi'].map((natives) => new Program(words, { SVC_NATIVES: natives }).ended),
    )
    for (const { code, stderr } of others) {
      expect(code).toBe(1)
      expect(stderr).toContain('uses this database: stop it first, or name another database')
    }
    const line = 'running without native packages: svc-tools doctor says more'
    await expect.poll(() => program.stderr, { timeout: 30_000 }).toContain(line)
    program.kill('SIGTERM')
    const { code, stderr } = await program.ended
    expect([code, stderr.split(line).length]).toEqual([0, 2])
    expect(stderr).toMatch(/mmap_io="files are read into memory: .* \(SVC_NATIVES hides it\)"/)
  })
})

describe('more requests than there is room for', () => {
  const json = { 'content-type': 'application/json' }
  const post = (url: string, body: string, headers: object = json): Promise<Response> =>
    fetch(url, { method: 'POST', headers: { ...headers }, body })

  test.skipIf(isRepeated)('turns searches away with 503, and answers the others', async () => {
    const words = ['--db-path', 'db-crowd', '--http-addr', '127.0.0.1:0']
    const program = new Program(words, {
      SVC_EXPERIMENTAL_SEARCH_QUEUE_SIZE: '3',
      SVC_EXPERIMENTAL_NB_SEARCHES_PER_CORE: '1',
      SVC_EXPERIMENTAL_ENABLE_METRICS: 'true',
      SVC_LOG_LEVEL: 'INFO',
    })
    const url = await program.url()
    const films = Array.from({ length: 500 }, (_, id) => ({ id, title: `film ${id % 50} ${id}` }))
    await post(`${url}/indexes/films/documents`, JSON.stringify(films))
    while (
      ((await (await fetch(`${url}/tasks/0`)).json()) as { status: string }).status !== 'succeeded'
    ) {
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    const answers = await Promise.all(
      Array.from({ length: 300 }, (_, i) =>
        i % 2 === 0
          ? post(`${url}/indexes/films/search`, '{"q":"film","limit":100}')
          : post(`${url}/multi-search`, '{"queries":[{"indexUid":"films","q":"film 4"}]}'),
      ),
    )
    const refused = answers.filter(({ status }) => status === 503)
    expect(refused.length).toBeGreaterThan(0)
    expect(answers.filter(({ status }) => status === 200).length).toBe(300 - refused.length)
    for (const answer of refused) expect(answer.headers.get('retry-after')).toBe('10')
    expect(await refused[0]!.json()).toMatchObject({
      code: 'too_many_search_requests',
      type: 'system',
      message: 'Too many search requests running at the same time: 3. Retry after 10s.',
    })
    const metrics = await (await fetch(`${url}/metrics`)).text()
    expect(metrics).toContain(`\nsvc_searches_turned_away_total ${refused.length}\n`)
    expect(metrics).toContain('\nsvc_search_queue_size 3\n')
    expect(metrics).toContain('\nsvc_searches_running 0\n')
    expect(metrics).toContain('\nsvc_searches_waiting_to_be_processed 0\n')
    expect((await post(`${url}/indexes/films/search`, '{}')).status).toBe(200)
    program.kill('SIGTERM')
    expect((await program.ended).code).toBe(0)
  })

  test.runIf(process.platform === 'linux')(
    'keeps accepted tasks when connections use up its descriptors',
    async () => {
      const words = ['--db-path', 'db-descriptors', '--http-addr', '127.0.0.1:0']
      const program = new Program(words, { SVC_EXPERIMENTAL_ENABLE_METRICS: 'true' }, 64)
      const url = await program.url()
      const idle = Array.from({ length: 100 }, () => {
        const socket = connect(Number(new URL(url).port), '127.0.0.1')
        socket.on('error', () => undefined)
        socket.write('GET /health HTTP/1.1\r\n')
        return socket
      })
      for (let i = 0; i < 30; i++) {
        const documents = JSON.stringify(Array.from({ length: 50 }, (_, id) => ({ id, i })))
        const accepted = await post(`${url}/indexes/index${i % 6}/documents`, documents)
        expect(accepted.status).toBe(202)
      }
      const read = async (path: string): Promise<{ readonly total: number }> =>
        (await fetch(url + path)).json() as Promise<{ total: number }>
      while ((await read('/tasks?statuses=enqueued,processing')).total > 0) {
        await new Promise((resolve) => setTimeout(resolve, 10))
      }
      expect(await read('/tasks?statuses=failed,canceled')).toMatchObject({ results: [] })
      expect((await read('/tasks?statuses=succeeded')).total).toBe(30)
      const metrics = await (await fetch(`${url}/metrics`)).text()
      const dropped = /^svc_http_connections_dropped_total (\d+)$/m.exec(metrics)?.[1]
      expect(Number(dropped)).toBeGreaterThanOrEqual(92)
      for (const socket of idle) socket.destroy()
      program.kill('SIGTERM')
      expect((await program.ended).code).toBe(0)
    },
  )

  test.skipIf(isRepeated)(
    'refuses bodies at the limit, however many arrive at the same time',
    async () => {
      const words = ['--db-path', 'db-large', '--http-addr', '127.0.0.1:0']
      const limits = { SVC_HTTP_PAYLOAD_SIZE_LIMIT: '64 KiB' }
      const program = new Program(words, limits)
      const url = await program.url()
      const large = `[${'{"id":1},'.repeat(20_000)}{"id":1}]`
      const packed = gzipSync(large)
      const ask = (i: number): Promise<Response> => {
        if (i % 3 === 0) return post(`${url}/indexes/a/documents`, large)
        const body = i % 3 === 1 ? packed : `{"q":"${large.replaceAll('"', '')}"}`
        const headers = i % 3 === 1 ? { ...json, 'content-encoding': 'gzip' } : json
        const path = i % 3 === 1 ? 'documents' : 'search'
        return fetch(`${url}/indexes/a/${path}`, { method: 'POST', headers, body })
      }
      const answers = await Promise.all(Array.from({ length: 60 }, (_, i) => ask(i)))
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([413]))
      const { total } = (await (await fetch(`${url}/tasks`)).json()) as { total: number }
      expect(total).toBe(0)
      program.kill('SIGTERM')
      expect((await program.ended).code).toBe(0)
    },
  )
})
