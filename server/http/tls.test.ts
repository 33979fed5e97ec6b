// Serving TLS with files as an operator has them.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:https'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { masterKeyOnly } from './authorise.ts'
import { PATIENCE } from './limits.ts'
import { loadTls } from './load-tls.ts'
import { route } from './route.ts'
import { Router } from './router.ts'
import { HttpServer } from './server.ts'
import type { TlsFiles } from './tls.ts'

const folder = mkdtempSync(join(tmpdir(), 'svc-tls-'))
afterAll(() => rmSync(folder, { recursive: true }))

const hasOpenssl = ((): boolean => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    // Not every machine has it: the tests are left out there.
    return false
  }
})()

/** A certificate that vouches for itself, for `localhost`. */
function certificate(name: string): { readonly cert: string; readonly key: string } {
  const cert = join(folder, `${name}.cert.pem`)
  const key = join(folder, `${name}.key.pem`)
  execFileSync(
    'openssl',
    [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'],
      ...['-keyout', key, '-out', cert, '-days', '2', '-subj', `/CN=${name}`],
      ...['-addext', 'subjectAltName=DNS:localhost'],
    ],
    { stdio: 'ignore' },
  )
  return { cert, key }
}

describe.runIf(hasOpenssl)('TLS', () => {
  const server = certificate('server')
  const client = certificate('client')
  const stranger = certificate('stranger')

  const files = (more: Partial<TlsFiles> = {}): TlsFiles => ({
    certPath: server.cert,
    keyPath: server.key,
    authPath: null,
    ocspPath: null,
    requireAuth: false,
    tickets: false,
    ...more,
  })

  /** What a client with this certificate gets; null: the connection fails. */
  async function ask(tls: TlsFiles, own: typeof client | null): Promise<string | null> {
    const http = new HttpServer(
      {
        router: new Router([
          route('GET', '/health', { permits: null, body: 'none', query: false }, () => ({
            status: 200,
            body: 'here',
          })),
        ]),
        authorise: masterKeyOnly(null),
        bodyBytesMax: 1000,
        log: { failed: () => undefined, answered: () => undefined },
        patience: { ...PATIENCE, stopMs: 100 },
      },
      await loadTls(tls),
    )
    const { port } = await http.listen({ host: '127.0.0.1', port: 0 })
    const certificates =
      own === null ? {} : { cert: readFileSync(own.cert), key: readFileSync(own.key) }
    try {
      return await new Promise((resolve) => {
        const sent = request(
          {
            port,
            host: '127.0.0.1',
            servername: 'localhost',
            path: '/health',
            ca: readFileSync(server.cert),
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
    } finally {
      await http.stop()
    }
  }

  test('is served', async () => {
    expect(await ask(files(), null)).toBe('here')
    expect(await ask(files({ tickets: true }), null)).toBe('here')
  })

  test('certificates of clients are checked if sent, and asked for if told so', async () => {
    const wanted = files({ authPath: client.cert })
    expect(await ask(wanted, client)).toBe('here')
    expect(await ask(wanted, null)).toBe('here')
    expect(await ask(wanted, stranger)).toBeNull()
    const required = files({ authPath: client.cert, requireAuth: true })
    expect(await ask(required, client)).toBe('here')
    expect(await ask(required, null)).toBeNull()
  })

  test('files that are none are told apart', async () => {
    const nowhere = join(folder, 'nowhere')
    await expect(loadTls(files({ certPath: nowhere }))).rejects.toThrow(
      'cannot open certificate file',
    )
    await expect(loadTls(files({ keyPath: nowhere }))).rejects.toThrow(
      'cannot open private key file',
    )
    await expect(loadTls(files({ ocspPath: nowhere }))).rejects.toThrow('cannot open ocsp file')
    const junk = join(folder, 'junk')
    writeFileSync(junk, 'junk')
    const make = await loadTls(files({ keyPath: junk }))
    expect(() => make({})).toThrow('bad certificates/private key')
  })
})
