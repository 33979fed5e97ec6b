// Loads TLS on demand, because most servers start without it.
import type { ServerMaker } from './server.ts'
import type { TlsFiles } from './tls-files.ts'

export type TlsServerMaker = ServerMaker & {
  /**
   * Reads the files again: new handshakes get the new certificate, open connections keep the old
   * one.
   * @throws Error with a message for the operator; the old certificate then stays
   */
  readonly reload: () => void
}

/** @throws Error with a message for the operator */
export async function loadTls(files: TlsFiles): Promise<TlsServerMaker> {
  const { tlsServerMaker } = await import('./tls.ts')
  return tlsServerMaker(files)
}
