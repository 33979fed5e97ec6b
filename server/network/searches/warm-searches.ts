// Searches for shards before clients need them: the first one of a search thread is much slower
// than the following ones, because the thread computes the documents of each shard and their order,
// and runs code that is not compiled yet. Answers are dropped.
import {
  DEFAULT_SEARCH,
  type Engine,
  EngineFault,
  type Network,
  type SearchContext,
} from '../../../engine/index.ts'
import type { IndexUid } from '../../../format/ids.ts'
import { WARM_DOCUMENTS_MIN, WARM_MS_MAX, WARM_ROUNDS, WARM_THREADS } from '../calls/index.ts'
import { OWN_MERGE, singleSearch } from './network-search.ts'
import { wireFederation } from './wire-search.ts'

const NO_UID = '00000000-0000-7000-8000-000000000000'
const WORD = /[\p{L}\p{N}]+/gu
/** Documents from which words are searched. */
const DOCUMENTS = 10

/** Resolves when some searches of each index have run, or their time is over. */
export async function warmSearches(
  engine: Engine,
  network: Network,
  { signal, now }: { readonly signal: AbortSignal; readonly now: () => number },
): Promise<void> {
  const { self, shards } = network
  const own = [...shards].filter(([, { remotes }]) => self !== null && remotes.includes(self))
  if (own.length === 0) return
  const held = own.map(([name]) => name)
  const context: SearchContext = {
    requestUid: NO_UID,
    queryUid: null,
    features: engine.administration.features,
    signal,
    shardNames: [...shards.keys()],
  }
  const end = now() + WARM_MS_MAX
  for (const uid of engine.topology.indexUids()) {
    const words = await wordsOf(engine, uid, context)
    for (let round = 0; round < WARM_ROUNDS && words.length > 0; round++) {
      if (signal.aborted || now() > end) return
      // Side by side, so that each goes to another thread.
      const searches = Array.from({ length: WARM_THREADS }, (_, i) => {
        const at = round * WARM_THREADS + i
        const q = at < WARM_THREADS ? '' : words.slice(at % words.length).slice(0, 1 + (at % 3))
        return searched(engine, uid, [...q].join(' '), held, context)
      })
      await Promise.all(searches)
    }
  }
}

/** Returns words of the first documents, or none if the index is small or cannot be searched. */
async function wordsOf(
  engine: Engine,
  uid: IndexUid,
  context: SearchContext,
): Promise<readonly string[]> {
  const request = { ...DEFAULT_SEARCH, limit: DOCUMENTS }
  const answer = await engine.queries.search(uid, request, context).catch(ignored)
  if (answer === null) return []
  const { hits, estimatedTotalHits } = JSON.parse(Buffer.from(answer).toString()) as Found
  if (estimatedTotalHits < WARM_DOCUMENTS_MIN) return []
  const texts = hits.flatMap((hit) => Object.values(hit)).filter((one) => typeof one === 'string')
  return texts.join(' ').slice(0, TEXT_UNITS_MAX).match(WORD) ?? []
}

type Found = { readonly hits: readonly object[]; readonly estimatedTotalHits: number }

const TEXT_UNITS_MAX = 10_000

async function searched(
  engine: Engine,
  indexUid: IndexUid,
  q: string,
  shards: readonly string[],
  context: SearchContext,
): Promise<void> {
  const request = { ...DEFAULT_SEARCH, q, shards }
  const { queries, federation } = singleSearch({ indexUid, request })
  const searches = queries.map(({ target: _, ...query }) => ({ ...query, place: null }))
  const part = { ...wireFederation(federation), merger: OWN_MERGE }
  await engine.queries.federatedSearch(searches, part, context).catch(ignored)
}

/** Searches of clients will report the fault. @throws other errors */
function ignored(error: unknown): null {
  if (error instanceof EngineFault || (error as Error).name === 'Canceled') return null
  throw error
}
