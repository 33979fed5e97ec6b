// A completion without streaming: joins the chunks of the conversation.
import { ApiError } from '../errors/index.ts'
import type { ChatError } from './chat-error.ts'
import type { Chunk, Usage } from './chunks.ts'
import type { ChatEvent } from './conversation.ts'
import { COLLECTED_LENGTH_MAX } from './limits.ts'

const BAD_REQUEST = 400

type Collected = {
  readonly content: string[]
  readonly refusal: string[]
  readonly calls: object[]
  length: number
  reason: string | null
  last: Chunk | null
}

/** `usage` returns the tokens of all rounds after the last event. @throws ApiError */
export async function completionOf(
  events: AsyncIterable<ChatEvent>,
  usage: () => Usage | null,
): Promise<object> {
  const collected: Collected = {
    content: [],
    refusal: [],
    calls: [],
    length: 0,
    reason: null,
    last: null,
  }
  for await (const event of events) {
    if (event.kind === 'chunk') add(collected, event.chunk)
    else if (event.isEnd) throw apiErrorOf(event.fault)
  }
  const { last, content, refusal, calls, reason } = collected
  if (last === null) throw new ApiError('remote_bad_response', `${LEAD}the answer was empty`)
  const { id, created, model, service_tier, system_fingerprint } = last
  const textOf = (pieces: readonly string[]): string | null =>
    pieces.length === 0 ? null : pieces.join('')
  const message = {
    role: 'assistant',
    content: textOf(content),
    refusal: textOf(refusal),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
  return {
    id,
    object: 'chat.completion',
    created,
    model,
    choices: [{ index: 0, message, finish_reason: reason, logprobs: null }],
    usage: usage(),
    service_tier,
    system_fingerprint,
  }
}

const LEAD = 'Chat provider: '

/** @throws ApiError if the answer becomes too large */
function add(collected: Collected, chunk: Chunk): void {
  const [choice] = chunk.choices
  if (choice === undefined) return
  const { content, refusal, tool_calls: calls } = choice.delta
  collected.last = chunk
  collected.reason = choice.finish_reason ?? collected.reason
  if (content !== null) collected.content.push(content)
  if (refusal !== null) collected.refusal.push(refusal)
  for (const { index: _, ...call } of calls ?? []) {
    collected.calls.push(call)
    collected.length += call.function?.arguments?.length ?? 0
  }
  collected.length += (content?.length ?? 0) + (refusal?.length ?? 0)
  if (collected.length <= COLLECTED_LENGTH_MAX) return
  const words = `the answer is longer than ${COLLECTED_LENGTH_MAX} characters; ask for a stream`
  throw new ApiError('remote_bad_response', LEAD + words)
}

function apiErrorOf({ type, message, status }: ChatError): ApiError {
  if (type === 'transport_error')
    return new ApiError('remote_could_not_send_request', LEAD + message)
  const code = status === BAD_REQUEST ? 'remote_bad_request' : 'remote_bad_response'
  return new ApiError(code, LEAD + message)
}
