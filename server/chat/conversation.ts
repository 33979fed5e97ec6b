// One completion: asks the model, runs the searches that it calls for, and asks again with their
// results, until the model has answered. The client receives events, which are created as it
// requests them.
import { randomUUID } from 'node:crypto'
import type { Transport } from '../../engine/backup.ts'
import type { ChatWorkspace } from '../../engine/index.ts'
import type { CompletionRequest } from '../parse/index.ts'
import { ChatError, chatError } from './chat-error.ts'
import { type Chunk, callChunk, type Usage } from './chunks.ts'
import { type Call, GatheredCalls } from './gathered-calls.ts'
import { ROUNDS_MAX } from './limits.ts'
import { ModelBody } from './model-body.ts'
import { askModel } from './model-call.ts'
import {
  readArguments,
  SEARCH_FUNCTION,
  type SearchOutcome,
  type SearchTool,
} from './search-tool.ts'

/** Functions that a client may declare; calls of them report the server's work to the client. */
export const REPORTS = {
  progress: '_meiliSearchProgress',
  sources: '_meiliSearchSources',
  message: '_meiliAppendConversationMessage',
} as const

export type ChatEvent =
  | { readonly kind: 'chunk'; readonly chunk: Chunk }
  /**
   * A fault. The conversation continues after a fault of a search, and ends after one of the model.
   */
  | { readonly kind: 'fault'; readonly fault: ChatError; readonly isEnd: boolean }

export type ConversationOptions = {
  readonly transport: Transport
  readonly workspace: ChatWorkspace
  /** Text of the leading message. */
  readonly prompt: string
  readonly request: CompletionRequest
  readonly tool: SearchTool
  /** Fires when the client disconnects. */
  readonly signal: AbortSignal
  /** Receives the tokens of each answer that reports them. */
  readonly onUsage: (model: string, usage: Usage) => void
}

const TOOL_CALLS = 'tool_calls'

export class Conversation {
  readonly #options: ConversationOptions
  readonly #body: ModelBody

  constructor(options: ConversationOptions) {
    const { request, workspace, prompt, tool } = options
    this.#options = options
    this.#body = new ModelBody(request, workspace, prompt, tool.definition)
  }

  /** Ends after the first fault of the model. @throws the reason of the signal */
  async *events(): AsyncGenerator<ChatEvent, void, undefined> {
    try {
      for (let round = 0; round < ROUNDS_MAX; round++) {
        const reason = yield* this.#round()
        if (reason !== TOOL_CALLS) return
      }
    } catch (error) {
      if (!(error instanceof ChatError)) throw error
      yield { kind: 'fault', fault: error, isEnd: true }
    }
  }

  /** Asks the model once; returns the finish reason. */
  async *#round(): AsyncGenerator<ChatEvent, string | null, undefined> {
    const { transport, workspace, signal, onUsage } = this.#options
    const calls = new GatheredCalls()
    let reason: string | null = null
    let last: Chunk | null = null
    const request = { workspace, body: this.#body.pieces(), signal }
    for await (const chunk of askModel(transport, request)) {
      if (chunk.usage !== null) onUsage(chunk.model, chunk.usage)
      const [choice] = chunk.choices
      if (choice === undefined) {
        // Azure begins with a chunk that contains only results of its content filter.
        if (workspace.source === 'azureOpenAi' && last === null) continue
        break
      }
      last = chunk
      reason = choice.finish_reason ?? reason
      const { tool_calls: pieces } = choice.delta
      if (pieces !== null && pieces.length > 0) calls.add(pieces)
      else if (calls.isEmpty) yield { kind: 'chunk', chunk }
      else yield* this.#run(calls.take(), chunk)
    }
    // Some providers end an answer with the chunk that holds the calls.
    if (reason === TOOL_CALLS && last !== null && !calls.isEmpty) {
      yield* this.#run(calls.take(), last)
    }
    return reason
  }

  /** Runs the searches among some calls; other functions are unknown. */
  async *#run(calls: readonly Call[], of: Chunk): AsyncGenerator<ChatEvent, void, undefined> {
    const searches = calls.filter(({ name }) => name === SEARCH_FUNCTION)
    for (const { id, name, arguments: given } of searches) {
      const progress = { call_id: id, function_name: name, function_arguments: given }
      yield* this.#report(of, REPORTS.progress, () => JSON.stringify(progress))
    }
    const callMessage = {
      role: 'assistant',
      tool_calls: searches.map(({ id, name, arguments: given }) => ({
        id,
        type: 'function',
        function: { name, arguments: given },
      })),
    }
    this.#body.add(callMessage)
    if (searches.length > 0) {
      yield* this.#report(of, REPORTS.message, () => JSON.stringify(callMessage))
    }
    for (const call of searches) yield* this.#search(call, of)
  }

  async *#search(call: Call, of: Chunk): AsyncGenerator<ChatEvent, void, undefined> {
    const { tool, signal } = this.#options
    const read = readArguments(call.arguments)
    const outcome = typeof read === 'string' ? null : await tool.search(read, signal)
    const sources = outcome === null ? null : sourcesOf(outcome)
    if (sources !== null) {
      const callId = JSON.stringify(call.id)
      const json = (): string => `{"call_id":${callId},"sources":${sources}}`
      yield* this.#report(of, REPORTS.sources, json)
    }
    const content = typeof read === 'string' ? read : contentOf(outcome!)
    const resultMessage = { role: 'tool', content, tool_call_id: call.id }
    this.#body.add(resultMessage)
    yield* this.#report(of, REPORTS.message, () => JSON.stringify(resultMessage))
    if (outcome?.kind !== 'refused') return
    const fault = chatError('response_error', outcome.message, String(outcome.status))
    yield { kind: 'fault', fault, isEnd: false }
  }

  /** Reports to the client if it declared the function. */
  *#report(of: Chunk, name: string, callArguments: () => string): Generator<ChatEvent> {
    if (!this.#options.request.functions.includes(name)) return
    yield { kind: 'chunk', chunk: callChunk(of, randomUUID(), name, callArguments()) }
  }
}

/** Returns the sources reported to the client, or null to report nothing. */
function sourcesOf(outcome: SearchOutcome): string | null {
  switch (outcome.kind) {
    case 'found':
      return outcome.sources
    case 'wrong':
      return '[]'
    case 'refused':
      return null
  }
}

/** Returns the result for the model. */
function contentOf(outcome: SearchOutcome): string {
  switch (outcome.kind) {
    case 'found':
      return outcome.content
    case 'wrong':
      return outcome.message
    case 'refused':
      return `the search tool call failed with ${outcome.message}`
  }
}
