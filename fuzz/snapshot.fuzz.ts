// Fuzzes the reader of snapshot headers: any bytes give a list of files of a database, or an error.

import { ArchiveError } from '../engine/backup/archive/index.ts'
import { isDatabasePath } from '../engine/backup/snapshot/head-v1.ts'
import { decodeHead, encodeHead } from '../engine/backup/snapshot/index.ts'
import { assert } from '../format/errors.ts'
import type { FuzzTarget } from './target.ts'

const head = (paths: readonly string[], sha256: string | null): Uint8Array =>
  encodeHead({
    version: '1.50.0',
    createdAt: '2026-01-02T03:04:05.000006Z',
    sequence: 12,
    files: paths.map((path, bytes) => ({ path, bytes, sha256 })),
  })

export const target: FuzzTarget = {
  name: 'snapshot',
  seeds: () => [
    head([], null),
    head(['VERSION', 'CURRENT', 'manifest-000001.log', 'tasks/tasks-000003.log'], null),
    head(['segments/000001.docs', 'tasks/bodies/000123.body'], 'ab'.repeat(32)),
  ],
  run: (input) => {
    const found = decodeHead(input)
    for (const { path } of found.files) {
      assert(isDatabasePath(path) && !path.includes('..'), 'a path is one of a database')
    }
    assert(new Set(found.files.map(({ path }) => path)).size === found.files.length, 'once each')
    const again = decodeHead(encodeHead(found))
    assert(JSON.stringify(again) === JSON.stringify(found), 'a head is read as it was written')
  },
  allows: (error) => error instanceof ArchiveError,
  inputBytesMax: 4096,
}
