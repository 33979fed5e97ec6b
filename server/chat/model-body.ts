// The body of a request to a model: the client's body with the leading message first, the messages
// of searches last, and the search function. The client's messages may be large, so they stay the
// received bytes.
import type { ChatWorkspace } from '../../engine/index.ts'
import type { CompletionRequest } from '../parse/index.ts'
import { chatError } from './chat-error.ts'
import { leadingRole, reportsUsage } from './endpoint.ts'
import { CONVERSATION_BYTES_MAX } from './limits.ts'

export class ModelBody {
  readonly #begin: Uint8Array
  readonly #messages: Uint8Array
  readonly #end: Uint8Array
  readonly #added: Uint8Array[] = []
  #bytes: number

  /** `prompt`: text of the leading message. `definition`: the search function, as JSON. */
  constructor(
    { messages, members, model }: CompletionRequest,
    { source }: ChatWorkspace,
    prompt: string,
    definition: string,
  ) {
    const leading = JSON.stringify({ role: leadingRole(source, model), content: prompt })
    const usage = reportsUsage(source) ? ',"stream_options":{"include_usage":true}' : ''
    this.#begin = Buffer.from(`{"messages":[${leading}${messages.length === 0 ? '' : ','}`)
    this.#messages = messages
    this.#end = Buffer.from(`],"stream":true${usage},"tools":[${definition}]${members}}`)
    this.#bytes = this.#begin.length + messages.length + this.#end.length
  }

  /** Adds a message. @throws ChatError if the conversation becomes too large */
  add(message: object): void {
    const bytes = Buffer.from(`,${JSON.stringify(message)}`)
    this.#bytes += bytes.length
    if (this.#bytes > CONVERSATION_BYTES_MAX) {
      const words = `the conversation is larger than ${CONVERSATION_BYTES_MAX} bytes`
      throw chatError('invalid_argument', words)
    }
    this.#added.push(bytes)
  }

  /** Returns the current body in pieces. */
  pieces(): readonly Uint8Array[] {
    return [this.#begin, this.#messages, ...this.#added, this.#end]
  }
}
