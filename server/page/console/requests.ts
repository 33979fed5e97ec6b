// The requests that the console offers, with a body to begin with.
import { indexPath } from '../parts/index.ts'

export const KINDS = {
  search: 'Search',
  'facet-search': 'Search in facet values',
  similar: 'Similar documents',
  'multi-search': 'Several searches',
} as const
export type Kind = keyof typeof KINDS

export const pathOf = (kind: Kind, index: string): string =>
  kind === 'multi-search' ? '/multi-search' : indexPath(index, `/${kind}`)

/** Returns a body that the user completes. */
export function exampleOf(kind: Kind, index: string, q: string): unknown {
  if (kind === 'search') return { q, limit: 10, showRankingScore: true }
  if (kind === 'facet-search') return { facetName: '', facetQuery: '' }
  if (kind === 'similar') return { id: '', embedder: '', limit: 10 }
  return { queries: [{ indexUid: index, q, limit: 10 }] }
}
