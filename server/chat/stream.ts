// A conversation as server-sent events. The next one is made when the client has taken those
// before; a client that takes none for long is given up, and the model with it.
import type { ChatEvent } from './conversation.ts'
import { faultEvent } from './fault.ts'
import { CLIENT_STALL_MS } from './limits.ts'

/** How long clients wait before they connect again. */
const RETRY = 'retry: 10000\n\n'
const DONE = 'data: [DONE]\n\n'

export type StreamOptions = {
  readonly events: AsyncGenerator<ChatEvent, void, undefined>
  /** Aborts what the events are made of. */
  readonly control: AbortController
  /** Called once, when the conversation is over in whichever way. */
  readonly onEnd: () => void
  /** For tests. */
  readonly stallMs?: number
}

/** The text of the stream in pieces. It has to be read, or left by `return()`. */
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
      // What waits for the model fails by the abort.
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
  event.kind === 'chunk' ? event.chunk : faultEvent(event.fault)
