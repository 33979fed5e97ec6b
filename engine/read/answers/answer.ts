// Answers as bytes: their maximum length, the time for writing them, and the array of hits. An
// answer that exceeds a limit is refused as a whole, because an answer with hits or facets silently
// left out would be wrong.
import { BRACKET, BRACKET_END, COMMA, KiB } from '../../../format/bytes/index.ts'
import { JsonBuffer } from '../../../format/json/index.ts'
import { EngineFault } from '../../model/index.ts'
import { othersWait, SEARCH_BYTES_MAX, type TimeUp } from '../jobs/index.ts'
import type { Answer } from './merge.ts'

/** Creates a buffer for an answer of up to `bytesMax` bytes; writing more throws an EngineFault. */
export const answerBuffer = (capacity: number, bytesMax = SEARCH_BYTES_MAX): JsonBuffer =>
  new JsonBuffer(capacity, { bytesMax, full: () => answerTooLarge(bytesMax) })

/** Memory of the previous answer of this thread, reused for the next one. */
let spareMemory: Uint8Array | null = null
const FIRST_BYTES = 16 * KiB
const SPARE_BYTES_MAX = 256 * KiB

/** Like `answerBuffer`, but with reused memory. `takeAnswer` gives the memory back. */
export function searchBuffer(): JsonBuffer {
  if (spareMemory === null) return answerBuffer(FIRST_BYTES)
  const out = answerBuffer(0)
  out.bytes = spareMemory
  spareMemory = null
  return out
}

/**
 * Returns the bytes written to a buffer of `searchBuffer`. They are valid until the next answer of
 * the thread is written.
 */
export function takeAnswer(out: JsonBuffer): Uint8Array {
  if (out.bytes.length > SPARE_BYTES_MAX) return out.take()
  spareMemory = out.bytes
  return out.finish()
}

export const answerTooLarge = (bytesMax: number): EngineFault =>
  new EngineFault(
    'answer_too_large',
    `The answer would be larger than ${bytesMax} bytes.\n${ASK_FOR_LESS}`,
  )

/** The fault of an answer whose hits could not be written in time. */
export const hitsTookTooLong = ({ ms, isPreempted }: TimeUp): EngineFault =>
  isPreempted
    ? othersWait(ms)
    : new EngineFault(
        'answer_too_large',
        `Writing the hits was stopped because it took longer than ${ms} ms.\n${ASK_FOR_LESS}`,
        { kind: 'timeUp' },
      )

const ASK_FOR_LESS =
  '  - Hint: ask for fewer hits or documents at a time, for fewer attributes, or for shorter tags.'

/**
 * Appends the array of the hits on the page. Calls `goOn` before each hit; it throws when the
 * search has to end early.
 */
export function writeHits({ hits, from, to }: Answer, out: JsonBuffer, goOn: () => void): void {
  out.byte(BRACKET)
  for (let at = from; at < to; at++) {
    goOn()
    if (at > from) out.byte(COMMA)
    hits.write(at, out)
  }
  out.byte(BRACKET_END)
}
