// A conversation as server-sent events. The next event is created when the client has read the
// previous ones; a client that reads nothing for long is given up, together with the request to the
// model.

import { errorEvent } from './chat-error.ts'
import type { ChatEvent } from './conversation.ts'
import { CLIENT_STALL_MS } from './limits.ts'

/** How long clients wait before they reconnect. */
const RETRY = 'retry: 10000\n\n'
const DONE = 'data: [DONE]\n\n'

export type StreamOptions = {
  readonly events: AsyncGenerator<ChatEvent, void, undefined>
  /** Aborts the source of the events. */
  readonly control: AbortController
  /** Called once, when the conversation is over for any reason. */
  readonly onEnd: () => void
  /** For tests. */
  readonly stallMs?: number
}

/** Returns the text of the stream in pieces. The caller must read it, or end it with `return()`. */
export function eventStream(options: StreamOptions): AsyncIterable<string> {
  const { control, onEnd, stallMs = CLIENT_STALL_MS } = options
  const texts = textsOf(options)
  let stalled: NodeJS.Timeout | null = null
  let isOver = false
  const moving = (): void => {
    if (stalled !== null) clearTimeout(stalled)
    stalled = null
  }
  const end = (): void => {
    moving()
    if (isOver) return
    isOver = true
    control.abort()
    onEnd()
  }
  const iterator: AsyncIterator<string, void, undefined> = {
    next: async () => {
      moving()
      try {
        const next = await texts.next()
        if (next.done === true) end()
        else stalled = setTimeout(end, stallMs)
        return next
      } catch (error) {
        end()
        throw error
      }
    },
    return: async () => {
      end()
      // The abort makes a pending wait for the model fail.
      await texts.return()
      return { done: true, value: undefined }
    },
  }
  return { [Symbol.asyncIterator]: () => iterator }
}

async function* textsOf({
  events,
  control,
}: StreamOptions): AsyncGenerator<string, void, undefined> {
  yield RETRY
  try {
    for await (const event of events) {
      if (control.signal.aborted) return
      yield `data: ${JSON.stringify(dataOf(event))}\n\n`
    }
  } catch (error) {
    if (control.signal.aborted) return
    throw error
  }
  yield DONE
}

const dataOf = (event: ChatEvent): object =>
  event.kind === 'chunk' ? event.chunk : errorEvent(event.fault)
