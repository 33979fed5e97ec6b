// Any bytes as the answer of a model: any division of the bytes gives the same events, each event
// becomes a chunk or a fault, and arguments of calls are parsed or refused with a message. The
// first byte selects the size of pieces.
import { assert } from '../format/errors.ts'
import { ChatError } from '../server/chat/chat-error.ts'
import { readChunk } from '../server/chat/chunks.ts'
import { EventStreamParser } from '../server/chat/event-stream.ts'
import { GatheredCalls } from '../server/chat/gathered-calls.ts'
import { readArguments } from '../server/chat/search-tool.ts'
import type { FuzzTarget } from './target.ts'

const EVENT_BYTES_MAX = 512
const CHUNK =
  '{"id":"a","object":"o","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"x",' +
  '"tool_calls":[{"index":0,"id":"c","function":{"name":"f","arguments":"{\\"index_uid\\":\\"a\\"}"}}]},' +
  '"finish_reason":"stop"}],"usage":{"prompt_tokens":1,"completion_tokens":2,"total_tokens":3}}'
const TEXTS = [
  `data: ${CHUNK}\n\ndata: [DONE]\n\n`,
  `: comment\r\nevent: x\r\ndata:${CHUNK}\r\n\r\n`,
  'data: a\rdata: b\r\rdata\r\r',
  '\ufeffdata: Grüße ✓\n\nid: 7\nretry: 1\n\n',
]

export const target: FuzzTarget = {
  name: 'chat',
  seeds: () =>
    TEXTS.flatMap((text) =>
      [1, 5].map((first) => Uint8Array.from([first, ...new TextEncoder().encode(text)])),
    ),
  run,
  allows: (error) => error instanceof ChatError,
  inputBytesMax: 4096,
  words: ['data:', 'tool_calls', '"choices":[]', 'null', '\r\n\r\n'],
}

function run(input: Uint8Array): void {
  const body = input.subarray(1)
  const whole = eventsOf(body, body.length + 1)
  const cut = eventsOf(body, (input[0] ?? 0) + 1)
  // In pieces a fault may be found earlier, but never after different events.
  assert(whole.isWhole === cut.isWhole, 'cuts do not matter')
  assert(whole.events.join('\0') === cut.events.join('\0'), 'events are the same')
  for (const event of whole.events) readEvent(event)
}

type Read = { readonly events: readonly string[]; readonly isWhole: boolean }

function eventsOf(body: Uint8Array, size: number): Read {
  const parser = new EventStreamParser(EVENT_BYTES_MAX)
  const events: string[] = []
  try {
    for (let at = 0; at < body.length; at += size) {
      events.push(...parser.push(body.subarray(at, at + size)))
    }
    return { events, isWhole: true }
  } catch (error) {
    if (!(error instanceof ChatError)) throw error
    // The events of the piece with the fault are lost with it, because the conversation ends there.
    return { events: [], isWhole: false }
  }
}

function readEvent(data: string): void {
  let text = data
  try {
    const chunk = readChunk(data)
    assert(JSON.stringify(readChunk(JSON.stringify(chunk))) === JSON.stringify(chunk), 'one form')
    const calls = new GatheredCalls()
    for (const { delta } of chunk.choices) calls.add(delta.tool_calls ?? [])
    text = calls.take().at(-1)?.arguments ?? data
  } catch (error) {
    if (!(error instanceof ChatError)) throw error
  }
  const read = readArguments(text)
  assert(typeof read === 'string' || read.filter !== '', 'a filter says something')
}
