// Several searches of one request, each with an answer of its own. They go to the search threads in
// parts, over views that were leased together: a job for each search would cost 0.4 ms a search
// for messages alone, and a single job would keep one thread from others for as long as it takes.
import { KiB } from '../../../format/bytes/index.ts'
import type { IndexSearch, JsonBytes, JsonPieces } from '../../model/index.ts'
import type { Lease } from '../../store/views/index.ts'
import { type Admission, ANSWER_BYTES_MAX, answerTooLarge } from '../search/index.ts'
import type { AnswerShare } from './answer-room.ts'

/** Searches of a part. Clients send up to six; five take 3 ms as one part, 5 ms one by one. */
const PART = 8
/** Parts of one request that work or wait in the queue at a time, so that it does not fill it. */
const AT_A_TIME = 2

/** Answers of so many bytes together are joined: 0.1 ms. */
const ONE_PIECE_BYTES = 256 * KiB

const HEAD = Buffer.from('{"results":[')
const COMMA = Buffer.from(',')
const TAIL = Buffer.from(']}')

/** Some of the searches; `first` is the position of their first one among all. */
export type Part = { readonly first: number; readonly searches: readonly IndexSearch[] }

/**
 * `{results}` in the order of the searches. When several fail, the first of them is told. `lease`
 * gives the views of the indexes there are, of these names; `run` answers a part and gives them
 * back; `share` is the memory that its answers take. @throws EngineFault when the answers are too
 * large together, or find no room
 */
export async function multiSearch(
  searches: readonly IndexSearch[],
  lease: (indexUids: readonly string[]) => readonly Lease[],
  run: (part: Part, leases: readonly Lease[], admission: Admission | null) => Promise<JsonBytes>,
  admit: () => Promise<Admission>,
  share: AnswerShare,
  bytesMax = ANSWER_BYTES_MAX,
): Promise<JsonPieces> {
  const parts: Part[] = []
  for (let first = 0; first < searches.length; first += PART) {
    parts.push({ first, searches: searches.slice(first, first + PART) })
  }
  // One permit for all parts: a request counts once, however many searches it has.
  const admission = parts.length > 1 ? await admit() : null
  const leases = parts.map((part) => lease(part.searches.map(({ indexUid }) => indexUid)))
  let begun = 0
  let bytes = 0
  try {
    const answers = await inOrder(parts.length, async (at) => {
      begun = at + 1
      const answer = await run(parts[at]!, leases[at]!, admission)
      bytes += answer.length
      if (bytes > bytesMax) throw answerTooLarge(bytesMax)
      share.take(answer.length)
      return answer
    })
    return piecesOf(answers, bytes)
  } finally {
    admission?.leave()
    share.release()
    for (const unused of leases.slice(begun)) for (const { release } of unused) release()
  }
}

/**
 * Runs `work` for the numbers below `count`, begun in their order. After a failure nothing more is
 * begun; the failure of the smallest number is thrown once all that had begun has ended.
 */
async function inOrder<T>(count: number, work: (at: number) => Promise<T>): Promise<readonly T[]> {
  const results: T[] = new Array(count)
  let next = 0
  let failedAt = count
  let failure: unknown
  const workOn = async (): Promise<void> => {
    while (next < failedAt) {
      const at = next++
      try {
        results[at] = await work(at)
      } catch (error) {
        // Any failure ends the whole; which of them is told is known when the rest has ended.
        if (at > failedAt) continue
        failedAt = at
        failure = error
      }
    }
  }
  await Promise.all(Array.from({ length: Math.min(AT_A_TIME, count) }, workOn))
  if (failedAt < count) throw failure
  return results
}

/** Small answers are one piece: writing each costs more than a copy. */
function piecesOf(answers: readonly JsonBytes[], bytes: number): JsonPieces {
  const pieces: Uint8Array[] = [HEAD]
  for (const [i, answer] of answers.entries()) {
    if (i > 0) pieces.push(COMMA)
    pieces.push(answer)
  }
  pieces.push(TAIL)
  return bytes > ONE_PIECE_BYTES ? pieces : [Buffer.concat(pieces)]
}
