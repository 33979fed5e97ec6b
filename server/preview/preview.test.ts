// The pages over HTTP: content negotiation, security headers, caching, size.
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RELEASE } from '../config/index.ts'
import { type BuiltPage, builtPage } from '../page/test-build.ts'
import { startServer, type TestServer } from '../testing/test-server.ts'

const PACKED_BYTES_MAX = 60_000
const HTML = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' }
const PARTS = ['/preview/page.js', '/preview/page.css', '/preview/icon.svg']
const API_PARTS = ['/preview/api.js', '/preview/api.css', '/preview/icon.svg']

type Answer = {
  readonly status: number
  readonly headers: { readonly [name: string]: string | string[] | undefined }
  readonly body: Buffer
}

/** Sends a request and returns the body as received, without decompression. */
function ask(
  server: TestServer,
  method: string,
  path: string,
  headers: { readonly [name: string]: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sent = request(server.url + path, { method, headers }, (response) => {
      const chunks: Buffer[] = []
      response.on('data', (chunk: Buffer) => chunks.push(chunk))
      response.on('end', () => {
        const { statusCode = 0, headers } = response
        resolve({ status: statusCode, headers, body: Buffer.concat(chunks) })
      })
    })
    sent.on('error', reject)
    sent.end()
  })
}

describe('the preview page', () => {
  let page: BuiltPage
  let server: TestServer
  beforeAll(async () => {
    page = await builtPage()
    server = await startServer({}, page.folder)
  })
  afterAll(async () => {
    await server.stop()
    page.remove()
  })

  it('is at the root for browsers; other clients get the status', async () => {
    const shown = await ask(server, 'GET', '/', HTML)
    expect(shown.status).toBe(200)
    expect(shown.headers['content-type']).toBe('text/html; charset=utf-8')
    expect(shown.headers.vary).toContain('Accept-Encoding')
    expect(shown.body.toString()).toMatch(/^<!doctype html>/)
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
      const { status, body } = await ask(server, 'GET', '/', headers)
      expect([status, body.toString()]).toEqual([200, '{"status":"Svc is running"}'])
    }
  })

  it('is at /openapi for browsers; other clients get the description', async () => {
    const { body } = await ask(server, 'GET', '/openapi', HTML)
    expect(body.toString()).toMatch(/^<!doctype html>/)
    for (const headers of [{}, { accept: '*/*' }, { accept: 'application/json' }]) {
      const answer = await ask(server, 'GET', '/openapi', headers)
      expect(JSON.parse(answer.body.toString())).toHaveProperty('openapi')
    }
  })

  it('lists the pages of the documentation of this release at /llms.txt', async () => {
    const { status, headers, body } = await ask(server, 'GET', '/llms.txt')
    expect([status, headers['content-type']]).toEqual([200, 'text/plain; charset=utf-8'])
    const list = readFileSync(new URL('../../docs/llms.txt', import.meta.url), 'utf8')
    expect(body.toString()).toBe(list.replaceAll('/main/', `/v${RELEASE.version}/`))
    expect(body.toString()).toContain(`/v${RELEASE.version}/docs/reference/settings.md)`)
    const head = await ask(server, 'HEAD', '/llms.txt')
    expect([head.status, head.body.length]).toEqual([200, 0])
  })

  it.each([
    ['/', PARTS],
    ['/openapi', API_PARTS],
  ])('%s may run only its own script and call only its own server', async (path, parts) => {
    const { headers, body } = await ask(server, 'GET', path, HTML)
    const policy = String(headers['content-security-policy'])
    expect(policy).toContain("default-src 'none'")
    expect(policy).not.toMatch(/unsafe|\*|https?:|data:|blob:/)
    const html = body.toString()
    // No inline script or style, and nothing from other servers.
    expect(html).not.toMatch(/<style|style=|\son[a-z]+=|https?:|<script(?![^>]*\ssrc=)/)
    const all = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!)
    const addresses = all.filter((address) => address.startsWith('preview/'))
    expect(addresses.map((address) => `/${address.split('?')[0]}`).sort()).toEqual(
      [...parts].sort(),
    )
    // They are relative, because a proxy may serve the pages below a path of its own.
    for (const address of addresses) {
      const part = await ask(server, 'GET', `/${address}`)
      expect(part.status).toBe(200)
      expect(part.headers['cache-control']).toContain('immutable')
      expect(part.headers['x-content-type-options']).toBe('nosniff')
    }
  })

  it.each([...new Set([...PARTS, ...API_PARTS, '/preview/markdown.js'])])(
    '%s is compressed, is revalidated with 304, and supports HEAD',
    async (path) => {
      const plain = await ask(server, 'GET', path)
      expect(plain.headers['cache-control']).toBe('no-cache')
      for (const [encoding, unpack] of [
        ['br', brotliDecompressSync],
        ['gzip', gunzipSync],
      ] as const) {
        const packed = await ask(server, 'GET', path, { 'accept-encoding': encoding })
        expect(packed.headers['content-encoding']).toBe(encoding)
        expect(unpack(packed.body)).toEqual(plain.body)
      }
      const known = { 'if-none-match': `"other", ${plain.headers.etag}` }
      const again = await ask(server, 'GET', path, known)
      expect([again.status, again.body.length]).toEqual([304, 0])
      const head = await ask(server, 'HEAD', path)
      expect([head.status, head.body.length]).toEqual([200, 0])
      expect(head.headers['content-length']).toBe(String(plain.body.length))
      expect((await ask(server, 'POST', path)).status).toBe(405)
    },
  )

  it('answers HEAD at the root as GET', async () => {
    expect((await ask(server, 'HEAD', '/', HTML)).status).toBe(200)
    expect((await ask(server, 'HEAD', '/')).status).toBe((await ask(server, 'GET', '/')).status)
  })

  it(`is at most ${PACKED_BYTES_MAX} bytes in all`, () => {
    const loaded = [...page.sizes].filter(([name]) => name !== 'llms.txt')
    const packed = loaded.map(([, size]) => size.packed)
    const sum = packed.reduce((total, bytes) => total + bytes, 0)
    expect(sum).toBeGreaterThan(1000)
    expect(sum).toBeLessThanOrEqual(PACKED_BYTES_MAX)
  })

  it('requires no key when the API requires one', async () => {
    const locked = await startServer({ MASTER_KEY: 'a-key-of-this-test' }, page.folder)
    expect((await ask(locked, 'GET', '/', HTML)).status).toBe(200)
    expect((await ask(locked, 'GET', '/preview/page.js')).status).toBe(200)
    expect((await ask(locked, 'GET', '/indexes')).status).toBe(401)
    await locked.stop()
  })

  it('is off in production', async () => {
    const options = { ENV: 'production', MASTER_KEY: 'sixteen-bytes-and-more' }
    const production = await startServer(options, page.folder)
    const root = await ask(production, 'GET', '/', HTML)
    expect(root.body.toString()).toBe('{"status":"Svc is running"}')
    for (const path of [...PARTS, ...API_PARTS, '/llms.txt'])
      expect((await ask(production, 'GET', path)).status).toBe(404)
    await production.stop()
  })

  it('is there in production if an option says so, without the page of the API', async () => {
    const options = { ENV: 'production', MASTER_KEY: 'sixteen-bytes-and-more' }
    const production = await startServer(
      { ...options, PREVIEW_IN_PRODUCTION: 'true', PREVIEW_IMAGES: 'https://cdn.example.com' },
      page.folder,
    )
    const root = await ask(production, 'GET', '/', { ...HTML, 'accept-encoding': 'br' })
    const html = brotliDecompressSync(root.body).toString()
    expect(html).toContain('<html lang="en" data-read-only data-images="https://cdn.example.com">')
    const policy = String(root.headers['content-security-policy'])
    expect(policy).toContain("img-src 'self' https://cdn.example.com;")
    expect(policy.match(/https/g)).toHaveLength(1)
    for (const path of PARTS) expect((await ask(production, 'GET', path)).status).toBe(200)
    for (const path of ['/openapi', '/openapi.json', '/preview/api.js', '/llms.txt'])
      expect((await ask(production, 'GET', path, HTML)).status).toBe(404)
    expect((await ask(production, 'GET', '/indexes')).status).toBe(401)
    await production.stop()
  })

  it('answers 500 when the build is not complete, and other routes still work', async () => {
    const broken = await startServer({}, new URL('nowhere/', page.folder))
    expect((await ask(broken, 'GET', '/', HTML)).status).toBe(500)
    expect((await ask(broken, 'GET', '/health')).status).toBe(200)
    await broken.stop()
  })
})
