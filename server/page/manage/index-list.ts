// Reads the list of indexes, with statistics if the key permits them, and chooses the index to
// show.

import { ask, hasKey, type IndexRow, ServerError } from '../parts/index.ts'

type IndexAnswer = Pick<IndexRow, 'uid' | 'primaryKey' | 'createdAt' | 'updatedAt'>
type IndexStats = {
  readonly numberOfDocuments: number
  readonly rawDocumentDbSize: number
  readonly isIndexing: boolean
  readonly fieldDistribution: { readonly [field: string]: number }
}
type Stats = { readonly indexes: { readonly [uid: string]: IndexStats } }

/**
 * Returns all indexes that the key may see. A search key may not list indexes: the list is then the
 * index that the address names, if the key may search it. @throws ServerError
 */
export async function readIndexes(wanted: string): Promise<readonly IndexRow[]> {
  try {
    return await readAll()
  } catch (error) {
    if (!(error instanceof ServerError && error.status === 403 && hasKey() && wanted !== '')) {
      throw error
    }
    const isSearchable = await canSearch(wanted)
    if (!isSearchable) throw error
    return [rowOf({ uid: wanted, primaryKey: null, createdAt: '', updatedAt: '' }, undefined)]
  }
}

async function readAll(): Promise<readonly IndexRow[]> {
  const [{ results }, stats] = await Promise.all([
    ask<{ readonly results: readonly IndexAnswer[] }>('GET', '/indexes?limit=1000'),
    ask<Stats>('GET', '/stats').catch((error: unknown): Stats => {
      // The key does not permit listing indexes or reading statistics.
      if (!(error instanceof ServerError && error.wantsKey)) throw error
      return { indexes: {} }
    }),
  ])
  return results.map((index) => rowOf(index, stats.indexes[index.uid]))
}

async function canSearch(indexUid: string): Promise<boolean> {
  try {
    await ask('POST', '/multi-search', { queries: [{ indexUid, limit: 0 }] })
    return true
  } catch (error) {
    if (!(error instanceof ServerError)) throw error
    return false
  }
}

const rowOf = (index: IndexAnswer, stats: IndexStats | undefined): IndexRow => ({
  ...index,
  documents: stats?.numberOfDocuments ?? null,
  isIndexing: stats?.isIndexing ?? false,
  bytes: stats?.rawDocumentDbSize ?? 0,
  fields: stats?.fieldDistribution ?? {},
})

/**
 * Returns the index to show: the named one, even if it does not exist; without a name the first
 * that has documents, else the first, else an empty string.
 */
export function shownIndex(
  indexes: readonly Pick<IndexRow, 'uid' | 'documents'>[],
  named: string,
): string {
  if (named !== '') return named
  return (indexes.find(({ documents }) => documents !== 0) ?? indexes[0])?.uid ?? ''
}
