// Reports about dumps, as people read them.
import { expect, it } from 'vitest'
import { asIndexUid } from '../../format/ids.ts'
import { extractText } from './extract.ts'
import { type DumpSummary, inspectText } from './inspect.ts'
import { verdictText } from './verify.ts'

const at = '2026-01-02T03:04:05Z'
const EMPTY: DumpSummary = {
  file: 'a.dump',
  bytes: 2048,
  unpackedBytes: 4096,
  version: 'V6',
  release: null,
  date: null,
  instanceUid: null,
  indexes: [],
  tasks: { total: 0, statuses: {}, bodies: 0 },
  batches: 0,
  keys: [],
  features: [],
  webhooks: [],
  chats: [],
  rules: 0,
  remotes: [],
}

it('an empty dump has no lists', () => {
  expect(inspectText(EMPTY)).toMatchInlineSnapshot(`
    "a.dump: dump V6
    2 KiB, 4 KiB unpacked

    0 indexes

    0 tasks

    0 API keys
    "
  `)
})

it('a dump shows its content', () => {
  const index = {
    uid: asIndexUid('films'),
    primaryKey: 'id',
    documents: 1200,
    bytes: 2048,
    createdAt: 'never shown',
    updatedAt: at,
    embedders: ['one', 'two'],
  }
  const key = {
    uid: '1…',
    name: 'k'.repeat(41),
    actions: ['search'],
    indexes: ['*'],
    expiresAt: at,
  }
  const summary: DumpSummary = {
    ...EMPTY,
    release: '1.2.3',
    date: at,
    indexes: [index, { ...index, uid: asIndexUid('books'), primaryKey: null, embedders: [] }],
    tasks: { total: 1201, statuses: { succeeded: 1200, enqueued: 1 }, bodies: 1 },
    batches: 3,
    keys: [key, { ...key, name: null, actions: ['a'.repeat(41)], indexes: ['i'.repeat(31)] }],
    features: ['metrics', 'network'],
    webhooks: [{ uuid: 'u', url: 'https://there/?…' }],
    chats: ['shop'],
    rules: 2,
    remotes: ['a', 'b'],
  }
  expect(inspectText(summary)).toMatchInlineSnapshot(`
    "a.dump: dump V6, release 1.2.3, 2026-01-02T03:04:05Z
    2 KiB, 4 KiB unpacked

    2 indexes
      index  primary key  documents   size  updated               embedders
      films  id               1,200  2 KiB  2026-01-02T03:04:05Z  one, two
      books  –                1,200  2 KiB  2026-01-02T03:04:05Z

    1,201 tasks (1,200 succeeded, 1 enqueued); 1 waiting import with documents; 3 in the list of batches

    2 API keys
      uid  name                                      actions                                   indexes
      1…   kkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkkk…  search                                    *
      1…   –                                         aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa…  iiiiiiiiiiiiiiiiiiiiiiiiiiiii…

    features that are on: metrics, network
    webhooks: https://there/?…
    chat workspaces: shop
    instances of the network: a, b
    2 dynamic search rules
    "
  `)
  expect(inspectText({ ...summary, indexes: [index] })).toContain('\n1 index\n')
})

it('a verdict names the first fault, or counts the content', () => {
  const verdict = {
    file: 'a.dump',
    isSound: true,
    fault: null,
    version: 'V6',
    indexes: 2,
    documents: 1,
    tasks: 0,
  }
  expect([verdictText(verdict), verdictText({ ...verdict, isSound: false, fault: 'why' })]).toEqual(
    [
      'a.dump is sound: dump V6, 2 indexes, 1 document, 0 tasks.\n',
      'a.dump cannot be imported: why\n',
    ],
  )
})

it('an extract says where its files are', () => {
  const one = { index: asIndexUid('films'), bytes: 2048, output: null, settings: null }
  expect([extractText(one), extractText({ ...one, output: 'o', settings: 's' })]).toEqual([
    '2 KiB of documents of films written to standard output\n',
    '2 KiB of documents of films written to o\nsettings written to s\n',
  ])
})
