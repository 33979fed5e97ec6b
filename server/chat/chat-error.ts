// A failure of a conversation, sent as an event of its stream.
import { randomUUID } from 'node:crypto'

/** Types that the server creates; types of a provider are passed on unchanged. */
export type ChatErrorType =
  | 'invalid_argument'
  | 'invalid_utf8_error'
  | 'json_deserialize_error'
  | 'parser_error'
  | 'reqwest_error'
  | 'response_error'
  | 'stream_ended'
  | 'transport_error'

export class ChatError extends Error {
  override readonly name = 'ChatError'
  constructor(
    /** One of `ChatErrorType`, or the provider's own type. */
    readonly type: string,
    readonly code: string | null,
    message: string,
    readonly param: string | null = null,
    /** The status of the provider's refusal, or null if there was no refusal. */
    readonly status: number | null = null,
  ) {
    super(message)
  }
}

export const chatError = (
  type: ChatErrorType,
  message: string,
  code: string | null = null,
  status: number | null = null,
): ChatError => new ChatError(type, code, message, null, status)

/** Returns the data of the event. */
export function errorEvent({ type, code, message, param }: ChatError): object {
  return {
    event_id: randomUUID(),
    type: 'error',
    error: { type, code, message, param, event_id: null },
  }
}
