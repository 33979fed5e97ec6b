// Limits of conversations with models, each with its reason: a provider may be slow, endless or
// hostile, and every conversation holds memory of the main thread.
import { KiB, MiB } from '../../format/bytes/index.ts'
import { assert } from '../../format/errors.ts'

/** Concurrent conversations. Each holds two connections and up to some megabytes. */
export const CHATS_MAX = 200
/** Requests to the model within one completion, as recorded. */
export const ROUNDS_MAX = 20
/** Searches that a model may call for in one round: models use one to five. */
export const CALLS_MAX = 32
/** Length of the arguments of all calls in one round: a search takes some hundred bytes. */
export const ARGUMENTS_LENGTH_MAX = 256 * KiB
/** Bytes of all messages of a conversation, including the client's: more than any model reads. */
export const CONVERSATION_BYTES_MAX = 24 * MiB
/** Bytes of one event, which holds a chunk: it is parsed in one step, in 5 ms at most. */
export const EVENT_BYTES_MAX = 512 * KiB
/** Levels of objects and lists in an event: known chunks have seven. */
export const NESTED_MAX = 64
/** Bytes of one answer of a model: ten times the longest known. */
export const ANSWER_BYTES_MAX = 32 * MiB
/** Length of a collected answer without streaming. */
export const COLLECTED_LENGTH_MAX = 4 * MiB
/** Bytes read of an answer that reports an error. */
export const ERROR_BYTES_MAX = 64 * KiB
/** Characters of it that are quoted. */
export const QUOTED_LENGTH_MAX = 500
/** How long one answer may take in total: as long as the official clients wait. */
export const ANSWER_MS_MAX = 600_000
/** How long a client may read nothing before its conversation is given up. */
export const CLIENT_STALL_MS = 60_000
/** Chunks processed before other requests run: less than a millisecond. */
export const CHUNKS_A_TURN = 64

assert(EVENT_BYTES_MAX < ANSWER_BYTES_MAX, 'an answer holds an event')
assert(COLLECTED_LENGTH_MAX <= ANSWER_BYTES_MAX, 'a collected answer is received')
assert(
  ARGUMENTS_LENGTH_MAX < CONVERSATION_BYTES_MAX && COLLECTED_LENGTH_MAX < CONVERSATION_BYTES_MAX,
  'a round fits the conversation',
)
assert(ARGUMENTS_LENGTH_MAX <= EVENT_BYTES_MAX, 'the calls of a round may arrive in one event')
assert(CLIENT_STALL_MS < ANSWER_MS_MAX, 'a stalled client is given up first')
