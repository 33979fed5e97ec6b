// TLS costs some milliseconds to load: only who serves it pays.
import type { ServerMaker } from './server.ts'
import type { TlsFiles } from './tls-files.ts'

/** @throws Error in words for the operator */
export async function loadTls(files: TlsFiles): Promise<ServerMaker> {
  const { tlsServerMaker } = await import('./tls.ts')
  return tlsServerMaker(files)
}
