// The task kind that adds, replaces or updates documents.
import {
  FLAG_MAY_CREATE,
  FLAG_SKIP_CREATION,
  FLAG_UPDATE,
  optionalText,
} from '../../../format/tasks/index.ts'
import { camelMembers, countOf, snakeMembers, textOrNull } from '../../backup/dumps/index.ts'
import {
  badRecord,
  flagIf,
  type ImportContent,
  type StagedBody,
} from '../../write/task-data/index.ts'
import type { TaskKind } from '../kind/index.ts'
import { runDocuments } from './documents-batch.ts'

const NO_BODY: StagedBody = { file: null, inline: new Uint8Array(0), bytes: 0, documents: 0 }

export const documentAdditionOrUpdate: TaskKind<ImportContent> = {
  name: 'documentAdditionOrUpdate',
  number: 0,
  isGlobal: false,
  isForLeader: true,
  queue: { of: 'index', role: () => 'import' },

  encode: ({ body, method, primaryKey, skipCreation, allowIndexCreation }) => ({
    flags:
      flagIf(method === 'update', FLAG_UPDATE) |
      flagIf(skipCreation, FLAG_SKIP_CREATION) |
      flagIf(allowIndexCreation, FLAG_MAY_CREATE),
    count: body.documents,
    bodyBytes: body.bytes,
    bodyFile: body.file,
    primaryKey,
    inline: body.inline,
  }),
  decode: ({ flags, bodyFile: file, inline, bodyBytes: bytes, count: documents, primaryKey }) => {
    if ((file === null) === (inline === null)) badRecord('one body', file === null ? 'none' : 'two')
    if (inline !== null && inline.length !== bytes) badRecord(`${bytes} body bytes`, inline.length)
    return {
      kind: 'documentAdditionOrUpdate',
      method: (flags & FLAG_UPDATE) !== 0 ? 'update' : 'replace',
      body: { file, inline, bytes, documents },
      primaryKey: optionalText(primaryKey),
      skipCreation: (flags & FLAG_SKIP_CREATION) !== 0,
      allowIndexCreation: (flags & FLAG_MAY_CREATE) !== 0,
    }
  },

  enqueuedDetails: ({ count }) => ({ receivedDocuments: count, indexedDocuments: null }),
  plainDetails: (_, count) => ({ receivedDocuments: count }),
  zeros: { indexedDocuments: 0 },
  absorbedDetails: () => ({ indexedDocuments: 0 }),
  bodyOf: ({ body }) => body,
  withBody: (content, body) => ({ ...content, body }),

  runs: { documents: runDocuments },
  documentCounts: (documents) => ({ indexedDocuments: documents }),

  dump: {
    needsIndex: true,
    tags: {
      documentImport: (members, place) => ({
        kind: 'documentAdditionOrUpdate',
        method: members['method'] === 'UpdateDocuments' ? 'update' : 'replace',
        body: NO_BODY,
        primaryKey: textOrNull(members['primary_key'], place),
        skipCreation: false,
        allowIndexCreation: members['allow_index_creation'] !== false,
      }),
    },
    documents: (members) => countOf(members['documents_count']),
    type: ({ primaryKey, method, body, allowIndexCreation }) =>
      documentImport(primaryKey, method, body.documents, allowIndexCreation),
    typeOfDetails: (details) =>
      documentImport(null, 'replace', countOf(details['receivedDocuments']), true),
    details: (details) => ({
      DocumentAdditionOrUpdate: snakeMembers(details, 'receivedDocuments', 'indexedDocuments'),
    }),
    detailsTags: {
      DocumentAdditionOrUpdate: (members) =>
        camelMembers(members, 'received_documents', 'indexed_documents'),
    },
  },
}

const documentImport = (
  primaryKey: string | null,
  method: ImportContent['method'],
  documents: number,
  mayCreate: boolean,
) => ({
  documentImport: {
    primary_key: primaryKey,
    method: method === 'update' ? 'UpdateDocuments' : 'ReplaceDocuments',
    documents_count: documents,
    allow_index_creation: mayCreate,
  },
})
