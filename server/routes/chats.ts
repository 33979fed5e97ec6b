// Chat workspaces: listing, settings, deletion, and completions.
import {
  CHAT_TEXTS,
  type ChatWorkspace,
  maskSecret,
  promptsOf,
  type View,
} from '../../engine/index.ts'
import { jsonBody } from '../bodies/index.ts'
import { ChatSlots, REPORTS, SEARCH_FUNCTION } from '../chat/index.ts'
import { ApiError } from '../errors/index.ts'
import { route } from '../http/index.ts'
import type { Route } from '../http/messages/index.ts'
import { type CompletionRequest, readIndexPage } from '../parse/index.ts'
import { checkIndexUid } from '../parse/schema/index.ts'
import { complete } from './chat-completion.ts'
import { checkFeature, okReply, type RouteOptions, seeingWrites } from './context/index.ts'

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

export function chatRoutes(options: RouteOptions): readonly Route[] {
  const { engine } = options
  const { chats } = engine
  const slots = new ChatSlots()
  const gate = (action: string): void => {
    checkFeature(engine.administration.features, 'chatCompletions', action)
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
      return okReply({ results, offset, limit, total: all.length })
    }),
    route('GET', '/chats/:workspace', READ, ({ params: { workspace } }) => {
      gate('displaying a chat')
      checkIndexUid(workspace)
      need(workspace, `chat ${workspace} not found`)
      return okReply({ uid: workspace })
    }),
    route('DELETE', '/chats/:workspace', DELETE, async ({ params: { workspace } }) => {
      gate('deleting a chat')
      await chats.remove(workspace)
      return { status: 204 }
    }),
    route('GET', '/chats/:workspace/settings', READ_SETTINGS, ({ params: { workspace } }) => {
      gate(SETTINGS)
      return okReply(view(need(workspace, `Chat \`${workspace}\` not found`)))
    }),
    route('PATCH', '/chats/:workspace/settings', UPDATE_SETTINGS, async ({ params, body }) => {
      gate(SETTINGS)
      return okReply(view(await chats.update(params.workspace, body)))
    }),
    route('DELETE', '/chats/:workspace/settings', RESET_SETTINGS, async ({ params }) => {
      gate(SETTINGS)
      return okReply(view(await chats.reset(params.workspace)))
    }),
    route('POST', '/chats/:workspace/chat/completions', COMPLETE, (request) => {
      gate('using the /chats chat completions route')
      const { body, params } = request
      checkChoices(body)
      const { workspace: uid } = params
      const workspace = need(uid, `Chat \`${uid}\` not found`)
      checkFunctions(body)
      const { caller } = request
      const isNetwork = engine.network.get().remotes.size > 0
      const parts = { indexes: caller.visible, minTask: body.minTask, isNetwork }
      return seeingWrites(options, request, parts, (state) => {
        // Its searches run after its head was sent.
        state?.note(null)
        return complete({ options, slots, request, uid, workspace, state })
      })
    }),
  ]
}

/** @throws ApiError */
function checkChoices({ choices }: CompletionRequest): void {
  if (choices === null || choices === 1) return
  throw new ApiError(
    'unimplemented_multi_choice_chat_completions',
    `You tried to specify n = ${choices} but only single choices are supported (n = 1).`,
  )
}

const REPORT_NAMES: readonly string[] = Object.values(REPORTS)

/**
 * The search function belongs to the server; clients may only declare report functions. @throws
 * ApiError
 */
function checkFunctions({ functions }: CompletionRequest): void {
  for (const name of functions) {
    if (name === SEARCH_FUNCTION) {
      throw new ApiError('bad_request', `${SEARCH_FUNCTION} function is already defined.`)
    }
    if (REPORT_NAMES.includes(name)) continue
    throw new ApiError(
      'unimplemented_external_function_calling',
      `${name}: External functions are not supported yet.`,
    )
  }
}

/** Shows only the beginning of the key. */
function view(workspace: ChatWorkspace): View {
  const { source, apiKey } = workspace
  return {
    source,
    ...Object.fromEntries(CHAT_TEXTS.map((name) => [name, workspace[name]])),
    apiKey: apiKey === null ? null : maskSecret(apiKey),
    prompts: promptsOf(workspace),
  }
}
