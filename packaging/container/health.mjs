// Health check of the container: exit code 0 if GET /health answers 200. Scheme and port come from
// the environment of the server (SVC_HTTP_ADDR, SVC_SSL_CERT_PATH).
import http from 'node:http'
import https from 'node:https'

const TIMEOUT_MS = 4000
const { SVC_HTTP_ADDR: address = 'localhost:7700', SVC_SSL_CERT_PATH: certificate } = process.env
const [, bracketed, plain, port] = /^(?:\[(.+)\]|(.+)):(\d+)$/.exec(address) ?? []
const host = bracketed ?? plain ?? 'localhost'
/** Addresses that stand for all of the machine, and where it reaches itself. */
const own = { '0.0.0.0': '127.0.0.1', '::': '::1' }
const options = {
  host: own[host] ?? host,
  port: Number(port ?? 7700),
  path: '/health',
  timeout: TIMEOUT_MS,
  // The request stays in the container, so the name in the certificate does not match.
  rejectUnauthorized: false,
}

const end = (problem) => {
  if (problem !== null) console.error(problem)
  process.exit(problem === null ? 0 : 1)
}
const request = (certificate ? https : http).get(options, (response) => {
  end(response.statusCode === 200 ? null : `GET /health answered ${response.statusCode}`)
})
request.on('timeout', () => end(`GET /health took more than ${TIMEOUT_MS} ms`))
request.on('error', (error) => end(`GET /health failed: ${error.message}`))
