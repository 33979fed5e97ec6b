// Serves TLS: certificate and key, client certificates on request, resumable sessions where
// configured, and HTTP/2 for clients that negotiate it. Files are read at the start, and again by
// `reload`.
import { constants } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { createServer } from 'node:https'
import { createSecureContext, type TLSSocket, type TlsOptions } from 'node:tls'
import { HTTP2 } from './connection.ts'
import { addHttp2 } from './http2.ts'
import { TIMEOUTS } from './messages/index.ts'
import type { ServerMaker } from './server.ts'
import { readTlsFiles, type TlsContents, type TlsFiles } from './tls-files.ts'
import { cacheSessions } from './tls-sessions.ts'

export type TlsServerMaker = ServerMaker & {
  /**
   * Reads the files again: new handshakes get the new certificate, open connections keep the old
   * one.
   * @throws Error with a message for the operator; the old certificate then stays
   */
  readonly reload: () => void
}

/** @throws Error with a message for the operator */
export function tlsServerMaker(files: TlsFiles): TlsServerMaker {
  let contents = readTlsFiles(files)
  const servers: ReturnType<typeof createServer>[] = []
  const keyLog =
    files.keyLogPath === null
      ? null
      : createWriteStream(files.keyLogPath, { flags: 'a', mode: 0o600 })
  // The key log only helps debugging; a failure to write it is ignored.
  keyLog?.on('error', () => undefined)
  const make = (options: TlsOptions) => {
    const server = serverOf({ ...options, ...optionsOf(files, contents) }, files)
    // A client need not send a certificate, but if it sends one, it must be valid.
    if (contents.ca !== null) server.prependListener('secureConnection', endImpostor)
    if (files.resumption) cacheSessions(server)
    if (contents.ocsp !== null) {
      server.on('OCSPRequest', (_certificate, _issuer, answer: (e: null, bytes: Buffer) => void) =>
        answer(null, Buffer.from(contents.ocsp!)),
      )
    }
    if (keyLog !== null) server.on('keylog', (line) => keyLog.write(line))
    addHttp2(server)
    servers.push(server)
    return server
  }
  const reload = (): void => {
    const read = readTlsFiles(files)
    const options = optionsOf(files, read)
    // All or nothing: OpenSSL checks the files before the first server uses them.
    refusingBadFiles(files, () => createSecureContext(options))
    for (const server of servers) server.setSecureContext(options)
    contents = read
  }
  return Object.assign(make, { reload })
}

/**
 * TLS 1.3 has only tickets, and Node enables tickets for all versions or for none, so session
 * resumption enables both.
 */
function optionsOf(
  { resumption, tickets, requireAuth }: TlsFiles,
  { cert, key, ca }: TlsContents,
): TlsOptions {
  return {
    cert,
    key: key.export({ type: 'pkcs8', format: 'pem' }),
    minVersion: 'TLSv1.2',
    maxVersion: 'TLSv1.3',
    // Same limit as for headers, because a handshake precedes them.
    handshakeTimeout: TIMEOUTS.headersMs,
    ALPNProtocols: [HTTP2, 'http/1.1'],
    ...(tickets || resumption ? {} : { secureOptions: constants.SSL_OP_NO_TICKET }),
    ...(ca === null ? {} : { ca: [...ca], requestCert: true, rejectUnauthorized: requireAuth }),
  }
}

const endImpostor = (socket: TLSSocket): void => {
  if (!socket.authorized && Object.keys(socket.getPeerCertificate()).length > 0) socket.destroy()
}

function serverOf(options: TlsOptions, files: TlsFiles): ReturnType<typeof createServer> {
  return refusingBadFiles(files, () => createServer(options))
}

function refusingBadFiles<T>({ certPath, keyPath }: TlsFiles, make: () => T): T {
  try {
    return make()
  } catch (error) {
    // OpenSSL's objections to files that are valid by themselves, such as keys that are too short.
    const words = `bad certificates/private key: "${certPath}" with "${keyPath}"`
    throw new Error(words, { cause: error })
  }
}
