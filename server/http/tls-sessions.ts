// TLS sessions that can be taken up again without a new handshake, in memory: the newest ones.
import type { Server } from 'node:tls'

/** Some kilobytes each. */
const SESSIONS_MAX = 256

/** Node asks for a session by its id, and hands over new ones. */
export function keepSessions(server: Pick<Server, 'on'>): void {
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
