// Which strategy searches of language models use: they ask whole questions, of which few documents
// hold every word.
import type { SearchRequest } from '../../../engine/index.ts'
import { asIndexUid } from '../../../format/ids.ts'
import type { RouteOptions } from './options.ts'

/**
 * Returns the matching strategy of questions in an index, if it is not the default: `any` suffices
 * where the rule `bm25` puts documents with more and rarer words first.
 */
export const questionStrategy = (
  { engine }: Pick<RouteOptions, 'engine'>,
  uid: string,
): Partial<Pick<SearchRequest, 'matchingStrategy'>> =>
  engine.queries.ranksByScores(asIndexUid(uid)) ? { matchingStrategy: 'any' } : {}
