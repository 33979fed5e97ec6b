// The request that creates the leader's task again on another instance.
import { expect, test } from 'vitest'
import type { SentTask } from '../../../engine/index.ts'
import { asIndexUid, asTaskUid } from '../../../format/ids.ts'
import { requestOf } from './task-requests.ts'

const task = (content: object, more: Partial<SentTask> = {}): SentTask => ({
  uid: asTaskUid(7),
  indexUid: asIndexUid('a b'),
  content: content as SentTask['content'],
  customMetadata: null,
  version: '',
  documents: null,
  hasEnded: false,
  isVoid: false,
  ...more,
})

/** Method and path, and the body as text. */
const sent = (content: object, more: Partial<SentTask> = {}) => {
  const request = requestOf(task(content, more))
  if (request === null) return null
  const { method, path, body } = request
  return [`${method} ${path}`, body === null ? null : Buffer.from(body).toString()]
}

const import_ = (method: string, more: object = {}) => ({
  kind: 'documentAdditionOrUpdate',
  method,
  primaryKey: null,
  skipCreation: false,
  ...more,
})

test('documents keep their method, key and metadata; no documents are an empty list', () => {
  const documents = Buffer.from('{"id":1}\n')
  expect(sent(import_('replace'), { documents })).toEqual([
    'POST /indexes/a%20b/documents',
    '{"id":1}\n',
  ])
  const more = import_('update', { primaryKey: 'id', skipCreation: true })
  expect(sent(more, { customMetadata: 'x&y' })).toEqual([
    'PUT /indexes/a%20b/documents?primaryKey=id&skipCreation=true&customMetadata=x%26y',
    '[]',
  ])
})

test.each([
  [{ kind: 'documentDeletion', by: 'all' }, 'DELETE /indexes/a%20b/documents', null],
  [
    { kind: 'documentDeletion', by: 'ids', ids: ['1', '2'] },
    'POST /indexes/a%20b/documents/delete-batch',
    '["1","2"]',
  ],
  [
    { kind: 'documentDeletion', by: 'filter', filter: 'x = 1' },
    'POST /indexes/a%20b/documents/delete',
    '{"filter":"x = 1"}',
  ],
  [
    // An integer and a float are different there.
    { kind: 'documentEdition', function: 'f', contextText: '{"x":1.0}', context: { x: 1 } },
    'POST /indexes/a%20b/documents/edit',
    '{"function":"f","filter":null,"context":{"x":1.0}}',
  ],
  [
    { kind: 'settingsUpdate', patch: { stopWords: ['the'] }, isDeletion: false },
    'PATCH /indexes/a%20b/settings',
    '{"stopWords":["the"]}',
  ],
  [
    { kind: 'settingsUpdate', patch: { stopWords: null }, isDeletion: true },
    'DELETE /indexes/a%20b/settings/stop-words',
    null,
  ],
  [
    { kind: 'settingsUpdate', patch: { stopWords: null, synonyms: null }, isDeletion: true },
    'DELETE /indexes/a%20b/settings',
    null,
  ],
  [{ kind: 'indexUpdate', primaryKey: null, newUid: 'c' }, 'PATCH /indexes/a%20b', '{"uid":"c"}'],
  [
    { kind: 'indexUpdate', primaryKey: 'isbn', newUid: null },
    'PATCH /indexes/a%20b',
    '{"primaryKey":"isbn"}',
  ],
  [
    { kind: 'indexCreation', primaryKey: 'isbn' },
    'POST /indexes',
    '{"uid":"a b","primaryKey":"isbn"}',
  ],
  [{ kind: 'indexDeletion' }, 'DELETE /indexes/a%20b', null],
  [
    { kind: 'indexSwap', swaps: [{ indexes: ['a', 'b'], rename: false }] },
    'POST /swap-indexes',
    '[{"indexes":["a","b"],"rename":false}]',
  ],
  [
    { kind: 'documentEdition', function: 'f', context: { x: 1 }, filter: 'y = 2' },
    'POST /indexes/a%20b/documents/edit',
    '{"function":"f","filter":"y = 2","context":{"x":1}}',
  ],
  [
    { kind: 'dsrUpdate', uid: 'r', rule: { active: true } },
    'PATCH /dynamic-search-rules/r',
    '{"active":true}',
  ],
  [{ kind: 'dsrClear' }, 'DELETE /dynamic-search-rules', null],
  [{ kind: 'dsrUpdate', uid: 'r/1', rule: null }, 'DELETE /dynamic-search-rules/r%2F1', null],
])('%j', (content, request, body) => {
  expect(sent(content)).toEqual([request, body])
})

test.each(['dumpCreation', 'snapshotCreation', 'taskDeletion', 'indexCompaction'])(
  '%s stays on the instance',
  (kind) => {
    expect(sent({ kind })).toBeNull()
  },
)
