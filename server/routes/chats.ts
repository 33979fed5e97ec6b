// Chats. There are none in this release: their routes are there for their gates.
import { ApiError } from '../errors/index.ts'
import { type Route, type Rules, route } from '../http/index.ts'
import { checkChatSettings, checkCompletion, readIndexPage } from '../parse/index.ts'
import { checkFeature } from './gates.ts'
import type { RouteOptions } from './options.ts'
import { found } from './views.ts'

const LIST: Rules = { permits: 'chats.get', body: 'none', query: true }
const READ: Rules = { permits: 'chats.get', body: 'none', query: false }
const DELETE: Rules = { permits: 'chats.delete', body: 'none', query: false }
const READ_SETTINGS: Rules = { permits: 'chatsSettings.get', body: 'none', query: false }
const UPDATE_SETTINGS: Rules = { permits: 'chatsSettings.update', body: 'json', query: false }
const RESET_SETTINGS: Rules = { permits: 'chatsSettings.update', body: 'none', query: false }
const COMPLETE: Rules = { permits: 'chatCompletions', body: 'json', query: false }

export function chatRoutes({ engine }: RouteOptions): readonly Route[] {
  const gate = (action: string): void => {
    checkFeature(engine.features, 'chatCompletions', action)
  }
  const none = (workspace: string): ApiError =>
    new ApiError('chat_not_found', `Chat \`${workspace}\` not found`)
  const settings = 'using the /chats/settings route'

  return [
    route('GET', '/chats', LIST, ({ query }) => {
      const { offset, limit } = readIndexPage(query)
      gate('listing the chats')
      return found({ results: [], offset, limit, total: 0 })
    }),
    route('GET', '/chats/:workspace', READ, ({ params }) => {
      gate('displaying a chat')
      throw new ApiError('chat_not_found', `chat ${params.workspace} not found`)
    }),
    route('DELETE', '/chats/:workspace', DELETE, ({ params }) => {
      gate('deleting a chat')
      throw new ApiError('chat_not_found', `chat ${params.workspace} not found`)
    }),
    route('GET', '/chats/:workspace/settings', READ_SETTINGS, ({ params }) => {
      gate(settings)
      throw none(params.workspace)
    }),
    route('PATCH', '/chats/:workspace/settings', UPDATE_SETTINGS, async (request) => {
      checkChatSettings(await request.json())
      gate(settings)
      throw new ApiError('bad_request', 'Chats cannot be made in this release.')
    }),
    route('DELETE', '/chats/:workspace/settings', RESET_SETTINGS, ({ params }) => {
      gate(settings)
      throw none(params.workspace)
    }),
    route('POST', '/chats/:workspace/chat/completions', COMPLETE, async (request) => {
      checkCompletion(await request.json())
      gate('using the /chats chat completions route')
      throw none(request.params.workspace)
    }),
  ]
}
