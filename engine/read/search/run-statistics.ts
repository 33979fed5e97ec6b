// The part of this instance in the statistics that scores of a search over the network need: a step
// before that search.
import { encoder } from '../../../format/bytes/index.ts'
import type { SearchStatistics } from '../../model/index.ts'
import { countStatistics } from '../bm25/index.ts'
import type { SearchableView, StatisticsJob } from '../jobs/index.ts'
import { ofShards, readQuery } from '../retrieval/index.ts'

const NOTHING: SearchStatistics = { documents: 0, words: {}, frequencies: [] }

/** Answers with the statistics as JSON. @throws EngineFault, StorageError */
export function runStatistics(view: SearchableView, { request }: StatisticsJob): Uint8Array {
  const { search } = view
  const scope = search.scope(view.ref.uid, request.attributesToSearchOn)
  const { graph, space } = readQuery(view, request, scope)
  const stored = view.view.stored()
  const among = request.shards === undefined ? stored : ofShards(view, request.shards, stored)
  const searched = { fields: search.searchableFields(), names: search.fields }
  const counted = graph === null ? NOTHING : countStatistics(graph, space, among, searched)
  return encoder.encode(JSON.stringify(counted))
}
