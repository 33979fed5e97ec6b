// A cache of the newest TLS sessions, in memory, so that clients can resume them without a full
// handshake.
import type { Server } from 'node:tls'

/** Sessions in the cache, some kilobytes each. */
const SESSIONS_MAX = 256

/** Installs the cache. Node requests a session by its id, and passes new ones. */
export function cacheSessions(server: Pick<Server, 'on'>): void {
  const sessions = new Map<string, Buffer>()
  server.on('newSession', (id: Buffer, session: Buffer, done: () => void) => {
    if (sessions.size >= SESSIONS_MAX) {
      const [oldest] = sessions.keys()
      sessions.delete(oldest!)
    }
    sessions.set(id.toString('latin1'), session)
    done()
  })
  server.on('resumeSession', (id: Buffer, done: (error: null, session: Buffer | null) => void) => {
    done(null, sessions.get(id.toString('latin1')) ?? null)
  })
}
