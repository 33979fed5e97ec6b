// TLS with files as operators provide them, and independent clients: the program openssl, and
// Node's own for HTTP/1.1 and HTTP/2.
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type ClientHttp2Session, connect, constants } from 'node:http2'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls } from 'node:tls'
import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { masterKeyOnly } from './authorise.ts'
import { route } from './declare.ts'
import { RESETS_MAX, TIMEOUTS, type Timeouts } from './messages/limits.ts'
import { Router } from './router.ts'
import { HttpServer, type ServerMaker } from './server.ts'
import { bytesBody } from './test-http.ts'
import { tlsServerMaker } from './tls.ts'
import type { TlsFiles } from './tls-files.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-tls-'))
afterAll(() => rmSync(folder, { recursive: true }))
const inFolder = (name: string): string => join(folder, name)

const hasOpenssl = ((): boolean => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    // Some machines lack openssl; these tests are skipped there.
    return false
  }
})()

const openssl = (line: string): Uint8Array =>
  execFileSync('openssl', line.split(' '), { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] })

/** Creates authorities, certificates and keys in all forms; once, because it takes a while. */
function makeFiles(): void {
  const extensions = 'subjectAltName=DNS:localhost\nextendedKeyUsage=serverAuth,clientAuth\n'
  writeFileSync(inFolder('ext'), extensions)
  const root = '-newkey rsa:2048 -nodes -days 2 -keyout root.key -out root.pem -subj /CN=root'
  openssl(`req -x509 ${root}`)
  for (const name of ['rsa', 'ec', 'stranger', 'client']) {
    const kind = name === 'rsa' ? 'rsa:2048' : 'ec -pkeyopt ec_paramgen_curve:prime256v1'
    openssl(`req -newkey ${kind} -nodes -keyout ${name}.key -out ${name}.csr -subj /CN=${name}`)
    const signer =
      name === 'stranger' ? `-signkey ${name}.key` : '-CA root.pem -CAkey root.key -CAcreateserial'
    openssl(`x509 -req -in ${name}.csr ${signer} -days 2 -out ${name}.pem -extfile ext`)
  }
  openssl('rsa -in rsa.key -traditional -out rsa.pkcs1')
  openssl('ec -in ec.key -out ec.sec1')
  openssl('pkcs8 -topk8 -in ec.key -passout pass:x -out ec.encrypted')
  const both = [...['ec.sec1', 'rsa.key'].map((name) => readFileSync(inFolder(name), 'utf8'))]
  writeFileSync(inFolder('both.key'), both.join('\n'))
  const parameters = openssl('ecparam -name prime256v1').toString()
  writeFileSync(inFolder('ec.parameters'), Buffer.from(parameters, 'utf8'))
  for (const name of ['rsa', 'ec']) {
    const chain = ['root.pem'].map((file) => readFileSync(inFolder(file), 'utf8')).join('')
    const leaf = readFileSync(inFolder(`${name}.pem`), 'utf8')
    writeFileSync(inFolder(`${name}.chain`), `Subject: ${name}\n${leaf}${chain}`)
  }
  writeFileSync(inFolder('junk'), 'junk')
  writeFileSync(inFolder('index.txt'), '')
  openssl('ocsp -issuer root.pem -cert ec.pem -reqout ocsp.request')
  const responder = '-CA root.pem -rsigner root.pem -rkey root.key -ndays 1'
  openssl(`ocsp -index index.txt ${responder} -reqin ocsp.request -respout ocsp.der`)
}

const files = (more: Partial<TlsFiles> = {}): TlsFiles => ({
  certPath: inFolder('ec.chain'),
  keyPath: inFolder('ec.key'),
  authPath: null,
  ocspPath: null,
  requireAuth: false,
  resumption: false,
  tickets: false,
  keyLogPath: null,
  ...more,
})

const bodies: string[] = []
/** Requests whose clients disconnected. */
const aborted: string[] = []
const failures: string[] = []
const ROUTES = [
  route('GET', '/health', { permits: null, body: 'none', query: null }, () => ({
    status: 200,
    body: 'here',
  })),
  route('POST', '/echo', { permits: null, body: bytesBody(), query: null }, async ({ body }) => {
    bodies.push(Buffer.from(body).toString())
    return { status: 200, body }
  }),
  route('POST', '/pour', { permits: null, body: 'documents', query: null }, async ({ body }) => {
    let bytes = 0
    await body.pour({
      write: async (chunk) => {
        bytes += chunk.length
      },
    })
    bodies.push(String(bytes))
    return { status: 202, body: { bytes } }
  }),
  route('GET', '/gone', { permits: null, body: 'none', query: null }, async ({ context }) => {
    if (!context.signal.aborted) await once(context.signal, 'abort')
    aborted.push(context.uid)
    throw new Error('the client has gone')
  }),
  route('GET', '/pieces', { permits: null, body: 'none', query: null }, () => ({
    status: 200,
    contentType: 'text/plain',
    pieces: (async function* () {
      for (let i = 0; i < 1000; i++) yield 'x'.repeat(1000)
    })(),
  })),
]

const running: HttpServer[] = []
afterEach(async () => {
  for (const http of running.splice(0)) await http.stop()
  bodies.length = 0
})

const serve = async (tls: TlsFiles, timeouts: Partial<Timeouts> = {}): Promise<number> =>
  listen(tlsServerMaker(tls), timeouts)

async function listen(serving: ServerMaker, timeouts: Partial<Timeouts> = {}): Promise<number> {
  const http = new HttpServer(
    {
      router: new Router(ROUTES),
      authorise: masterKeyOnly(null),
      jsonBytesMax: 1e9,
      bodyBytesMax: 1_000_000,
      log: { failed: (_, { message }) => void failures.push(message), answered: () => undefined },
      timeouts: { ...TIMEOUTS, stopMs: 200, ...timeouts },
    },
    serving,
  )
  running.push(http)
  return (await http.listen({ host: '127.0.0.1', port: 0 })).port
}

/** Returns the output of `openssl s_client` for a connection over which it sends a request. */
function client(port: number, more = ''): Promise<string> {
  const line = `s_client -connect 127.0.0.1:${port} -servername localhost -CAfile root.pem ${more}`
  const child = spawn('openssl', line.trim().split(/\s+/), { cwd: folder })
  let said = ''
  const hear = (chunk: Uint8Array): void => {
    said += String(chunk)
    // The input stays open until the answer has arrived, because the session may come after it.
    if (said.includes('here')) child.stdin.end('Q\n')
  }
  child.stdout.on('data', hear)
  child.stderr.on('data', hear)
  child.stdin.on('error', () => undefined)
  child.stdin.write('GET /health HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  return new Promise((resolve) => child.on('close', () => resolve(said)))
}

/**
 * Returns the answer that Node's client gets with this certificate, or null if the connection
 * fails.
 */
function ask(port: number, own: string | null = null): Promise<string | null> {
  const certificates =
    own === null
      ? {}
      : {
          cert: readFileSync(inFolder(`${own}.pem`)),
          key: readFileSync(inFolder(`${own}.key`)),
        }
  return new Promise((resolve) => {
    const sent = request(
      {
        port,
        host: '127.0.0.1',
        servername: 'localhost',
        path: '/health',
        ca: readFileSync(inFolder('root.pem')),
        agent: false,
        ...certificates,
      },
      (response) => {
        let text = ''
        response.on('data', (chunk) => (text += chunk))
        response.on('end', () => resolve(text))
      },
    )
    sent.on('error', () => resolve(null))
    sent.end()
  })
}

describe.runIf(hasOpenssl)('TLS', () => {
  beforeAll(makeFiles, 60_000)

  test.each([
    ['ec.chain', 'ec.key'],
    ['ec.pem', 'ec.sec1'],
    ['rsa.chain', 'rsa.key'],
    ['rsa.chain', 'rsa.pkcs1'],
    // If a file has several keys, the first PKCS#8 key is used.
    ['rsa.chain', 'both.key'],
  ])('%s with %s', async (cert, key) => {
    const port = await serve(files({ certPath: inFolder(cert), keyPath: inFolder(key) }))
    for (const version of ['-tls1_2', '-tls1_3']) {
      const said = await client(port, version)
      expect(said).toContain('Verify return code: 0 (ok)')
      expect(said).toContain('here')
      const certificates = said.match(/^ ?\d s:/gm)
      expect(certificates).toHaveLength(cert.endsWith('.chain') ? 2 : 1)
    }
  })

  test('refuses older versions', async () => {
    const port = await serve(files())
    expect(await client(port, '-tls1_1 -cipher DEFAULT@SECLEVEL=0')).toMatch(/alert|no protocols/)
  })

  test.each([
    [{ certPath: 'nowhere' }, 'cannot open certificate file "FOLDER/nowhere"'],
    [{ certPath: 'junk' }, 'cannot read certificate file "FOLDER/junk": there is no certificate'],
    [{ keyPath: 'nowhere' }, 'cannot open private key file "FOLDER/nowhere"'],
    [{ keyPath: 'junk' }, 'cannot read private key file "FOLDER/junk": there is no private key'],
    [{ keyPath: 'ec.pem' }, 'cannot read private key file "FOLDER/ec.pem"'],
    [{ keyPath: 'ec.parameters' }, 'cannot read private key file "FOLDER/ec.parameters"'],
    [
      { keyPath: 'ec.encrypted' },
      'file contains invalid pkcs8 private key (encrypted keys not supported): "FOLDER/ec.enc',
    ],
    [{ keyPath: 'rsa.key' }, 'bad certificates/private key: "FOLDER/rsa.key" is not the key of'],
    [{ authPath: 'nowhere' }, 'cannot open client authentication file "FOLDER/nowhere"'],
    [{ authPath: 'junk' }, 'cannot read client authentication file "FOLDER/junk"'],
    [{ ocspPath: 'nowhere' }, 'cannot open ocsp file "FOLDER/nowhere"'],
    [{ ocspPath: 'junk' }, 'cannot read ocsp file "FOLDER/junk": it is not an OCSP response'],
  ] as const)('reports %j with the name of the file', (wrong, message) => {
    const paths = Object.entries(wrong).map(([name, file]) => [name, inFolder(file)])
    const loading = () => tlsServerMaker(files(Object.fromEntries(paths)))
    expect(loading).toThrow(message.replaceAll('FOLDER', folder))
  })

  test('reports a damaged key with its kind', () => {
    for (const [file, kind] of [
      ['ec.key', 'pkcs8'],
      ['rsa.pkcs1', 'rsa'],
      ['ec.sec1', 'ec'],
    ] as const) {
      const text = readFileSync(inFolder(file), 'utf8')
      const keyPath = inFolder(`${file}.damaged`)
      writeFileSync(keyPath, text.replace(/(-----\n)[A-Za-z0-9+/]{20}/, '$1MIIBAAAAAAAAAAAAAAAA'))
      expect(() => tlsServerMaker(files({ keyPath }))).toThrow(
        `file contains invalid ${kind} private key`,
      )
    }
    const pem = readFileSync(inFolder('ec.chain'), 'utf8')
    const certPath = inFolder('chain.damaged')
    writeFileSync(
      certPath,
      pem.replace(/(M[\s\S]*-----\n)[A-Za-z0-9+/]{20}/, '$1MIIBAAAAAAAAAAAAAAAA'),
    )
    expect(() => tlsServerMaker(files({ certPath }))).toThrow('certificate 2 is invalid')
  })

  test.each([
    ['a short length', [0x30, 3, 0x0a, 1, 0], null],
    ['a length of two bytes', [0x30, 0x81, 3, 0x0a, 1, 0], null],
    ['a length of three bytes', [0x30, 0x82, 0, 3, 0x0a, 1, 0], null],
    ['a refusal', [0x30, 3, 0x0a, 1, 6], 'the responder refused, with status 6'],
    ['a late refusal', [0x30, 0x81, 3, 0x0a, 1, 6], 'the responder refused, with status 6'],
    ['another tag', [0x31, 3, 0x0a, 1, 0], 'it is not an OCSP response in DER'],
    ['another tag inside', [0x30, 3, 0x02, 1, 0], 'it is not an OCSP response in DER'],
    ['a long status', [0x30, 4, 0x0a, 2, 0, 0], 'it is not an OCSP response in DER'],
    ['no status', [0x30, 3, 0x0a, 1], 'it is not an OCSP response in DER'],
    ['no bytes', [], 'it is not an OCSP response in DER'],
  ])('reads an OCSP answer with %s', (_name, bytes, problem) => {
    const ocspPath = inFolder('answer.der')
    writeFileSync(ocspPath, Uint8Array.from(bytes))
    const making = () => tlsServerMaker(files({ ocspPath }))
    if (problem === null) making()
    else expect(making).toThrow(`cannot read ocsp file "${ocspPath}": ${problem}`)
  })

  test('verifies client certificates if sent, and requires them on request', async () => {
    const wanted = await serve(files({ authPath: inFolder('root.pem') }))
    expect(await ask(wanted, 'client')).toBe('here')
    expect(await ask(wanted)).toBe('here')
    expect(await ask(wanted, 'stranger')).toBeNull()
    const required = await serve(files({ authPath: inFolder('root.pem'), requireAuth: true }))
    expect(await ask(required, 'client')).toBe('here')
    expect(await ask(required)).toBeNull()
    expect(await ask(required, 'stranger')).toBeNull()
    expect(await client(required, '-tls1_3')).toMatch(/alert certificate required/)
    expect(await client(required, '-tls1_2')).toMatch(/alert handshake failure/)
    const own = '-cert client.pem -key client.key'
    expect(await client(required, own)).toContain(
      'Acceptable client certificate CA names\nCN = root',
    )
    // Without authorities there is nothing to verify against.
    expect(await ask(await serve(files({ requireAuth: true })))).toBe('here')
  })

  test('uses renewed files after a reload; wrong ones leave the old certificate', async () => {
    const [certPath, keyPath] = [inFolder('renewed.pem'), inFolder('renewed.key')]
    const use = (name: string, key = name): void => {
      copyFileSync(inFolder(`${name}.pem`), certPath)
      copyFileSync(inFolder(`${key}.key`), keyPath)
    }
    use('ec')
    const serving = tlsServerMaker(files({ certPath, keyPath }))
    const port = await listen(serving)
    const kept = connectTls({ port, rejectUnauthorized: false, servername: 'localhost' })
    await once(kept, 'secureConnect')
    expect(await client(port)).toContain('subject=CN = ec')
    use('rsa')
    serving.reload()
    expect(await client(port)).toContain('subject=CN = rsa')
    expect(kept.destroyed).toBe(false)
    kept.destroy()
    use('ec', 'rsa')
    expect(serving.reload).toThrow(`"${keyPath}" is not the key of the first certificate`)
    rmSync(certPath)
    expect(serving.reload).toThrow(`cannot open certificate file "${certPath}"`)
    expect(await client(port)).toContain('subject=CN = rsa')
  })

  test('staples the answer of an OCSP responder', async () => {
    const port = await serve(files({ ocspPath: inFolder('ocsp.der') }))
    const said = await client(port, '-status')
    expect(said).toContain('OCSP Response Status: successful')
    expect(said).toContain('Cert Status: unknown')
    expect(await client(await serve(files()), '-status')).toContain('OCSP response: no response')
  })

  describe('sessions', () => {
    const isReused = async (tls: Partial<TlsFiles>, version: string): Promise<boolean> => {
      const port = await serve(files(tls))
      rmSync(inFolder('session'), { force: true })
      expect(await client(port, `${version} -sess_out session`)).toContain('here')
      if (!existsSync(inFolder('session'))) return false
      const said = await client(port, `${version} -sess_in session`)
      expect(said).toContain('here')
      return /^Reused, TLS/m.test(said)
    }

    test.each(['-tls1_2', '-tls1_3'])(
      'can be resumed where that is configured: %s',
      async (version) => {
        expect(await isReused({ resumption: true }, version)).toBe(true)
        expect(await isReused({ tickets: true }, version)).toBe(true)
        const byId = await isReused({ resumption: true }, '-tls1_2 -no_ticket')
        expect(byId).toBe(true)
        expect(await isReused({ tickets: true }, '-tls1_2 -no_ticket')).toBe(false)
        expect(await isReused({}, version)).toBe(false)
      },
    )

    test('get tickets where that is configured', async () => {
      const ticket = /TLS session ticket:/
      expect(await client(await serve(files({ tickets: true })), '-tls1_2')).toMatch(ticket)
      expect(await client(await serve(files()), '-tls1_2')).not.toMatch(ticket)
      const byId = await serve(files({ resumption: true }))
      expect(await client(byId, '-tls1_2 -no_ticket')).not.toMatch(ticket)
    })
  })

  test('writes connection secrets where that is configured', async () => {
    const keyLogPath = inFolder('keys.log')
    expect(await ask(await serve(files({ keyLogPath })))).toBe('here')
    while (!existsSync(keyLogPath) || readFileSync(keyLogPath).length === 0) {
      await new Promise(setImmediate)
    }
    expect(readFileSync(keyLogPath, 'utf8')).toMatch(/^(?:SERVER|CLIENT)_\w+ [0-9a-f]{64} /)
  })
})

const HEADERS = 1
const RST_STREAM = 3
const SETTINGS = 4
const END_HEADERS = 4

function frame(type: number, streamId: number, payload: readonly number[]): Buffer {
  const bytes = Buffer.alloc(9 + payload.length)
  bytes.writeUIntBE(payload.length, 0, 3)
  bytes[3] = type
  bytes[4] = type === HEADERS ? END_HEADERS : 0
  bytes.writeUInt32BE(streamId, 5)
  bytes.set(payload, 9)
  return bytes
}

describe.runIf(hasOpenssl)('HTTP/2', () => {
  let session: ClientHttp2Session
  beforeAll(makeFiles, 60_000)
  afterEach(() => session.destroy())

  let url: string
  const tls = () => ({ ca: readFileSync(inFolder('root.pem')), servername: 'localhost' })

  async function open(timeouts: Partial<Timeouts> = {}): Promise<void> {
    url = `https://127.0.0.1:${await serve(files(), timeouts)}`
    session = connect(url, tls())
    session.on('error', () => undefined)
    await new Promise((resolve) => session.once('connect', resolve))
  }

  function send(
    headers: { readonly [name: string]: string },
    body: string | null = null,
  ): Promise<{ readonly status: number; readonly text: string }> {
    return new Promise((resolve, reject) => {
      const stream = session.request(headers, { endStream: body === null })
      let status = 0
      let text = ''
      stream.on('response', (head) => {
        status = Number(head[':status'])
      })
      stream.setEncoding('utf8')
      stream.on('data', (chunk) => (text += chunk))
      stream.on('end', () => resolve({ status, text }))
      stream.on('error', reject)
      if (body !== null) stream.end(body)
    })
  }

  const POST = { ':method': 'POST', 'content-type': 'application/json' }

  const ECHO = { ':method': 'POST', ':path': '/echo', 'content-type': 'application/json' }

  test('cuts off a client that resets streams as fast as it opens them', async () => {
    await open()
    const socket = connectTls({ port: Number(new URL(url).port), ALPNProtocols: ['h2'], ...tls() })
    socket.on('error', () => undefined)
    socket.resume()
    const closed = new Promise<void>((resolve) => socket.once('close', () => resolve()))
    await new Promise((resolve) => socket.once('secureConnect', resolve))
    const frames = [Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), frame(SETTINGS, 0, [])]
    const head = Object.entries({ ...ECHO, ':scheme': 'https', ':authority': 'x' }).flatMap(
      // Literals without indexing, in the encoding of RFC 7541.
      ([name, value]) => [
        0,
        name.length,
        ...Buffer.from(name),
        value.length,
        ...Buffer.from(value),
      ],
    )
    for (let i = 0; i < 20 * RESETS_MAX; i++) {
      const id = 2 * i + 1
      frames.push(frame(HEADERS, id, head), frame(RST_STREAM, id, [0, 0, 0, 8]))
    }
    socket.write(Buffer.concat(frames))
    await closed
    expect(await send({ ':path': '/health' })).toMatchObject({ text: 'here' })
  })

  test('allows a client to reset streams occasionally', async () => {
    await open()
    for (let i = 0; i < 50; i++) {
      const stream = session.request(ECHO, { endStream: false })
      stream.on('error', () => undefined)
      stream.close(constants.NGHTTP2_CANCEL)
    }
    expect(await send({ ':path': '/health' })).toMatchObject({ text: 'here' })
  })

  test('does not report a request that its client has reset', async () => {
    await open()
    for (let i = 0; i < 5; i++) {
      const stream = session.request({ ':path': '/gone' })
      stream.on('error', () => undefined)
      // The headers must leave first: a stream that is closed immediately is never sent.
      setTimeout(() => stream.close(constants.NGHTTP2_CANCEL), 20)
    }
    await vi.waitFor(() => expect(aborted.length).toBe(5), { timeout: 10_000 })
    expect(await send({ ':path': '/health' })).toMatchObject({ text: 'here' })
    expect(failures).toEqual([])
  })

  test('answers like HTTP/1.1, many requests at the same time', async () => {
    await open()
    expect(session.alpnProtocol).toBe('h2')
    expect(await send({ ':path': '/health' })).toEqual({ status: 200, text: 'here' })
    expect((await send({ ':path': '/nowhere' })).status).toBe(404)
    expect((await send({ ':path': '/health', ':method': 'PUT' })).status).toBe(405)
    const big = JSON.stringify('x'.repeat(200_000))
    const all = await Promise.all(
      Array.from({ length: 50 }, () => send({ ...POST, ':path': '/echo' }, big)),
    )
    for (const one of all) expect(one).toEqual({ status: 200, text: big })
    const over = JSON.stringify('x'.repeat(1_000_000))
    expect((await send({ ...POST, ':path': '/echo' }, over)).status).toBe(413)
    expect((await send({ ':path': '/pieces' })).text).toHaveLength(1_000_000)
    const held = await send({ ...POST, ':path': '/echo', expect: '100-continue' }, '{}')
    expect(held).toEqual({ status: 200, text: '{}' })
  })

  test('has no stream wait for another one', async () => {
    await open()
    const slow = session.request({ ...POST, ':path': '/echo' }, { endStream: false })
    const answer = new Promise((resolve) => slow.once('response', resolve))
    slow.write('"')
    expect((await send({ ':path': '/health' })).status).toBe(200)
    slow.end('late"')
    await answer
  })

  test('refuses a body that is cut off', async () => {
    await open()
    for (const path of ['/echo', '/pour']) {
      const other = connect(url, tls())
      other.on('error', () => undefined)
      const type = path === '/pour' ? 'application/x-ndjson' : 'application/json'
      const stream = other.request({ ...POST, 'content-type': type, ':path': path })
      stream.on('error', () => undefined)
      stream.write('{"id":1}\n')
      await new Promise((resolve) => other.ping(resolve))
      other.destroy()
    }
    for (let i = 0; i < 20; i++) await send({ ':path': '/health' })
    expect(bodies).toEqual([])
  })

  test('ends a silent connection, and a request whose body does not end', async () => {
    await open({ idleMs: 100 })
    expect((await send({ ':path': '/health' })).status).toBe(200)
    await new Promise((resolve) => session.once('close', resolve))
    await open({ idleMs: 10_000, requestMs: 100, headersMs: 100 })
    const stream = session.request({ ...POST, ':path': '/echo' })
    stream.on('error', () => undefined)
    const drip = setInterval(() => stream.write('1'), 10)
    await new Promise((resolve) => stream.once('close', resolve))
    clearInterval(drip)
    expect(bodies).toEqual([])
    expect((await send({ ':path': '/health' })).status).toBe(200)
  })

  test('finishes running requests and closes connections when it stops', async () => {
    await open()
    const closed = new Promise((resolve) => session.once('close', resolve))
    const answer = send({ ':path': '/pieces' })
    await running.pop()!.stop()
    expect((await answer).status).toBe(200)
    await closed
  })
})
