// Documents that go: by their ids, by a filter, or all of an index.

import { assert } from '../../format/errors.ts'
import { DELETION_BITS, DELETION_SHIFT, textOf } from '../../format/tasks/index.ts'
import { camelMembers, snakeMembers, textsOf } from '../backup/dumps/index.ts'
import type { WireOperation } from '../write/indexer/index.ts'
import { badRecord, contentJson, recordArray, recordString } from '../write/tasks/index.ts'
import { runSettings } from './settings-update.ts'
import type { TaskKind } from './task-kind.ts'

export type DeletionContent =
  | { readonly kind: 'documentDeletion'; readonly by: 'ids'; readonly ids: readonly string[] }
  | { readonly kind: 'documentDeletion'; readonly by: 'filter'; readonly filter: unknown }
  | { readonly kind: 'documentDeletion'; readonly by: 'all' }

const BY_IDS = 0
const BY_FILTER = 1
const BY_ALL = 2
/** What a deletion goes by, from the flags of its record. */
const waysOf = (flags: number): number => (flags & DELETION_BITS) >>> DELETION_SHIFT

export const documentDeletion: TaskKind<DeletionContent> = {
  name: 'documentDeletion',
  number: 2,
  isGlobal: false,
  isForLeader: true,
  queue: {
    of: 'index',
    role: (flags) => {
      const by = waysOf(flags)
      if (by === BY_ALL) return 'clear'
      return by === BY_IDS ? 'ids' : 'filter'
    },
  },

  encode: (content) => {
    if (content.by === 'all') return { flags: BY_ALL << DELETION_SHIFT }
    if (content.by === 'filter') {
      const filter = JSON.stringify(content.filter ?? null)
      return { flags: BY_FILTER << DELETION_SHIFT, content: filter }
    }
    return { count: content.ids.length, content: JSON.stringify(content.ids) }
  },
  decode: (view) => {
    const kind = 'documentDeletion'
    const by = waysOf(view.flags)
    if (by === BY_ALL) return { kind, by: 'all' }
    if (by === BY_FILTER) return { kind, by: 'filter', filter: contentJson(view) }
    if (by !== BY_IDS) badRecord('a way to delete', by)
    const ids = recordArray(contentJson(view)).map(recordString)
    if (ids.length !== view.count) badRecord(`${view.count} ids`, ids.length)
    return { kind, by: 'ids', ids }
  },

  enqueuedDetails: ({ flags, count, content }) => {
    const by = waysOf(flags)
    if (by === BY_ALL) return { deletedDocuments: null }
    return {
      providedIds: count,
      deletedDocuments: null,
      originalFilter: by === BY_IDS || content === null ? null : textOf(content),
    }
  },
  plainDetails: (flags, count) => {
    const by = waysOf(flags)
    if (by === BY_FILTER) return null
    return by === BY_ALL ? {} : { providedIds: count }
  },
  zeros: { deletedDocuments: 0 },
  absorbedDetails: ({ by }) => (by === 'all' ? null : { deletedDocuments: 0 }),
  // The ids that were given, whether they existed or not.
  detailsAmongImports: (content, result) =>
    content.by === 'ids' ? { ...result, deletedDocuments: content.ids.length } : result,

  runs: { clear: runSettings },
  documents: {
    operation: (content, contains): WireOperation => {
      assert(content.by !== 'all', 'a clear does not run with changes of documents')
      if (content.by === 'ids') return { kind: 'delete-ids', ids: content.ids }
      return { kind: 'delete-filter', filter: content.filter, contains }
    },
    counts: (documents) => ({ deletedDocuments: documents }),
  },

  dump: {
    needsIndex: true,
    tags: {
      documentDeletion: (members, place) => ({
        kind: 'documentDeletion',
        by: 'ids',
        ids: textsOf(members['documents_ids'], place),
      }),
      documentDeletionByFilter: (members) => ({
        kind: 'documentDeletion',
        by: 'filter',
        filter: members['filter'] ?? null,
      }),
      documentClear: () => ({ kind: 'documentDeletion', by: 'all' }),
    },
    type: (content) => {
      if (content.by === 'all') return 'documentClear'
      return content.by === 'ids'
        ? { documentDeletion: { documents_ids: content.ids } }
        : { documentDeletionByFilter: { filter: content.filter } }
    },
    typeOfDetails: (details) => {
      if (!('providedIds' in details)) return 'documentClear'
      const filter = details['originalFilter'] ?? null
      return filter === null
        ? { documentDeletion: { documents_ids: [] } }
        : { documentDeletionByFilter: { filter: JSON.parse(String(filter)) } }
    },
    details: (details) => {
      if (!('providedIds' in details)) {
        return { ClearAll: snakeMembers(details, 'deletedDocuments') }
      }
      if ((details['originalFilter'] ?? null) === null) {
        return { DocumentDeletion: snakeMembers(details, 'providedIds', 'deletedDocuments') }
      }
      const members = snakeMembers(details, 'originalFilter', 'deletedDocuments')
      return { DocumentDeletionByFilter: members }
    },
    detailsTags: {
      DocumentDeletion: (members) => ({
        ...camelMembers(members, 'provided_ids', 'deleted_documents'),
        originalFilter: null,
      }),
      DocumentDeletionByFilter: (members) => ({
        providedIds: 0,
        ...camelMembers(members, 'deleted_documents', 'original_filter'),
      }),
      ClearAll: (members) => camelMembers(members, 'deleted_documents'),
    },
  },
}
