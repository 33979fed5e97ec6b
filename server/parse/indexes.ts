// Requests about indexes: listing, creating, renaming, swapping, listing fields.

import type { FieldsFilter, FieldsRequest } from '../../engine/index.ts'
import { quotedNames } from '../../format/errors.ts'
import type { IndexUid } from '../../format/ids.ts'
import { ApiError } from '../errors/index.ts'
import {
  checked,
  checkIndexUid,
  count,
  finishedBody,
  flag,
  indexUidProblem,
  invalid,
  isIndexUid,
  list,
  member,
  nullable,
  object,
  PAGE_LIMIT_DEFAULT,
  parameter,
  query,
  rawCount,
  required,
  type Schema,
  text,
  texts,
  type WholeBody,
  wholeBody,
} from './schema/index.ts'

export type IndexPage = { readonly offset: number; readonly limit: number }

/**
 * Reads the query string of a list of indexes, or of any list in pages with the same codes. @throws
 * ApiError
 */
export const readIndexPage = query<IndexPage>({
  offset: parameter(rawCount, 'invalid_index_offset', 0),
  limit: parameter(rawCount, 'invalid_index_limit', PAGE_LIMIT_DEFAULT),
})

/** A name of an index inside a body. */
export const indexUid: Schema<IndexUid> = checked(text, (uid) => {
  if (isIndexUid(uid)) return uid
  throw invalid(indexUidProblem(uid))
})

export type IndexCreation = { readonly uid: IndexUid; readonly primaryKey: string | null }

const creation: Schema<IndexCreation> = object<IndexCreation>({
  uid: required(indexUid, 'invalid_index_uid', 'missing_index_uid'),
  primaryKey: member(nullable(text), 'invalid_index_primary_key', null),
})

/** Reads the body that creates an index. @throws ApiError */
export const readIndexCreation: WholeBody<IndexCreation> = wholeBody(creation)

export type IndexUpdate = { readonly primaryKey: string | null; readonly newUid: IndexUid | null }

type FlatUpdate = { readonly primaryKey: string | null; readonly uid: string | null }

const update: Schema<FlatUpdate> = object<FlatUpdate>(
  {
    primaryKey: member(nullable(text), 'invalid_index_primary_key', null),
    uid: member(nullable(text), 'invalid_index_uid', null),
  },
  {
    immutable: {
      createdAt: 'immutable_index_created_at',
      updatedAt: 'immutable_index_updated_at',
    },
  },
)

/**
 * Reads the body that changes an index. A new name is checked after everything else. @throws
 * ApiError
 */
export const readIndexUpdate: WholeBody<IndexUpdate> = finishedBody(
  update,
  ({ primaryKey, uid }) => {
    if (uid !== null) checkIndexUid(uid)
    return { primaryKey, newUid: uid }
  },
)

export type IndexSwap = {
  readonly indexes: readonly [IndexUid, IndexUid]
  readonly rename: boolean
}

type FlatSwap = { readonly indexes: readonly IndexUid[]; readonly rename: boolean }

const swaps: Schema<readonly FlatSwap[]> = list(
  object<FlatSwap>({
    indexes: required(list(indexUid), 'invalid_swap_indexes', 'missing_swap_indexes'),
    rename: member(flag, 'invalid_swap_rename', false),
  }),
)

/** Reads the body of `swap-indexes`: pairs in which no name occurs twice. @throws ApiError */
export const readSwaps: WholeBody<readonly IndexSwap[]> = finishedBody(swaps, (swaps) => {
  const pairs = swaps.map(({ indexes, rename }) => ({ indexes: pairOf(indexes), rename }))
  const repeated = repeatedNames(pairs)
  if (repeated.length > 0) {
    const names = quotedNames(repeated)
    throw new ApiError(
      'invalid_swap_duplicate_index_found',
      'Indexes must be declared only once during a swap. ' +
        `${names} ${repeated.length === 1 ? 'was' : 'were'} specified several times.`,
    )
  }
  return pairs
})

const pairOf = (indexes: readonly IndexUid[]): readonly [IndexUid, IndexUid] => {
  const [first, second] = indexes
  if (first !== undefined && second !== undefined && indexes.length === 2) return [first, second]
  const names = indexes.map((name) => `"${name}"`).join(', ')
  throw new ApiError(
    'invalid_swap_indexes',
    `Two indexes must be given for each swap. ` +
      `The list \`[${names}]\` contains ${indexes.length} indexes.`,
  )
}

const repeatedNames = (pairs: readonly IndexSwap[]): readonly string[] => {
  const seen = new Set<string>()
  const repeated = new Set<string>()
  for (const name of pairs.flatMap(({ indexes }) => indexes)) {
    if (seen.has(name)) repeated.add(name)
    seen.add(name)
  }
  return [...repeated].sort()
}

const orNullFlag = nullable(flag)

const fields: Schema<FieldsRequest> = object<FieldsRequest>({
  offset: member(count, 'invalid_index_offset', 0),
  limit: member(count, 'invalid_index_limit', PAGE_LIMIT_DEFAULT),
  filter: member(
    nullable(
      object<FieldsFilter>({
        attributePatterns: member(
          nullable(texts),
          'invalid_index_fields_filter_attribute_patterns',
          null,
        ),
        displayed: member(orNullFlag, 'invalid_index_fields_filter_displayed', null),
        searchable: member(orNullFlag, 'invalid_index_fields_filter_searchable', null),
        sortable: member(orNullFlag, 'invalid_index_fields_filter_sortable', null),
        distinct: member(orNullFlag, 'invalid_index_fields_filter_distinct', null),
        rankingRule: member(orNullFlag, 'invalid_index_fields_filter_ranking_rule', null),
        filterable: member(orNullFlag, 'invalid_index_fields_filter_filterable', null),
      }),
    ),
    'invalid_index_fields_filter',
    null,
  ),
})

/** Reads the body of the list of fields. @throws ApiError */
export const readFields: WholeBody<FieldsRequest> = wholeBody(fields)
