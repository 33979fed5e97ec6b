// A failure of a conversation, sent as an event of its stream.
import { randomUUID } from 'node:crypto'

/** Types that the server creates; types of a provider are passed on unchanged. */
export type OwnFaultType =
  | 'invalid_argument'
  | 'invalid_utf8_error'
  | 'json_deserialize_error'
  | 'parser_error'
  | 'reqwest_error'
  | 'response_error'
  | 'stream_ended'
  | 'transport_error'

export class ChatFault extends Error {
  override readonly name = 'ChatFault'
  constructor(
    /** One of `OwnFaultType`, or the provider's own type. */
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

export const ownFault = (
  type: OwnFaultType,
  message: string,
  code: string | null = null,
  status: number | null = null,
): ChatFault => new ChatFault(type, code, message, null, status)

/** Returns the data of the event. */
export function faultEvent({ type, code, message, param }: ChatFault): object {
  return {
    event_id: randomUUID(),
    type: 'error',
    error: { type, code, message, param, event_id: null },
  }
}
