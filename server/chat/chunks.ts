// Chunks of a model's answer: parsed, checked, and written again with the known members. Absent
// ones become null, as clients expect from recordings.
import {
  anyObject,
  count,
  isNestedDeeper,
  isValid,
  list,
  nullable,
  number,
  objectOf,
  open,
  type Schema,
  safeCount,
  text,
} from '../../format/schema/index.ts'
import { chatError } from './chat-error.ts'
import { NESTED_MAX } from './limits.ts'

/** A piece of a call: the first one names the function, each holds a part of the arguments. */
export type CallPiece = {
  readonly index: number
  readonly id?: string | null
  readonly type?: string | null
  readonly function?: { readonly name?: string | null; readonly arguments?: string | null } | null
}

export type Delta = {
  readonly content: string | null
  readonly function_call: object | null
  readonly tool_calls: readonly CallPiece[] | null
  readonly role: string | null
  readonly refusal: string | null
}

export type Choice = {
  readonly index: number
  readonly delta: Delta
  readonly finish_reason: string | null
  readonly logprobs: object | null
}

export type Usage = {
  readonly prompt_tokens: number
  readonly completion_tokens: number
  readonly total_tokens: number
}

export type Chunk = {
  readonly id: string
  readonly choices: readonly Choice[]
  readonly created: number
  readonly model: string
  readonly service_tier: string | null
  readonly system_fingerprint: string | null
  readonly object: string
  readonly usage: Usage | null
}

/**
 * An object with these members, of which only `required` must be present, and any other members.
 */
const members = (all: { readonly [name: string]: Schema<unknown> }, required: readonly string[]) =>
  open(objectOf(all, required))

const CALL_PIECE = members(
  {
    index: count,
    id: nullable(text),
    type: nullable(text),
    function: nullable(members({ name: nullable(text), arguments: nullable(text) }, [])),
  },
  ['index'],
)

const DELTA = members(
  {
    content: nullable(text),
    function_call: nullable(anyObject),
    tool_calls: nullable(list(CALL_PIECE)),
    role: nullable(text),
    refusal: nullable(text),
  },
  [],
)

const CHOICE = members(
  {
    index: count,
    delta: DELTA,
    finish_reason: nullable(text),
    logprobs: nullable(anyObject),
  },
  ['index', 'delta'],
)

const USAGE = members(
  { prompt_tokens: safeCount, completion_tokens: safeCount, total_tokens: safeCount },
  ['prompt_tokens', 'completion_tokens', 'total_tokens'],
)

const CHUNK = members(
  {
    id: text,
    choices: list(CHOICE),
    created: number,
    model: text,
    service_tier: nullable(text),
    system_fingerprint: nullable(text),
    object: text,
    usage: nullable(USAGE),
  },
  ['id', 'choices', 'created', 'model', 'object'],
)

type Sent<T> = { readonly [K in keyof T]?: T[K] | null }
type SentChoice = Pick<Choice, 'index'> & Sent<Choice> & { readonly delta: Sent<Delta> }
type SentChunk = Pick<Chunk, 'id' | 'created' | 'model' | 'object'> &
  Sent<Omit<Chunk, 'choices'>> & { readonly choices: readonly SentChoice[] }

/** Parses the chunk in the data of an event. @throws ChatError json_deserialize_error */
export function readChunk(data: string): Chunk {
  const value = parsed(data)
  // Some members are passed on as they are.
  if (!isValid(CHUNK, value) || isNestedDeeper(value, NESTED_MAX)) {
    const words = 'an event of the model is not a chunk of a completion'
    throw chatError('json_deserialize_error', words, 'internal')
  }
  const sent = value as unknown as SentChunk
  return {
    id: sent.id,
    choices: sent.choices.map(choiceOf),
    created: sent.created,
    model: sent.model,
    service_tier: sent.service_tier ?? null,
    system_fingerprint: sent.system_fingerprint ?? null,
    object: sent.object,
    usage: sent.usage ?? null,
  }
}

function choiceOf({ index, delta, finish_reason, logprobs }: SentChoice): Choice {
  return {
    index,
    delta: {
      content: delta.content ?? null,
      function_call: delta.function_call ?? null,
      tool_calls: delta.tool_calls ?? null,
      role: delta.role ?? null,
      refusal: delta.refusal ?? null,
    },
    finish_reason: finish_reason ?? null,
    logprobs: logprobs ?? null,
  }
}

function parsed(data: string): unknown {
  try {
    return JSON.parse(data)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    const words = 'an event of the model is not JSON'
    throw chatError('json_deserialize_error', words, 'internal')
  }
}

/** Builds a chunk that calls a function of the client, with the id and model of the answer `of`. */
export const callChunk = (of: Chunk, id: string, name: string, callArguments: string): Chunk => ({
  ...of,
  choices: [
    {
      index: 0,
      delta: {
        content: null,
        function_call: null,
        tool_calls: [
          { index: 0, id, type: 'function', function: { name, arguments: callArguments } },
        ],
        role: 'assistant',
        refusal: null,
      },
      finish_reason: null,
      logprobs: null,
    },
  ],
  usage: null,
})
