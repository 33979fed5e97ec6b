// Calls over TLS: whose certificates are accepted.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
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

test.skipIf(!hasOpenssl)('a certificate that no authority has signed is refused', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'svc-certificate-'))
  const kind = 'ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -days 2 -subj /CN=localhost'
  const line = `req -x509 -newkey ${kind} -keyout key.pem -out cert.pem`
  execFileSync('openssl', line.split(' '), { cwd: folder, stdio: 'ignore' })
  const [key, cert] = ['key.pem', 'cert.pem'].map((name) => readFileSync(join(folder, name)))
  let asked = 0
  const server = createServer({ key: key!, cert: cert! }, (_, response) => {
    asked++
    response.end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `https://127.0.0.1:${(server.address() as AddressInfo).port}/`
  const message = 'error sending request: DEPTH_ZERO_SELF_SIGNED_CERT'
  const request = { method: 'GET', url, headers: {}, body: null } as const
  const call = caller('any')({ ...request, timeoutMs: 5000, signal: null })
  await expect(call).rejects.toMatchObject({ kind: 'unreachable', message })
  const { signal } = new AbortController()
  await expect(modelCaller('any')({ ...request, signal })).rejects.toMatchObject({ message })
  expect(asked).toBe(0)
  server.close()
  rmSync(folder, { recursive: true })
})
