// Reports about snapshots, as people read them.
import { expect, it } from 'vitest'
import { asIndexUid } from '../../format/ids.ts'
import { listText, snapshotText } from './index.ts'
import { verifiedText } from './verify.ts'

const at = '2026-01-02T03:04:05Z'

it('a list has a line each, and their sum', () => {
  const one = { name: 'a', createdAt: at, version: '1.2.3', files: 3, bytes: 4096, ownBytes: 2048 }
  const broken = { ...one, name: 'b', createdAt: null, version: null, bytes: 0, problem: 'why' }
  expect(listText([{ ...one, problem: null }, broken])).toMatchInlineSnapshot(`
    "  snapshot  made                  release  database  of its own
      a         2026-01-02T03:04:05Z  1.2.3       4 KiB       2 KiB
      b         –                     –             0 B       2 KiB  why

    2 snapshots, 4 KiB
    "
  `)
  expect(listText([])).toBe('There are no snapshots.\n')
})

it('a snapshot shows its files and indexes', () => {
  const index = {
    uid: asIndexUid('films'),
    primaryKey: 'id',
    documents: 1200,
    segments: 3,
    bytes: 2048,
    searchableAttributes: null,
  }
  const summary = {
    snapshot: 'a',
    version: '1.2.3',
    createdAt: at,
    sequence: 1234,
    bytes: 4096,
    archiveBytes: 2048,
    files: { text: { count: 2, bytes: 4096 }, catalog: { count: 1, bytes: 0 } },
    indexes: [index, { ...index, uid: asIndexUid('books'), primaryKey: null }],
  }
  expect(snapshotText(summary)).toMatchInlineSnapshot(`
    "a
    created 2026-01-02T03:04:05Z by release 1.2.3, after edit 1,234
    4 KiB of files, 2 KiB as an archive

      text     2 files  4 KiB
      catalog   1 file    0 B

      index  documents  segments  bytes  primary key
      films      1,200         3  2 KiB  id
      books      1,200         3  2 KiB  –
    "
  `)
  const empty = snapshotText({ ...summary, archiveBytes: null, indexes: [] })
  expect(empty).toContain('4 KiB of files, file by file\n')
  expect(empty.endsWith('\nIt holds no index.\n')).toBe(true)
})

it('a check says that all is as written, or the problem', () => {
  const verified = {
    snapshot: 'a',
    isSound: true,
    createdAt: at,
    files: 1,
    bytes: 2048,
    problem: null,
    check: null,
  }
  expect([verifiedText(verified), verifiedText({ ...verified, problem: 'why' })]).toEqual([
    `a, created ${at}: 1 file, 2 KiB, all as written.\n`,
    'a is damaged: why\n',
  ])
})
