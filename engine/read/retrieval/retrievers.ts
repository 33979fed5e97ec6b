// Chooses the retriever of a query: keywords, vectors, or both.
import type { IdSet } from '../../../format/idset/index.ts'
import { columnsLayer } from '../../store/layers/index.ts'
import { DistinctFilter } from '../facets/index.ts'
import type { SearchableView } from '../jobs/index.ts'
import type { QueryGraph } from '../query-graph/index.ts'
import type { Retriever } from '../rank/index.ts'
import { HybridRetriever, type OneOfEach } from './hybrid.ts'
import {
  countedOnce,
  type KeywordOptions,
  KeywordRetriever,
  notExcluded,
  readQuery,
} from './keywords.ts'
import type { QueryPlan } from './plan.ts'
import { ScaledRetriever } from './scaled.ts'
import { VectorRetriever } from './vectors.ts'

/** A retriever and the query graph; the graph is null if no words are searched. */
export type ChosenRetriever = { readonly retriever: Retriever; readonly graph: QueryGraph | null }

/** Returns the retriever of a prepared query. */
export function retrieverOf(
  view: SearchableView,
  { request, prepared }: QueryPlan,
  options: KeywordOptions,
): ChosenRetriever {
  const { kind, vector, needed, scope } = prepared
  const groups = options.scales?.groups ?? []
  const distinct = (): OneOfEach | null => distinctFilter(view, options.distinctField)
  const scaled = (inner: Retriever): Retriever => {
    if (groups.length === 0) return inner
    return new ScaledRetriever(view, request, options, { inner, groups, distinct })
  }
  const near = vector === null ? null : scaled(new VectorRetriever(view, request, vector, options))
  if (kind === 'semantic' && near !== null) return { retriever: near, graph: null }
  const query = readQuery(view, request, scope)
  const { graph } = query
  const isScored = kind === 'hybrid' || groups.length > 0
  const wanted = isScored ? { ...options, withScores: true } : options
  const keywords = scaled(new KeywordRetriever(view, request, query, wanted))
  if (kind !== 'hybrid') return { retriever: keywords, graph }
  const within = (universe: IdSet): IdSet => notExcluded(query, universe)
  const { distinctField } = options
  const field = distinctField === null ? null : view.fieldId(distinctField)
  const once = (candidates: IdSet): IdSet =>
    field === null ? candidates : countedOnce(view, field, candidates, options)
  const parts = { keywords, vectors: near, within, needed, distinct, countedOnce: once }
  return { retriever: new HybridRetriever(parts, request), graph }
}

function distinctFilter(view: SearchableView, field: string | null): OneOfEach | null {
  const id = field === null ? null : view.fieldId(field)
  return id === null ? null : new DistinctFilter(view.view.layer(columnsLayer), id, false)
}
