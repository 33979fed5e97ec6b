// TLS costs some milliseconds to load: only who serves it pays.
import type { ServerMaker } from './server.ts'
import type { TlsFiles } from './tls-files.ts'

export type TlsServerMaker = ServerMaker & {
  /**
   * Reads the files again: handshakes from now on get the new certificate, open connections stay.
   * @throws Error in words for the operator; what was served before stays then
   */
  readonly reload: () => void
}

/** @throws Error in words for the operator */
export async function loadTls(files: TlsFiles): Promise<TlsServerMaker> {
  const { tlsServerMaker } = await import('./tls.ts')
  return tlsServerMaker(files)
}
