// Runs several searches of one request, each with a separate answer. They go to the search threads
// in parts, over views that were leased together: one job for each search would cost two messages a
// search, and a single job would occupy one thread for the whole time.
import { KiB } from '../../../format/bytes/index.ts'
import type { IndexUid } from '../../../format/ids.ts'
import {
  EngineFault,
  type IndexSearch,
  type JsonBytes,
  type JsonPieces,
} from '../../model/index.ts'
import type { Lease } from '../../store/views/index.ts'
import { inOrder } from '../../time/index.ts'
import { answerTooLarge } from '../answers/index.ts'
import { ANSWER_BYTES_MAX } from '../jobs/index.ts'
import type { SearchPermit } from '../pool/index.ts'
import type { AnswerShare } from './answer-room.ts'

/** Searches in one part. Clients send up to six. */
const PART = 8
/**
 * Parts of one request that run or are queued at the same time, so that one request does not fill
 * the queue.
 */
const AT_A_TIME = 2

/**
 * Answers of up to this many bytes together are joined into one buffer, because a copy costs less
 * than a write for each.
 */
const ONE_PIECE_BYTES = 256 * KiB

const HEAD = Buffer.from('{"results":[')
const COMMA = Buffer.from(',')
const TAIL = Buffer.from(']}')

/** Consecutive searches of a request; `first` is the position of the first one in the request. */
export type Part = { readonly first: number; readonly searches: readonly IndexSearch[] }

/**
 * Returns `{results}` in the order of the searches. When several searches fail, the failure of the
 * first one is thrown. `lease` returns the views of those of the named indexes that exist; `run`
 * answers a part and releases its views; `share` accounts for the memory of the answers. @throws
 * EngineFault when the answers together are too large, or when `share` has no room
 */
export async function multiSearch(
  searches: readonly IndexSearch[],
  lease: (indexUids: readonly IndexUid[]) => readonly Lease[],
  run: (part: Part, leases: readonly Lease[], permit: SearchPermit | null) => Promise<JsonBytes>,
  acquire: () => Promise<SearchPermit>,
  share: AnswerShare,
  bytesMax = ANSWER_BYTES_MAX,
): Promise<JsonPieces> {
  const parts: Part[] = []
  for (let first = 0; first < searches.length; first += PART) {
    parts.push({ first, searches: searches.slice(first, first + PART) })
  }
  // One permit covers all parts: a request counts once, regardless of its number of searches.
  const permit = parts.length > 1 ? await acquire() : null
  const leases = parts.map((part) => lease(part.searches.map(({ indexUid }) => indexUid)))
  let begun = 0
  let bytes = 0
  try {
    const answers = await inOrder(parts.length, AT_A_TIME, async (at) => {
      begun = at + 1
      const answer = await run(parts[at]!, leases[at]!, permit)
      bytes += answer.length
      if (bytes > bytesMax) throw answerTooLarge(bytesMax)
      if (!share.take(answer.length)) throw noRoom(share.held(), answer.length)
      return answer
    })
    return piecesOf(answers, bytes)
  } finally {
    permit?.release()
    share.release()
    for (const unused of leases.slice(begun)) for (const { release } of unused) release()
  }
}

const noRoom = (held: number, bytes: number): EngineFault =>
  new EngineFault(
    'too_many_answers',
    `Answers of ${held} bytes are being gathered, and there is no room for ${bytes} more. ` +
      'Retry after 10s.',
  )

/**
 * Joins small answers into one piece, because writing a piece to a socket costs more than a copy.
 */
function piecesOf(answers: readonly JsonBytes[], bytes: number): JsonPieces {
  const pieces: Uint8Array[] = [HEAD]
  for (const [i, answer] of answers.entries()) {
    if (i > 0) pieces.push(COMMA)
    pieces.push(answer)
  }
  pieces.push(TAIL)
  return bytes > ONE_PIECE_BYTES ? pieces : [Buffer.concat(pieces)]
}
