// Requests for chat completions. Clients send members of OpenAI's API; the members known to this
// server are passed on, the others are dropped. The part for the model becomes JSON text here,
// because messages may be large, and large bodies are read on a separate thread.
import * as json from '../../format/schema/index.ts'
import { asKeywords } from '../../format/schema/index.ts'
import type { ApiError } from '../errors/index.ts'
import { type MinTask, minTaskIn } from './min-task.ts'
import {
  exactBody,
  isJsonArray,
  isJsonObject,
  type Json,
  misread,
  plain,
  readUpTo,
  shownKind,
  withSchema,
} from './schema/index.ts'

export type CompletionRequest = {
  readonly stream: boolean
  /** Number of alternative answers. */
  readonly choices: number | null
  /** Names of the functions that the client declares. */
  readonly functions: readonly string[]
  readonly model: string
  /** JSON: the client's messages with commas between them; may be empty. */
  readonly messages: Uint8Array
  /** JSON: the other members for the model, each preceded by a comma. */
  readonly members: string
  /** For the searches of the conversation. */
  readonly minTask: MinTask
}

type Schema = json.Schema<unknown>
type Members = { readonly [name: string]: Schema }

/** An object with these members. Unknown members are ignored; null counts as absent. */
const members = (required: Members, optional: Members = {}): Schema => {
  const rest = Object.entries(optional).map(([name, schema]) => [name, json.nullable(schema)])
  return json.open(
    json.objectOf({ ...required, ...Object.fromEntries(rest) }, Object.keys(required)),
  )
}
const { text, number, flag, count, texts, anyObject } = json

const TEXT_PART = members({ type: json.oneOf(['text']), text })
/** An absent `detail` is sent to models as null. */
const DETAIL = { ...json.oneOf(['auto', 'low', 'high']), default: null }
const CONTENT_PART = json.either(
  TEXT_PART,
  members({
    type: json.oneOf(['image_url']),
    image_url: members({ url: text }, { detail: DETAIL }),
  }),
  members({
    type: json.oneOf(['input_audio']),
    input_audio: members({ data: text, format: text }),
  }),
  members({ type: json.oneOf(['file']), file: anyObject }),
)
const REFUSAL_PART = members({ type: json.oneOf(['refusal']), refusal: text })
const TEXT_CONTENT = json.either(text, json.list(TEXT_PART))
const FUNCTION_CALL = members({ name: text, arguments: text })
const TOOL_CALL = members({ id: text, type: json.oneOf(['function']), function: FUNCTION_CALL })

/** Role → members of its messages. */
const MESSAGES: { readonly [role: string]: Schema } = {
  developer: members({ role: text, content: TEXT_CONTENT }, { name: text }),
  system: members({ role: text, content: TEXT_CONTENT }, { name: text }),
  user: members(
    { role: text, content: json.either(text, json.list(CONTENT_PART)) },
    { name: text },
  ),
  assistant: members(
    { role: text },
    {
      content: json.either(text, json.list(json.either(TEXT_PART, REFUSAL_PART))),
      refusal: text,
      name: text,
      audio: members({ id: text }),
      tool_calls: json.list(TOOL_CALL),
      function_call: FUNCTION_CALL,
    },
  ),
  tool: members({ role: text, content: TEXT_CONTENT, tool_call_id: text }),
  function: members({ role: text, name: text }, { content: text }),
}

/** Members that are passed to the model unchanged. */
const PASSED: Members = {
  audio: anyObject,
  frequency_penalty: number,
  logit_bias: json.mapOf(number),
  logprobs: flag,
  max_completion_tokens: count,
  max_tokens: count,
  metadata: anyObject,
  modalities: texts,
  parallel_tool_calls: flag,
  prediction: anyObject,
  presence_penalty: number,
  prompt_cache_key: text,
  reasoning_effort: text,
  response_format: anyObject,
  safety_identifier: text,
  seed: number,
  service_tier: text,
  stop: json.either(text, texts),
  store: flag,
  temperature: number,
  tool_choice: json.either(text, anyObject),
  top_logprobs: count,
  top_p: number,
  user: text,
  verbosity: text,
  web_search_options: anyObject,
}

/** Number of alternative answers: one byte. */
const CHOICES = json.countBetween(0, 255)
const REQUEST = members(
  {
    messages: json.list(json.either(...Object.values(MESSAGES))),
    model: text,
  },
  {
    ...PASSED,
    n: CHOICES,
    stream: flag,
    stream_options: anyObject,
    tools: json.list(
      members({ type: json.oneOf(['function']), function: members({ name: text }) }),
    ),
  },
)

/** @throws ApiError */
export function readCompletion(body: Uint8Array): CompletionRequest {
  const value = exactBody(body)
  const ofType = (path: readonly string[], found: Json, expected: string): ApiError =>
    misread(body, `invalid type: ${shownKind(found)}, expected ${expected}`, readUpTo(body, path))
  if (isJsonArray(value)) {
    const found = `invalid length ${value.length}, expected struct CreateChatCompletionRequest`
    throw misread(body, `${found} with 30 elements`, body.length)
  }
  if (!isJsonObject(value)) throw ofType([], value, 'a chat completion request')
  const { messages, model, stream = null, n = null, tools = null } = value
  if (stream !== null && typeof stream !== 'boolean') throw ofType(['stream'], stream, 'a boolean')
  if (n !== null && !json.isValid(CHOICES, n)) throw ofType(['n'], n, 'u8')
  if (tools !== null && !isJsonArray(tools)) throw ofType(['tools'], tools, 'a sequence')
  if (messages === undefined) throw misread(body, 'missing field `messages`', body.length)
  if (!isJsonArray(messages)) throw ofType(['messages'], messages, 'a sequence')
  const functions = (tools ?? []).map((tool) => functionName(tool, body))
  if (model === undefined) throw misread(body, 'missing field `model`', body.length)
  if (typeof model !== 'string') throw ofType(['model'], model, 'a string')
  return {
    minTask: minTaskIn(value),
    stream: stream === true,
    choices: n,
    functions,
    model,
    messages: Buffer.from(messages.map((message, at) => messageText(message, at, body)).join(',')),
    members: membersText(value, body),
  }
}

withSchema(readCompletion, () => asKeywords(REQUEST))

function functionName(tool: Json, body: Uint8Array): string {
  const described = isJsonObject(tool) ? tool['function'] : undefined
  const name = described !== undefined && isJsonObject(described) ? described['name'] : undefined
  if (typeof name === 'string') return name
  throw misread(body, 'missing field `name`', readUpTo(body, ['tools']))
}

function messageText(message: Json, at: number, body: Uint8Array): string {
  const wrong = (words: string): ApiError =>
    misread(body, `messages[${at}]: ${words}`, readUpTo(body, ['messages']))
  if (!isJsonObject(message)) throw wrong(`invalid type: ${shownKind(message)}, expected a map`)
  const { role } = message
  if (role === undefined) throw wrong('missing field `role`')
  if (typeof role !== 'string' || !Object.hasOwn(MESSAGES, role)) {
    throw wrong(`unknown role, expected one of \`${Object.keys(MESSAGES).join('`, `')}\``)
  }
  const schema = MESSAGES[role]!
  const value = plain(message)
  if (!json.isValid(schema, value)) throw wrong(faultWords(schema, value))
  return JSON.stringify(withKnownMembers(schema as Node, value))
}

function membersText(request: { readonly [name: string]: Json }, body: Uint8Array): string {
  const all: string[] = [`,"model":${JSON.stringify(request['model'])}`]
  const { n = null } = request
  if (n !== null) all.push(`,"n":${String(n)}`)
  for (const [name, schema] of Object.entries(PASSED)) {
    const value = plain(request[name] ?? null)
    if (value === null) continue
    if (!json.isValid(schema, value)) {
      throw misread(body, `\`${name}\`: ${faultWords(schema, value)}`, readUpTo(body, [name]))
    }
    all.push(`,"${name}":${JSON.stringify(value)}`)
  }
  return all.join('')
}

function faultWords(schema: Schema, value: unknown): string {
  const fault = json.faultOf(schema, value)
  const place = fault === null || fault.path === '' ? '' : ` at \`${fault.path.slice(1)}\``
  return `expected ${fault?.expected ?? 'another value'}${place}`
}

/** A schema, as `known` traverses it. */
type Node = {
  readonly anyOf?: readonly Node[]
  readonly items?: Node
  readonly properties?: { readonly [name: string]: Node }
  readonly default?: unknown
}

/** Returns a valid value without members that are null or that its schema does not name. */
function withKnownMembers(schema: Node, value: unknown): unknown {
  const { anyOf, items, properties } = schema
  if (anyOf !== undefined) {
    const fitting = anyOf.find((one) => json.isValid(one as unknown as Schema, value))
    return withKnownMembers(fitting!, value)
  }
  if (Array.isArray(value)) {
    return items === undefined ? value : value.map((element) => withKnownMembers(items, element))
  }
  if (!json.isObject(value) || properties === undefined) return value
  const names = Object.keys(properties)
  if (names.length === 0) return value
  const out: [string, unknown][] = []
  for (const name of names) {
    const node = properties[name]!
    const own = value[name] ?? null
    const preset = presetOf(node)
    if (own !== null) out.push([name, withKnownMembers(node, own)])
    else if (preset !== undefined) out.push([name, preset])
  }
  return Object.fromEntries(out)
}

/** Returns the default of an absent member, or undefined if it has none. */
const presetOf = ({ anyOf = [], default: preset }: Node): unknown =>
  preset === undefined ? anyOf.find((one) => one.default !== undefined)?.default : preset
