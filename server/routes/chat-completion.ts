// One chat completion: the conversation with the model, as a stream of events or as a single
// answer.
import { type AnswerState, type ChatWorkspace, promptsOf } from '../../engine/index.ts'
import {
  type ChatSlots,
  Conversation,
  completionOf,
  eventStream,
  type Usage,
} from '../chat/index.ts'
import { ApiError } from '../errors/index.ts'
import type { Reply, RouteRequest } from '../http/messages/index.ts'
import type { CompletionRequest } from '../parse/index.ts'
import { searchTool } from './chat-search.ts'
import { okReply, type RouteOptions } from './context/index.ts'

export type Completion = {
  readonly options: RouteOptions
  readonly slots: ChatSlots
  readonly request: RouteRequest<string, CompletionRequest>
  /** Uid of the workspace. */
  readonly uid: string
  readonly workspace: ChatWorkspace
  /** For its searches. */
  readonly state: AnswerState | undefined
}

/** Events reach the client as they are sent; proxies must neither buffer nor cache them. */
const STREAM_HEADERS = ['X-Accel-Buffering', 'no', 'Cache-Control', 'no-cache'] as const

/** A comment line, which clients of event streams ignore. */
const COMMENT = ':\n'

/** @throws ApiError before the model is asked, and, without streaming, for failures of the model */
export async function complete(completion: Completion): Promise<Reply> {
  const { slots, request } = completion
  const release = slots.take()
  const control = new AbortController()
  const { signal } = request.context
  const leave = (): void => control.abort()
  signal.addEventListener('abort', leave)
  const end = (): void => {
    signal.removeEventListener('abort', leave)
    release()
  }
  try {
    if (signal.aborted) leave()
    const { events, usage } = await begin(completion, control.signal)
    if (request.body.stream) {
      const pieces = eventStream({ events, control, onEnd: end })
      return {
        status: 200,
        contentType: 'text/event-stream',
        headers: STREAM_HEADERS,
        pieces,
        filler: COMMENT,
      }
    }
    const answer = await completionOf(events, usage)
    end()
    return okReply(answer)
  } catch (error) {
    end()
    throw error
  }
}

async function begin({ options, request, uid, workspace, state }: Completion, signal: AbortSignal) {
  const { caller, context, body } = request
  const { models } = options
  if (models === null) throw new ApiError('bad_request', 'Models are asked by the server alone.')
  const tool = await searchTool(options, { caller, context, state }, workspace)
  let used: Usage | null = null
  const conversation = new Conversation({
    transport: models,
    workspace,
    prompt: promptsOf(workspace).system,
    request: body,
    tool,
    signal,
    onUsage: (model, usage) => {
      used = sumOf(used, usage)
      const { prompt_tokens: prompt, completion_tokens: completion } = usage
      options.events.chatAnswer(uid, model, { prompt, completion })
    },
  })
  return { events: conversation.events(), usage: (): Usage | null => used }
}

const sumOf = (before: Usage | null, added: Usage): Usage => ({
  prompt_tokens: (before?.prompt_tokens ?? 0) + added.prompt_tokens,
  completion_tokens: (before?.completion_tokens ?? 0) + added.completion_tokens,
  total_tokens: (before?.total_tokens ?? 0) + added.total_tokens,
})
