// Requests about chats: the settings of a workspace, and completions as far as they are looked at
// before a model is asked.
import { CHAT_SOURCES, type ChatPrompt, type ChatWorkspacePatch } from '../../engine/index.ts'
import type { ApiError, ErrorCode } from '../errors/index.ts'
import { exactBody, type WholeBody, wholeBody } from './body.ts'
import { isJsonArray, isJsonObject, type Json } from './json-value.ts'
import { partial } from './object-schemas.ts'
import { misread, readUpTo, shownKind } from './place.ts'
import { withSchema } from './reader-schemas.ts'
import { nullable, oneOf, type Schema, text } from './schemas.ts'

const orNullText = nullable(text)

type Prompts = NonNullable<ChatWorkspacePatch['prompts']>

const PROMPT_CODES: { readonly [name in ChatPrompt]: ErrorCode } = {
  system: 'invalid_chat_completion_system_prompt',
  searchDescription: 'invalid_chat_completion_search_description_prompt',
  searchQParam: 'invalid_chat_completion_search_query_param_prompt',
  searchFilterParam: 'invalid_chat_completion_search_filter_param_prompt',
  searchIndexUidParam: 'invalid_chat_completion_search_index_uid_param_prompt',
}

const prompts: Schema<Prompts> = partial<Prompts>(
  {
    system: orNullText,
    searchDescription: orNullText,
    searchQParam: orNullText,
    searchFilterParam: orNullText,
    searchIndexUidParam: orNullText,
  },
  PROMPT_CODES,
)

const settings: Schema<ChatWorkspacePatch> = partial<ChatWorkspacePatch>(
  {
    source: nullable(oneOf(CHAT_SOURCES)),
    orgId: orNullText,
    projectId: orNullText,
    apiVersion: orNullText,
    deploymentId: orNullText,
    baseUrl: orNullText,
    apiKey: orNullText,
    prompts: nullable(prompts),
  },
  {
    source: 'bad_request',
    orgId: 'invalid_chat_completion_org_id',
    projectId: 'invalid_chat_completion_project_id',
    apiVersion: 'invalid_chat_completion_api_version',
    deploymentId: 'invalid_chat_completion_deployment_id',
    baseUrl: 'invalid_chat_completion_base_api',
    apiKey: 'invalid_chat_completion_api_key',
    prompts: 'bad_request',
  },
)

/** The settings of a workspace to change. @throws ApiError */
export const readChatSettings: WholeBody<ChatWorkspacePatch> = wholeBody(settings)

/** What of a completion decides whether a model is asked at all. */
export type CompletionRequest = {
  readonly stream: boolean
  /** Answers to choose from. */
  readonly choices: number | null
  /** Names of the functions that the client brings along. */
  readonly functions: readonly string[]
}

const COMPLETION = {
  type: 'object',
  properties: {
    messages: { type: 'array', items: { type: 'object' } },
    model: { type: 'string' },
    stream: { type: ['boolean', 'null'] },
    n: { type: ['integer', 'null'], minimum: 0, maximum: 255 },
    tools: { type: ['array', 'null'], items: { type: 'object' } },
  },
  required: ['messages'],
} as const

/** @throws ApiError */
export function readCompletion(body: Uint8Array): CompletionRequest {
  const value = exactBody(body)
  const ofType = (path: readonly string[], found: Json, expected: string): ApiError =>
    misread(body, `invalid type: ${shownKind(found)}, expected ${expected}`, readUpTo(body, path))
  if (!isJsonObject(value)) throw ofType([], value, 'a chat completion request')
  const { messages, stream = null, n = null, tools = null } = value
  if (stream !== null && typeof stream !== 'boolean') throw ofType(['stream'], stream, 'a boolean')
  if (n !== null && !isByte(n)) throw ofType(['n'], n, 'u8')
  if (tools !== null && !isJsonArray(tools)) throw ofType(['tools'], tools, 'a sequence')
  if (messages === undefined) throw misread(body, 'missing field `messages`', body.length)
  if (!isJsonArray(messages)) throw ofType(['messages'], messages, 'a sequence')
  const functions = (tools ?? []).map((tool) => functionName(tool, body))
  return { stream: stream === true, choices: n, functions }
}

withSchema(readCompletion, () => COMPLETION)

const isByte = (value: Json): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= 255

function functionName(tool: Json, body: Uint8Array): string {
  const described = isJsonObject(tool) ? tool.function : undefined
  const name = described !== undefined && isJsonObject(described) ? described.name : undefined
  if (typeof name === 'string') return name
  throw misread(body, 'missing field `name`', readUpTo(body, ['tools']))
}
