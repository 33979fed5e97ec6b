// Several searches of one request: each as a job of its own, a few at a time, over views that were
// leased together. One after the other in one thread would make the request as slow as their sum;
// all at once would push other requests out of the queue.
import type { IndexSearch, JsonBytes, SearchContext } from './api.ts'
import { indexNotFound, inQuery, type Searching } from './search/index.ts'
import type { Lease } from './views.ts'

/** Searches of one request that work or wait in the queue at a time. */
const AT_A_TIME = 4

const encoder = new TextEncoder()

/**
 * `{results}` in the order of the searches. When several fail, the first of them is told. `lease`
 * gives the view of an index, or null when there is none of that name.
 */
export async function multiSearch(
  searches: readonly IndexSearch[],
  context: SearchContext,
  searching: Searching,
  lease: (indexUid: string) => Lease | null,
): Promise<JsonBytes> {
  const leases = searches.map(({ indexUid }) => lease(indexUid))
  let begun = 0
  try {
    const answers = await inOrder(searches.length, async (at) => {
      begun = at + 1
      return inQuery(at, () => searchOne(searches[at]!, leases[at]!, context, searching))
    })
    return joined(searches, answers)
  } finally {
    for (const unused of leases.slice(begun)) unused?.release()
  }
}

async function searchOne(
  { indexUid, request }: IndexSearch,
  lease: Lease | null,
  { features, requestUid, queryUid, signal }: SearchContext,
  searching: Searching,
): Promise<JsonBytes> {
  if (lease === null) throw indexNotFound(indexUid)
  const uids = { requestUid, queryUid: queryUid === null ? null : queryUid() }
  const job = { kind: 'search', request, features, ...uids, sentAt: Date.now() } as const
  return searching.run(lease, job, signal)
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
        // Any failure ends the whole; which of them is told is decided when the rest has ended.
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

/** The answers as one, each led by the name of its index. */
function joined(searches: readonly IndexSearch[], answers: readonly JsonBytes[]): JsonBytes {
  const parts: Uint8Array[] = []
  answers.forEach((answer, at) => {
    const name = JSON.stringify(searches[at]!.indexUid)
    parts.push(encoder.encode(`${at === 0 ? '{"results":[' : ','}{"indexUid":${name},`))
    // An answer is an object with members: it goes on behind its brace.
    parts.push(answer.subarray(1))
  })
  parts.push(encoder.encode(answers.length === 0 ? '{"results":[]}' : ']}'))
  return Buffer.concat(parts)
}
