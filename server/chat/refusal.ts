// Reads a provider's answer that is not a stream: its own message, if it has the form that this
// kind of provider uses.
import type { ChatWorkspace } from '../../engine/index.ts'
import { isObject } from '../../format/schema/index.ts'
import { ChatError, chatError } from './chat-error.ts'
import { QUOTED_LENGTH_MAX } from './limits.ts'

type Source = ChatWorkspace['source']

/** `body`: the whole answer, or its beginning. */
export function refusalOf(source: Source, status: number, body: Uint8Array): ChatError {
  const answer = parsed(body)
  const own = answer === undefined ? null : providerFault(source, status, answer)
  if (own !== null) return own
  const quoted = Buffer.from(body).toString().slice(0, QUOTED_LENGTH_MAX)
  const words = `the provider of the model answered with status ${status}: ${quoted}`
  return chatError('reqwest_error', words, null, status)
}

function providerFault(source: Source, status: number, answer: unknown): ChatError | null {
  if (!isObject(answer)) return null
  const inside = answer['error']
  switch (source) {
    case 'mistral':
      return faultOf(answer, status, false)
    case 'vLlm':
      // Older releases of vLLM have the error at the top level, newer ones like OpenAI; codes are
      // numbers.
      return isObject(inside) ? faultOf(inside, status, true) : faultOf(answer, status, true)
    default:
      return isObject(inside) ? faultOf(inside, status, false) : null
  }
}

function faultOf(
  { message, type = null, param = null, code = null }: { readonly [name: string]: unknown },
  status: number,
  mayCountCodes: boolean,
): ChatError | null {
  const shown = mayCountCodes && typeof code === 'number' ? String(code) : code
  if (typeof message !== 'string' || !isTextOrNull(type)) return null
  if (!isTextOrNull(param) || !isTextOrNull(shown)) return null
  return new ChatError(type ?? 'unknown', shown, message, param, status)
}

const isTextOrNull = (value: unknown): value is string | null =>
  value === null || typeof value === 'string'

function parsed(body: Uint8Array): unknown {
  try {
    return JSON.parse(Buffer.from(body).toString())
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return undefined
  }
}
