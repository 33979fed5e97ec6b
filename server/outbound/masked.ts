// Answers without the secrets of their requests. All that another server repeats may become part of
// an error, a task, a log or an event, so secrets are replaced before any caller sees them. The
// data of an answer stay as they are: documents, objects of a store.
import {
  type StoreAnswer,
  type StoreRequest,
  type Transport,
  TransportFault,
} from '../../engine/backup.ts'
import { OutgoingFault, type Send } from '../../engine/index.ts'
import { decoder, NEWLINE, RETURN } from '../../format/bytes/index.ts'
import { MASKED_LINE_BYTES_MAX, REFUSAL_BYTES_MAX, SECRET_LENGTH_MIN_IN_DATA } from './limits.ts'
import { Mask } from './mask.ts'
import { secretsOf } from './secrets.ts'

const EVENT_STREAM = /^text\/event-stream\b/i

/** `all`: answers of success are masked as well, because they are JSON that messages quote. */
export function maskedSend(send: Send, all: boolean): Send {
  return async (request) => {
    try {
      const answer = await send(request)
      const isData = answer.status >= 200 && answer.status < 300
      if (isData && !all) return answer
      const { body } = answer
      const secrets = secretsOf(request)
      return {
        ...answer,
        body: isData ? dataWithout(secrets, body) : refusalWithout(secrets, body),
      }
    } catch (error) {
      if (!(error instanceof OutgoingFault)) throw error
      const message = new Mask(secretsOf(request)).text(error.message)
      throw new OutgoingFault(error.kind, message, error.isTimeout)
    }
  }
}

/** The answer to a successful GET is an object of a store; all others are masked line by line. */
export function maskedTransport(transport: Transport): Transport {
  return async (request) => {
    try {
      const answer = await transport(request)
      const isSuccess = answer.status >= 200 && answer.status < 300
      const isObject = isSuccess && request.method === 'GET'
      if (isObject) return answer
      const isStream = isSuccess && EVENT_STREAM.test(answer.headers['content-type'] ?? '')
      const mask = maskOf(request, isStream ? SECRET_LENGTH_MIN_IN_DATA : undefined)
      return { ...answer, body: linesWithout(mask, answer.body) }
    } catch (error) {
      if (!(error instanceof TransportFault)) throw error
      throw new TransportFault(error.mayRetry, maskOf(request).text(error.message))
    }
  }
}

/** A copy, because decoders refuse shared memory. */
function refusalWithout(secrets: readonly string[], body: Uint8Array): Uint8Array {
  return maskedBytes(new Mask(secrets), body.slice(0, REFUSAL_BYTES_MAX))
}

function dataWithout(secrets: readonly string[], body: Uint8Array): Uint8Array {
  const mask = new Mask(secrets)
  if (!mask.mayChange(body)) return body
  const text = decoder.decode(body)
  const inData = new Mask(secrets, SECRET_LENGTH_MIN_IN_DATA)
  return Buffer.from(isJson(text) ? inData.json(text) : mask.text(text))
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    return false
  }
}

/** Returns the same bytes if they hold no secret: they need not be UTF-8. */
function maskedBytes(mask: Mask, bytes: Uint8Array): Uint8Array {
  const text = decoder.decode(bytes)
  const shown = mask.text(text)
  return shown === text ? bytes : Buffer.from(shown)
}

const maskOf = (request: StoreRequest, lengthMin?: number): Mask =>
  new Mask(secretsOf(request), lengthMin)

/** A line is sent on when it has ended, and complete events are lines: nothing is delayed. */
async function* linesWithout(
  mask: Mask,
  body: StoreAnswer['body'],
): AsyncGenerator<Uint8Array, void, undefined> {
  let held: Uint8Array[] = []
  let heldBytes = 0
  const take = (end: Uint8Array): Uint8Array => {
    const bytes = Buffer.concat([...held, end])
    held = []
    heldBytes = 0
    return maskedBytes(mask, bytes)
  }
  try {
    for await (const chunk of body) {
      const end = Math.max(chunk.lastIndexOf(NEWLINE), chunk.lastIndexOf(RETURN)) + 1
      if (end > 0) yield take(chunk.subarray(0, end))
      if (end === chunk.length) continue
      held.push(chunk.subarray(end))
      heldBytes += chunk.length - end
      if (heldBytes > MASKED_LINE_BYTES_MAX) yield take(NOTHING)
    }
  } catch (error) {
    if (!(error instanceof TransportFault)) throw error
    if (heldBytes > 0) yield take(NOTHING)
    throw error
  }
  if (heldBytes > 0) yield take(NOTHING)
}

const NOTHING = new Uint8Array(0)
