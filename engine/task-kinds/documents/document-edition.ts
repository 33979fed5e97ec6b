// The task kind that changes documents by a function of the client.
import { anything, objectWith, open, text } from '../../../format/schema/index.ts'
import { camelMembers, snakeMembers, textOf } from '../../backup/dumps/index.ts'
import { contentAs, type EditionContent, type EncodedContent } from '../../write/task-data/index.ts'
import type { TaskKind } from '../kind/index.ts'
import { runDocuments } from './documents-batch.ts'

type StoredEdition = Partial<Omit<EditionContent, 'kind' | 'function'>> &
  Pick<EditionContent, 'function'>

const STORED = open(
  objectWith<StoredEdition>(
    { function: text },
    { filter: anything, context: anything, contextText: text },
  ),
)

/** Encodes an edition from the JSON object of its members. */
export const encodedEdition = (json: Uint8Array): EncodedContent => ({
  kind: 'documentEdition',
  encoded: { content: json },
})

export const documentEdition: TaskKind<EditionContent> = {
  name: 'documentEdition',
  number: 1,
  isGlobal: false,
  isForLeader: true,
  queue: { of: 'index', role: () => 'alone' },

  encode: ({ kind: _, ...rest }) => ({ content: JSON.stringify(rest) }),
  decode: (view) => {
    const { filter, context, contextText, function: script } = contentAs(STORED, view)
    return {
      kind: 'documentEdition',
      filter: filter ?? null,
      context: context ?? null,
      ...(contextText === undefined ? {} : { contextText }),
      function: script,
    }
  },

  enqueuedDetails: (view) => {
    const { filter, context, function: script } = documentEdition.decode(view)
    return {
      editedDocuments: null,
      deletedDocuments: null,
      originalFilter: filter === null ? null : JSON.stringify(filter),
      context,
      function: script,
    }
  },
  zeros: { editedDocuments: 0 },

  runs: { documentEdition: runDocuments },
  // All documents that the function was called with, changed or not.
  documentCounts: (documents) => ({ editedDocuments: documents, deletedDocuments: documents }),

  dump: {
    needsIndex: true,
    tags: {
      documentEdition: ({ filter = null, context = null, function: script }, place) => ({
        kind: 'documentEdition',
        filter,
        context,
        function: textOf(script, place),
      }),
    },
    type: ({ filter, context, function: script }) => ({
      documentEdition: { filter, context, function: script },
    }),
    typeOfDetails: ({ originalFilter = null, context = null, function: script = '' }) => {
      const filter = originalFilter === null ? null : JSON.parse(String(originalFilter))
      return { documentEdition: { filter, context, function: script } }
    },
    details: (details) => ({
      DocumentEdition: snakeMembers(
        details,
        'deletedDocuments',
        'editedDocuments',
        'originalFilter',
        'context',
        'function',
      ),
    }),
    detailsTags: {
      DocumentEdition: (members) =>
        camelMembers(
          members,
          'edited_documents',
          'deleted_documents',
          'original_filter',
          'context',
          'function',
        ),
    },
  },
}
