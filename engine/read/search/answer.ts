// Answers as bytes: how long one may become, how long writing it may take, and its hits. What
// passes a ceiling is refused as a whole: hits or facets that are left out without a word would be
// a wrong answer.
import { KiB } from '../../../format/bytes/index.ts'
import { JsonBuffer } from '../../../format/json/index.ts'
import { EngineFault } from '../../model/index.ts'
import type { TimeUp } from './control.ts'
import { othersWait } from './faults.ts'
import { SEARCH_BYTES_MAX } from './limits.ts'
import type { Answer } from './merge.ts'

const COMMA = 0x2c
const BRACKET = 0x5b
const BRACKET_END = 0x5d

/** Takes an answer of up to so many bytes; what is written beyond throws an EngineFault. */
export const answerBuffer = (capacity: number, bytesMax = SEARCH_BYTES_MAX): JsonBuffer =>
  new JsonBuffer(capacity, { bytesMax, full: () => answerTooLarge(bytesMax) })

/** Of the thread: memory of the answer before, for the next one. */
let kept: Uint8Array | null = null
const FIRST_BYTES = 16 * KiB
const KEPT_BYTES_MAX = 256 * KiB

/** As `answerBuffer`, of memory that is used again: given back by `takeAnswer`. */
export function searchBuffer(): JsonBuffer {
  if (kept === null) return answerBuffer(FIRST_BYTES)
  const out = answerBuffer(0)
  out.bytes = kept
  kept = null
  return out
}

/** What was written to a buffer of `searchBuffer`. */
export function takeAnswer(out: JsonBuffer): Uint8Array {
  if (out.bytes.length > KEPT_BYTES_MAX) return out.take()
  kept = out.bytes
  return out.finish()
}

export const answerTooLarge = (bytesMax: number): EngineFault =>
  new EngineFault(
    'answer_too_large',
    `The answer would be larger than ${bytesMax} bytes.\n${ASK_FOR_LESS}`,
  )

/** Hits that are not written by the end of their time. */
export const hitsTookTooLong = ({ ms, isHurried }: TimeUp): EngineFault =>
  isHurried
    ? othersWait(ms)
    : new EngineFault(
        'answer_too_large',
        `Writing the hits was stopped because it took longer than ${ms} ms.\n${ASK_FOR_LESS}`,
      )

const ASK_FOR_LESS =
  '  - Hint: ask for fewer hits or documents at a time, for fewer attributes, or for shorter tags.'

/**
 * Appends the array of the hits on the page. `goOn` is called before each and throws when the
 * search is to end early.
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
