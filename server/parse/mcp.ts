// A message of the Model Context Protocol: a request or a notification of JSON-RPC 2.0.
import * as json from '../../format/schema/index.ts'
import {
  anything,
  invalid,
  mapOf,
  member,
  object,
  oneOf,
  plain,
  readable,
  required,
  type Schema,
  text,
  type WholeBody,
  wholeBody,
} from './schema/index.ts'

export type McpMessage = {
  readonly jsonrpc: '2.0'
  /** null: a notification. */
  readonly id: string | number | null
  readonly method: string
  readonly params: { readonly [name: string]: unknown }
}

const id: Schema<string | number> = readable(json.either(json.text, json.number), (value) => {
  const found = plain(value)
  if (typeof found === 'string' || typeof found === 'number') return found
  throw invalid('expected a string or a number')
})

const params: Schema<McpMessage['params']> = mapOf(anything)

const message: Schema<McpMessage> = object<McpMessage>(
  {
    jsonrpc: required(oneOf(['2.0']), null),
    id: member<string | number | null>(id, null, null),
    method: required(text, null),
    params: member(params, null, {}),
  },
  { ignoreUnknown: true },
)

/** @throws ApiError */
export const readMcpMessage: WholeBody<McpMessage> = wholeBody(message)
