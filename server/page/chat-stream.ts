// A chat's answer as it comes: events of the server, one after the other. The server ends lines
// with LF and writes one line of data an event, so that nothing else has to be understood.
import { openStream } from './server.ts'

type Called = { readonly function: { readonly name: string; readonly arguments: string } }
type Delta = { readonly content: string | null; readonly tool_calls: readonly Called[] | null }

export type ChatEvent =
  | { readonly kind: 'text'; readonly text: string }
  /** A call of one of the functions by which the server tells what it does. */
  | { readonly kind: 'report'; readonly name: string; readonly given: ReportArguments }
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

/** @throws Refusal; AbortError when the signal fires */
export async function* chat(
  { workspace, model, messages }: ChatQuestion,
  signal: AbortSignal,
): AsyncGenerator<ChatEvent, void, undefined> {
  const tools = [PROGRESS, SOURCES, MESSAGE].map(tool)
  const path = `/chats/${encodeURIComponent(workspace)}/chat/completions`
  let rest = ''
  for await (const text of openStream(path, { model, stream: true, messages, tools }, signal)) {
    const blocks = (rest + text).split('\n\n')
    rest = blocks.pop() ?? ''
    for (const block of blocks) {
      if (block.startsWith('data: {')) yield* eventsIn(block.slice('data: '.length))
    }
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
    const given = JSON.parse(called.arguments) as ReportArguments
    yield { kind: 'report', name: called.name, given }
  }
}
