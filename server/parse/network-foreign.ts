// Requests of other instances for documents that foreign keys name.
import type { ForeignRequest } from '../../engine/index.ts'
import type { IndexUid } from '../../format/ids.ts'
import {
  checkIndexUid,
  finishedBody,
  member,
  nullable,
  object,
  required,
  searchFilter,
  text,
  texts,
  type WholeBody,
} from './schema/index.ts'

export type NetworkForeignBody = {
  readonly indexUid: IndexUid
  readonly request: Extract<ForeignRequest, { readonly within: unknown }>
}

type Flat = {
  readonly indexUid: string
  /** Sent by the caller for people who read the request; the members decide. */
  readonly step: string | null
  readonly condition: string | null
  readonly ids: readonly string[] | null
  readonly within: unknown
  readonly shards: readonly string[] | null
}

const flat = object<Flat>({
  indexUid: required(text, null),
  step: member(nullable(text), null, null),
  condition: member(nullable(text), null, null),
  ids: member(nullable(texts), null, null),
  within: member(searchFilter, 'invalid_search_filter', null),
  shards: member(nullable(texts), null, null),
})

/** With a condition the documents that match it, else those with the ids. @throws ApiError */
export const readNetworkForeign: WholeBody<NetworkForeignBody> = finishedBody(
  flat,
  ({ indexUid, condition, ids, within, shards }) => {
    checkIndexUid(indexUid)
    const request =
      condition === null
        ? ({ step: 'documents', ids: ids ?? [], within, shards } as const)
        : ({ step: 'match', condition, within, shards } as const)
    return { indexUid, request }
  },
)
