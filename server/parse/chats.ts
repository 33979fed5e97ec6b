// Requests about chats: the settings of a workspace. ./completion.ts reads completions.
import { CHAT_SOURCES, type ChatPrompt, type ChatWorkspacePatch } from '../../engine/index.ts'
import type { ErrorCode } from '../errors/index.ts'
import {
  headerText,
  nullable,
  oneOf,
  partial,
  type Schema,
  text,
  type WholeBody,
  wholeBody,
} from './schema/index.ts'

const orNullText = nullable(text)
const orNullHeader = nullable(headerText)

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
    orgId: orNullHeader,
    projectId: orNullHeader,
    apiVersion: orNullText,
    deploymentId: orNullText,
    baseUrl: orNullText,
    apiKey: orNullHeader,
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

/** Reads a change of a workspace's settings. @throws ApiError */
export const readChatSettings: WholeBody<ChatWorkspacePatch> = wholeBody(settings)
