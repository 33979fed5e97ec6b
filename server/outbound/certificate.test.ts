// Calls over TLS: whose certificates are accepted, and whether sessions are resumed.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { caller, modelCaller } from './index.ts'

const hasOpenssl = ((): boolean => {
  try {
    execFileSync('openssl', ['version'], { stdio: 'ignore' })
    return true
  } catch {
    // Some machines lack openssl; the test is skipped there.
    return false
  }
})()

let asked = 0
/** Whether each connection resumed a session. */
const resumed: boolean[] = []
let url = ''
let stop = (): void => undefined

beforeAll(async () => {
  if (!hasOpenssl) return
  const folder = mkdtempSync(join(tmpdir(), 'svc-certificate-'))
  const kind = 'ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost'
  const line = `req -x509 -newkey ${kind} -keyout key.pem -out cert.pem`
  execFileSync('openssl', line.split(' '), { cwd: folder, stdio: 'ignore' })
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => readFileSync(join(folder, name)))
  rmSync(folder, { recursive: true })
  const server = createServer({ key: key!, cert: cert! }, (_, response) => {
    asked++
    response.end()
  })
  server.on('secureConnection', (socket) => resumed.push(socket.isSessionReused()))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
  stop = () => server.close()
})
afterAll(() => stop())
afterEach(() => vi.unstubAllEnvs())

const request = { method: 'GET', headers: {}, body: null } as const

test.skipIf(!hasOpenssl)('a certificate that no authority has signed is refused', async () => {
  const message = 'error sending request: DEPTH_ZERO_SELF_SIGNED_CERT'
  const call = caller('any')({ ...request, url, timeoutMs: 5000, signal: null })
  await expect(call).rejects.toMatchObject({ kind: 'unreachable', message })
  const { signal } = new AbortController()
  await expect(modelCaller('any')({ ...request, url, signal })).rejects.toMatchObject({ message })
  expect(asked).toBe(0)
})

test.skipIf(!hasOpenssl)('a later connection resumes the session', async () => {
  vi.stubEnv('NODE_TLS_REJECT_UNAUTHORIZED', '0')
  const send = caller('any', false, undefined, false)
  resumed.length = 0
  for (let i = 0; i < 2; i++) {
    const call = { ...request, url, timeoutMs: 5000, signal: null }
    expect((await send(call)).status).toBe(200)
  }
  expect(resumed).toEqual([false, true])
})
