// Serving TLS: certificate and key once at start, clients' certificates where they are asked for.
import { constants } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { TLSSocket, TlsOptions } from 'node:tls'
import type { ServerMaker } from './server.ts'

export type TlsFiles = {
  readonly certPath: string
  readonly keyPath: string
  /** Authorities for certificates of clients. */
  readonly authPath: string | null
  readonly ocspPath: string | null
  /** Whether a client without a certificate is turned away; counts with `authPath` alone. */
  readonly requireAuth: boolean
  readonly tickets: boolean
}

/** @throws Error in words for the operator */
export function tlsServerMaker(files: TlsFiles): ServerMaker {
  const ocsp = files.ocspPath === null ? null : read(files.ocspPath, 'cannot open ocsp file')
  const tls: TlsOptions = {
    cert: read(files.certPath, 'cannot open certificate file'),
    key: read(files.keyPath, 'cannot open private key file'),
    minVersion: 'TLSv1.2',
    ...(files.tickets ? {} : { secureOptions: constants.SSL_OP_NO_TICKET }),
    ...(files.authPath === null
      ? {}
      : {
          ca: read(files.authPath, 'cannot open client authentication file'),
          requestCert: true,
          rejectUnauthorized: files.requireAuth,
        }),
  }
  return (options) => {
    const server = serverOf({ ...options, ...tls })
    // A certificate need not be sent, but one that is has to be good.
    if (files.authPath !== null) server.on('secureConnection', endImpostor)
    if (ocsp !== null) {
      server.on('OCSPRequest', (_certificate, _issuer, answer: (e: null, bytes: Buffer) => void) =>
        answer(null, ocsp),
      )
    }
    return server
  }
}

const endImpostor = (socket: TLSSocket): void => {
  if (!socket.authorized && Object.keys(socket.getPeerCertificate()).length > 0) socket.destroy()
}

function serverOf(options: TlsOptions): ReturnType<typeof createServer> {
  try {
    return createServer(options)
  } catch (error) {
    // What OpenSSL says of bytes that are no certificate or no key.
    throw new Error('bad certificates/private key', { cause: error })
  }
}

function read(path: string, problem: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    // The system's errors: not there, not ours to read.
    throw new Error(problem, { cause: error })
  }
}
