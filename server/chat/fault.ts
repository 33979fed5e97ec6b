// What goes wrong in a conversation, as an event of its stream.
import { randomUUID } from 'node:crypto'

/** Kinds that the server makes; a provider's own kinds pass as they are. */
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
    /** One of `OwnFaultType`, or what the provider calls it. */
    readonly type: string,
    readonly code: string | null,
    message: string,
    readonly param: string | null = null,
    /** The status of the provider's answer; null: there was none, or it was no refusal. */
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

/** The data of the event. */
export function faultEvent({ type, code, message, param }: ChatFault): object {
  return {
    event_id: randomUUID(),
    type: 'error',
    error: { type, code, message, param, event_id: null },
  }
}
