// Attackers that send complete requests, one after another on a connection, with bodies that were
// prepared once.
import { Client as Connection } from 'undici'
import { pause } from './ask.ts'
import type { Context, HostileClient } from './hostile-attack.ts'

export type Post = {
  readonly path: string
  readonly body: Uint8Array
  readonly method?: 'GET' | 'POST' | 'PATCH' | 'DELETE'
  readonly encoding?: 'gzip' | 'br'
}

/** Pause between two requests of a connection: the test loads the server, not this machine. */
const PAUSE_MS = 2
const AFTER_CUT_MS = 20

/**
 * Sends `posts` one after another, repeatedly; the second connection begins with the second post.
 */
export function posting(posts: readonly Post[]): HostileClient {
  return async (context) => {
    let connection = open(context)
    for (let turn = context.number; context.goesOn(); turn++) {
      const isAlive = await send(connection, posts[turn % posts.length]!, context)
      if (!isAlive) {
        await connection.destroy()
        if (context.signal.aborted) return
        await pause(AFTER_CUT_MS)
        connection = open(context)
      }
      await pause(PAUSE_MS)
    }
    await connection.destroy()
  }
}

const open = ({ target }: Context): Connection =>
  new Connection(target.url, {
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: { rejectUnauthorized: false },
  })

/** Returns whether the connection can be used again. */
async function send(connection: Connection, post: Post, context: Context): Promise<boolean> {
  const { path, body, method = 'POST', encoding } = post
  try {
    const answer = await connection.request({
      method,
      path,
      ...(method === 'GET' ? {} : { body }),
      signal: context.signal,
      headers: {
        authorization: `Bearer ${context.key}`,
        'content-type': 'application/json',
        ...(encoding === undefined ? {} : { 'content-encoding': encoding }),
      },
    })
    let bytes = 0
    for await (const chunk of answer.body) bytes += (chunk as Uint8Array).length
    context.tell(answer.statusCode, bytes)
    return true
  } catch {
    // The server has closed the connection, or the attack ended during this request.
    context.tell(context.signal.aborted ? 'unanswered' : 'cut')
    return false
  }
}
