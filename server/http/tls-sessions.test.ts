// The cache of TLS sessions: the newest ones, up to a limit.
import { EventEmitter } from 'node:events'
import type { Server } from 'node:tls'
import { expect, test } from 'vitest'
import { cacheSessions } from './tls-sessions.ts'

test('keeps the newest sessions, and knows no others', () => {
  const server = new EventEmitter()
  cacheSessions(server as unknown as Server)
  let isDone = false
  const session = (n: number): Buffer => Buffer.from(`session ${n}`)
  const found = (n: number): unknown => {
    let answer: unknown
    server.emit('resumeSession', Buffer.of(n >> 8, n), (_: null, one: unknown) => (answer = one))
    return answer
  }
  for (let n = 0; n < 256; n++) {
    server.emit('newSession', Buffer.of(n >> 8, n), session(n), () => (isDone = true))
  }
  expect([isDone, found(0), found(255), found(256)]).toEqual([true, session(0), session(255), null])
  server.emit('newSession', Buffer.of(1, 0), session(256), () => undefined)
  expect([found(0), found(1), found(256)]).toEqual([null, session(1), session(256)])
})
