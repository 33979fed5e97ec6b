// Serving TLS: certificate and key, clients' certificates where they are asked for, sessions that
// can be taken up again where that is wanted. HTTP/2 for those who ask for it. Files are read at
// the start, and again by `reload`.
import { constants } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { createServer } from 'node:https'
import { createSecureContext, type TLSSocket, type TlsOptions } from 'node:tls'
import { addHttp2, HTTP2 } from './http2.ts'
import { TIMEOUTS } from './limits.ts'
import type { TlsServerMaker } from './load-tls.ts'
import { readTlsFiles, type TlsContents, type TlsFiles } from './tls-files.ts'
import { keepSessions } from './tls-sessions.ts'

/** @throws Error in words for the operator */
export function tlsServerMaker(files: TlsFiles): TlsServerMaker {
  let contents = readTlsFiles(files)
  const servers: ReturnType<typeof createServer>[] = []
  const keyLog =
    files.keyLogPath === null
      ? null
      : createWriteStream(files.keyLogPath, { flags: 'a', mode: 0o600 })
  // It helps somebody who looks at connections; that it cannot be written is no reason to stop.
  keyLog?.on('error', () => undefined)
  const make = (options: TlsOptions) => {
    const server = serverOf({ ...options, ...optionsOf(files, contents) }, files)
    // A certificate need not be sent, but one that is has to be good.
    if (contents.ca !== null) server.prependListener('secureConnection', endImpostor)
    if (files.resumption) keepSessions(server)
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
    // All or nothing: OpenSSL sees the files before the first server gets them.
    refusingBadFiles(files, () => createSecureContext(options))
    for (const server of servers) server.setSecureContext(options)
    contents = read
  }
  return Object.assign(make, { reload })
}

/**
 * TLS 1.3 knows tickets alone, and Node gives them out for all versions or for none: whoever wants
 * sessions to be taken up again gets both kinds.
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
    // As long as headers may take: a handshake is what comes before them.
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
    // What OpenSSL has against files that are in order by themselves, such as keys too short.
    const words = `bad certificates/private key: "${certPath}" with "${keyPath}"`
    throw new Error(words, { cause: error })
  }
}
