// Which strategy searches of language models use: they ask whole questions, of which few documents
// hold every word.
import { EngineFault, type SearchRequest } from '../../../engine/index.ts'
import { asIndexUid } from '../../../format/ids.ts'
import type { RouteOptions } from './options.ts'

/**
 * Returns the matching strategy of questions in an index, if it is not the default: `any` suffices
 * where the rule `bm25` puts documents with more and rarer words first.
 */
export function questionStrategy(
  { engine }: Pick<RouteOptions, 'engine'>,
  uid: string,
): Partial<Pick<SearchRequest, 'matchingStrategy'>> {
  try {
    const { rankingRules } = engine.documents.settings(asIndexUid(uid))
    const isScored = (rankingRules as readonly string[]).includes('bm25')
    return isScored ? { matchingStrategy: 'any' } : {}
  } catch (error) {
    // The search reports it.
    if (error instanceof EngineFault && error.code === 'index_not_found') return {}
    throw error
  }
}
