// Limits of conversations with models, each with its reason: a provider may be slow, endless or
// hostile, and every conversation holds memory of the main thread.
import { KiB, MiB } from '../../format/bytes/index.ts'

/** Conversations at once. Each holds two connections and up to some megabytes. */
export const CHATS_MAX = 200
/** Times that a model is asked within one completion, as recorded. */
export const ROUNDS_MAX = 20
/** Searches that a model may ask for at once: models ask for one to five. */
export const CALLS_MAX = 32
/** Arguments of all calls of one round: a search takes some hundred bytes. */
export const ARGUMENTS_LENGTH_MAX = 256 * KiB
/** All messages of a conversation, those of the client included: more than any model reads. */
export const CONVERSATION_BYTES_MAX = 24 * MiB
/** One event of an answer, a chunk of it: it is parsed in one go, in 5 ms at most. */
export const EVENT_BYTES_MAX = 512 * KiB
/** One answer of a model: ten times the longest there are. */
export const ANSWER_BYTES_MAX = 32 * MiB
/** The answer as it is collected where the client wants it in one piece. */
export const COLLECTED_LENGTH_MAX = 4 * MiB
/** What is read of an answer that says what is wrong. */
export const ERROR_BYTES_MAX = 64 * KiB
/** Characters of it that are quoted. */
export const QUOTED_LENGTH_MAX = 500
/** How long one answer may take as a whole: as long as the official clients wait. */
export const ANSWER_MS_MAX = 600_000
/** How long a client may take nothing before its conversation is given up. */
export const CLIENT_STALL_MS = 60_000
/** Chunks that are worked on before other requests have a turn: less than a millisecond. */
export const CHUNKS_A_TURN = 64
