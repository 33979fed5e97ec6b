// The list of indexes, with statistics as far as the key may see them, and which of them is shown.

import { ask, hasKey, Refusal } from './server.ts'
import type { IndexRow } from './site.ts'

type IndexAnswer = Pick<IndexRow, 'uid' | 'primaryKey' | 'createdAt' | 'updatedAt'>
type IndexStats = {
  readonly numberOfDocuments: number
  readonly rawDocumentDbSize: number
  readonly isIndexing: boolean
  readonly fieldDistribution: { readonly [field: string]: number }
}
type Stats = { readonly indexes: { readonly [uid: string]: IndexStats } }

/**
 * All indexes that the key may see. A key for searches alone may not list them: then the index that
 * the address names is the list, where it can be searched. @throws Refusal
 */
export async function readIndexes(wanted: string): Promise<readonly IndexRow[]> {
  try {
    return await readAll()
  } catch (error) {
    if (!(error instanceof Refusal && error.status === 403 && hasKey() && wanted !== '')) {
      throw error
    }
    const isOpen = await canSearch(wanted)
    if (!isOpen) throw error
    return [rowOf({ uid: wanted, primaryKey: null, createdAt: '', updatedAt: '' }, undefined)]
  }
}

async function readAll(): Promise<readonly IndexRow[]> {
  const [{ results }, stats] = await Promise.all([
    ask<{ readonly results: readonly IndexAnswer[] }>('GET', '/indexes?limit=1000'),
    ask<Stats>('GET', '/stats').catch((error: unknown): Stats => {
      // A key that may not see them.
      if (!(error instanceof Refusal && error.wantsKey)) throw error
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
    if (!(error instanceof Refusal)) throw error
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
 * The index to show: the one that is named, whether it exists or not; without a name the first that
 * has documents, else the first. Empty: there are no indexes.
 */
export function shownIndex(
  indexes: readonly Pick<IndexRow, 'uid' | 'documents'>[],
  named: string,
): string {
  if (named !== '') return named
  return (indexes.find(({ documents }) => documents !== 0) ?? indexes[0])?.uid ?? ''
}
