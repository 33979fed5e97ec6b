// Merges pages of several instances; if a page is invalid, other owners of its shards are called.
import {
  type DocumentsContext,
  type DocumentsMerge,
  EngineFault,
  type JsonBytes,
} from '../../../engine/index.ts'
import type { IndexUid } from '../../../format/ids.ts'
import { ApiError } from '../../errors/index.ts'
import { fromAllOwners, type OwnersRequest } from './all-owners.ts'
import type { NetworkCalls } from './network-calls.ts'

export type PagesRequest = OwnersRequest & {
  readonly indexUid: IndexUid
  /** How pages are merged; `remoteErrors` are those known before. */
  readonly merge: Omit<DocumentsMerge, 'answers'>
  /** The kind of the pages, for the error message of an invalid one. */
  readonly kind: string
}

/** @throws EngineFault */
export function mergedPages(
  searches: NetworkCalls,
  request: PagesRequest,
  context: DocumentsContext,
): Promise<JsonBytes> {
  const { engine } = searches.parts
  const { indexUid, merge, kind } = request
  return fromAllOwners(searches, request, context, async (own, gathering) => {
    const pages = own === null ? [] : [own]
    for (;;) {
      const { answers, errors } = gathering
      const all = [...pages, ...answers.map(({ bytes }) => bytes)]
      const remoteErrors = { ...merge.remoteErrors, ...errors }
      try {
        const whole = { ...merge, answers: all, remoteErrors }
        return await engine.queries.mergeDocuments(indexUid, whole, context)
      } catch (error) {
        if (!(error instanceof EngineFault) || error.detail?.kind !== 'answer') throw error
        const answer = answers[error.detail.at - pages.length]
        if (answer === undefined) throw error
        await gathering.refuse(answer, badResponse(kind))
      }
    }
  })
}

const badResponse = (kind: string): ApiError =>
  new ApiError(
    'remote_bad_response',
    `could not parse response from the remote host as a ${kind} response`,
  )
