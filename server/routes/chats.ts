// Chat workspaces: listing, settings, deleting. Completions are checked as far as this release
// goes; no model is asked yet.
import {
  CHAT_TEXTS,
  type ChatWorkspace,
  maskSecret,
  promptsOf,
  type View,
} from '../../engine/index.ts'
import { jsonBody } from '../bodies/index.ts'
import { ApiError } from '../errors/index.ts'
import { type Route, route } from '../http/index.ts'
import { type CompletionRequest, checkIndexUid, readIndexPage } from '../parse/index.ts'
import { checkFeature } from './gates.ts'
import type { RouteOptions } from './options.ts'
import { found } from './views.ts'

const LIST = { permits: 'chats.get', body: 'none', query: readIndexPage } as const
const READ = { permits: 'chats.get', body: 'none', query: null } as const
const DELETE = { permits: 'chats.delete', body: 'none', query: null } as const
const READ_SETTINGS = { permits: 'chatsSettings.get', body: 'none', query: null } as const
const UPDATE_SETTINGS = {
  permits: 'chatsSettings.update',
  body: jsonBody('chatSettings'),
  query: null,
} as const
const RESET_SETTINGS = { permits: 'chatsSettings.update', body: 'none', query: null } as const
const COMPLETE = { permits: 'chatCompletions', body: jsonBody('completion'), query: null } as const

const SETTINGS = 'using the /chats/settings route'

export function chatRoutes({ engine }: RouteOptions): readonly Route[] {
  const { chats } = engine
  const gate = (action: string): void => {
    checkFeature(engine.features, 'chatCompletions', action)
  }
  const need = (uid: string, message: string): ChatWorkspace => {
    const workspace = chats.get(uid)
    if (workspace === undefined) throw new ApiError('chat_not_found', message)
    return workspace
  }

  return [
    route('GET', '/chats', LIST, ({ query: { offset, limit } }) => {
      gate('listing the chats')
      const all = chats.list()
      const results = all.slice(offset, offset + limit).map((uid) => ({ uid }))
      return found({ results, offset, limit, total: all.length })
    }),
    route('GET', '/chats/:workspace', READ, ({ params: { workspace } }) => {
      gate('displaying a chat')
      checkIndexUid(workspace)
      need(workspace, `chat ${workspace} not found`)
      return found({ uid: workspace })
    }),
    route('DELETE', '/chats/:workspace', DELETE, async ({ params: { workspace } }) => {
      gate('deleting a chat')
      await chats.remove(workspace)
      return { status: 204 }
    }),
    route('GET', '/chats/:workspace/settings', READ_SETTINGS, ({ params: { workspace } }) => {
      gate(SETTINGS)
      return found(view(need(workspace, `Chat \`${workspace}\` not found`)))
    }),
    route('PATCH', '/chats/:workspace/settings', UPDATE_SETTINGS, async ({ params, body }) => {
      gate(SETTINGS)
      return found(view(await chats.update(params.workspace, body)))
    }),
    route('DELETE', '/chats/:workspace/settings', RESET_SETTINGS, async ({ params }) => {
      gate(SETTINGS)
      return found(view(await chats.reset(params.workspace)))
    }),
    route('POST', '/chats/:workspace/chat/completions', COMPLETE, ({ params, body }) => {
      gate('using the /chats chat completions route')
      checkCompletion(body)
      const { workspace } = params
      need(workspace, `Chat \`${workspace}\` not found`)
      checkFunctions(body)
      throw new ApiError('bad_request', 'This release does not ask models: search instead.')
    }),
  ]
}

/** @throws ApiError */
function checkCompletion({ stream, choices }: CompletionRequest): void {
  if (!stream) {
    throw new ApiError(
      'unimplemented_non_streaming_chat_completions',
      'Non-streamed chat completions is not implemented',
    )
  }
  if (choices === null || choices === 1) return
  throw new ApiError(
    'unimplemented_multi_choice_chat_completions',
    `You tried to specify n = ${choices} but only single choices are supported (n = 1).`,
  )
}

/** The function that searches is the server's own; clients may ask for reports by these names. */
const OWN_FUNCTION = '_meiliSearchInIndex'
const REPORTS: readonly string[] = [
  '_meiliSearchProgress',
  '_meiliSearchSources',
  '_meiliAppendConversationMessage',
]

/** @throws ApiError */
function checkFunctions({ functions }: CompletionRequest): void {
  for (const name of functions) {
    if (name === OWN_FUNCTION) {
      throw new ApiError('bad_request', `${OWN_FUNCTION} function is already defined.`)
    }
    if (REPORTS.includes(name)) continue
    throw new ApiError(
      'unimplemented_external_function_calling',
      `${name}: External functions are not supported yet.`,
    )
  }
}

/** Of the key, only the beginning. */
function view(workspace: ChatWorkspace): View {
  const { source, apiKey } = workspace
  return {
    source,
    ...Object.fromEntries(CHAT_TEXTS.map((name) => [name, workspace[name]])),
    apiKey: apiKey === null ? null : maskSecret(apiKey),
    prompts: promptsOf(workspace),
  }
}
