// The task kind that deletes documents: by ids, by a filter, or all of an index.

import {
  DELETION_BITS,
  DELETION_SHIFT,
  type EnqueuedView,
  textOf,
} from '../../../format/tasks/index.ts'
import { camelMembers, snakeMembers, textsOf } from '../../backup/dumps/index.ts'
import { readDeletedIds } from '../../write/indexer/index.ts'
import {
  badRecord,
  contentJson,
  type DeletionWork,
  type EncodedContent,
  type RecordMembers,
} from '../../write/task-data/index.ts'
import type { TaskKind } from '../kind/index.ts'
import { runSettings } from './settings-update.ts'

export type DeletionContent =
  | { readonly kind: 'documentDeletion'; readonly by: 'ids'; readonly ids: readonly string[] }
  | { readonly kind: 'documentDeletion'; readonly by: 'filter'; readonly filter: unknown }
  | { readonly kind: 'documentDeletion'; readonly by: 'all' }

const BY_IDS = 0
const BY_FILTER = 1
const BY_ALL = 2
const idsMembers = (count: number, content: string | Uint8Array): Partial<RecordMembers> => ({
  count,
  content,
})
const filterMembers = (content: string | Uint8Array): Partial<RecordMembers> => ({
  flags: BY_FILTER << DELETION_SHIFT,
  content,
})

/** Encodes a deletion of the ids in a JSON list of texts, or by a filter in JSON. */
export const encodedDeletion = {
  byIds: (count: number, json: Uint8Array): EncodedContent => ({
    kind: 'documentDeletion',
    encoded: idsMembers(count, json),
  }),
  byFilter: (json: Uint8Array): EncodedContent => ({
    kind: 'documentDeletion',
    encoded: filterMembers(json),
  }),
}

const jsonIn = (view: EnqueuedView): Uint8Array => view.content ?? badRecord('content', 'none')

/** Returns how a deletion selects documents, from the flags of its record. */
const selectionOf = (flags: number): number => (flags & DELETION_BITS) >>> DELETION_SHIFT

export const documentDeletion: TaskKind<DeletionContent, DeletionWork> = {
  name: 'documentDeletion',
  number: 2,
  isGlobal: false,
  isForLeader: true,
  queue: {
    of: 'index',
    role: (flags) => {
      const by = selectionOf(flags)
      if (by === BY_ALL) return 'clear'
      return by === BY_IDS ? 'ids' : 'filter'
    },
  },

  encode: (content) => {
    if (content.by === 'all') return { flags: BY_ALL << DELETION_SHIFT }
    if (content.by === 'filter') return filterMembers(JSON.stringify(content.filter ?? null))
    return idsMembers(content.ids.length, JSON.stringify(content.ids))
  },
  decode: (view) => {
    const kind = 'documentDeletion'
    const by = selectionOf(view.flags)
    if (by === BY_ALL) return { kind, by: 'all' }
    if (by === BY_FILTER) return { kind, by: 'filter', filter: contentJson(view) }
    if (by !== BY_IDS) badRecord('a way to delete', by)
    return { kind, by: 'ids', ids: readDeletedIds(jsonIn(view), view.count) }
  },
  decodeToRun: (view): DeletionWork => {
    const kind = 'documentDeletion'
    const by = selectionOf(view.flags)
    const nothing = { json: new Uint8Array(0), count: 0 }
    if (by === BY_ALL) return { kind, by: 'all', ...nothing }
    const json = jsonIn(view)
    if (by === BY_FILTER) return { kind, by: 'filter', json, count: 0 }
    if (by !== BY_IDS) badRecord('a way to delete', by)
    return { kind, by: 'ids', json, count: view.count }
  },

  enqueuedDetails: ({ flags, count, content }) => {
    const by = selectionOf(flags)
    if (by === BY_ALL) return { deletedDocuments: null }
    return {
      providedIds: count,
      deletedDocuments: null,
      originalFilter: by === BY_IDS || content === null ? null : textOf(content),
    }
  },
  plainDetails: (flags, count) => {
    const by = selectionOf(flags)
    if (by === BY_FILTER) return null
    return by === BY_ALL ? {} : { providedIds: count }
  },
  zeros: { deletedDocuments: 0 },
  absorbedDetails: ({ by }) => (by === 'all' ? null : { deletedDocuments: 0 }),
  // The number of ids in the request, whether they existed or not.
  detailsAmongImports: (content, result) =>
    content.by === 'ids' ? { ...result, deletedDocuments: content.count } : result,

  runs: { clear: runSettings },
  documentCounts: (documents) => ({ deletedDocuments: documents }),

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
