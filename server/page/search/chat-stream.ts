// Reads a chat's answer while it arrives, as a stream of server-sent events.
import { openEvents } from '../parts/index.ts'

type Called = { readonly function: { readonly name: string; readonly arguments: string } }
type Delta = { readonly content: string | null; readonly tool_calls: readonly Called[] | null }

export type ChatEvent =
  | { readonly kind: 'text'; readonly text: string }
  /** A call of a function that the server uses to report its progress. */
  | { readonly kind: 'report'; readonly name: string; readonly details: ReportArguments }
  | { readonly kind: 'error'; readonly message: string }

export type ReportArguments = { readonly [member: string]: unknown }

export const PROGRESS = '_meiliSearchProgress'
export const SOURCES = '_meiliSearchSources'
export const MESSAGE = '_meiliAppendConversationMessage'

const tool = (name: string): object => ({
  type: 'function',
  function: { name, description: '', parameters: { type: 'object', properties: {} } },
})

export type ChatQuestion = {
  readonly workspace: string
  readonly model: string
  readonly messages: readonly object[]
}

/**
 * Sends the messages and yields the events of the answer. @throws ServerError; AbortError when the
 * signal fires
 */
export async function* chat(
  { workspace, model, messages }: ChatQuestion,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent, void, undefined> {
  const tools = [PROGRESS, SOURCES, MESSAGE].map(tool)
  const path = `/chats/${encodeURIComponent(workspace)}/chat/completions`
  const body = { model, stream: true, messages, tools }
  for await (const data of openEvents('POST', path, body, signal)) {
    if (data.startsWith('{')) yield* eventsIn(data)
  }
}

function* eventsIn(data: string): Generator<ChatEvent> {
  const event = JSON.parse(data) as {
    readonly choices?: readonly { readonly delta: Delta }[]
    readonly error?: { readonly message: string }
  }
  if (event.error !== undefined) yield { kind: 'error', message: event.error.message }
  const delta = event.choices?.[0]?.delta
  if (delta?.content) yield { kind: 'text', text: delta.content }
  for (const { function: called } of delta?.tool_calls ?? []) {
    const details = JSON.parse(called.arguments) as ReportArguments
    yield { kind: 'report', name: called.name, details }
  }
}
