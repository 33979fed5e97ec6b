// The report of a check, as people read it.
import { expect, it } from 'vitest'
import { asIndexUid } from '../../format/ids.ts'
import type { Finding } from '../inspect/index.ts'
import { checkText } from './index.ts'
import { type CheckResult, findingsOf } from './result.ts'

const finding = (where: string, change: Partial<Finding> = {}): Finding => ({
  where,
  section: null,
  offset: null,
  code: 'missing',
  message: 'it is missing',
  ...change,
})
const report = (file: string, problems: readonly Finding[] = []) => ({
  file,
  what: file,
  bytes: 2048,
  facts: '3 edits',
  problems,
})
const SOUND: CheckResult = {
  database: 'db',
  version: '1.2.3',
  isSound: true,
  problemCount: 0,
  files: [report('manifest')],
  indexes: [
    {
      index: 1 as never,
      uid: asIndexUid('films'),
      documents: 1200,
      segments: [report('000001.docs')],
      problems: [],
    },
  ],
  leftovers: [],
  notes: [],
}

it('a sound database has a line per file', () => {
  expect(checkText(SOUND)).toMatchInlineSnapshot(`
    "db, written by release 1.2.3

      manifest  sound  2 KiB  3 edits

    films · 1,200 documents
      000001.docs  sound  2 KiB  3 edits

    The database is sound.
    "
  `)
})

it('damage is marked, and listed in the order of the files', () => {
  const damaged: CheckResult = {
    ...SOUND,
    version: null,
    isSound: false,
    problemCount: 1200,
    files: [report('VERSION', [finding('VERSION')]), report('manifest')],
    indexes: [
      {
        ...SOUND.indexes[0]!,
        documents: null,
        segments: [
          report('000001.docs', [
            finding('000001.docs', { section: 'RECS', offset: 7, code: 'bad_checksum' }),
          ]),
        ],
        problems: [finding('films', { offset: 3 })],
      },
    ],
    leftovers: [{ file: 'mine.txt', bytes: 5 }],
    notes: ['it was never closed'],
  }
  expect(checkText(damaged)).toMatchInlineSnapshot(`
    "db, written by release unknown

      VERSION   DAMAGED  2 KiB  3 edits
      manifest  sound    2 KiB  3 edits

    films · documents unknown · DAMAGED
      000001.docs  DAMAGED  2 KiB  3 edits

    VERSION: it is missing
    000001.docs: section RECS, offset 7: bad_checksum: it is missing
    films: offset 3: it is missing

    Unused files (not a problem):
      mine.txt  5 B

    Note: it was never closed.

    1,200 problems were found. Restore a snapshot, or import a dump into a new database; svc-tools db repair shows what can be repaired safely.
    "
  `)
  expect(findingsOf(damaged).map(({ where }) => where)).toEqual(['VERSION', '000001.docs', 'films'])
  const verdict = (change: Partial<CheckResult>): string =>
    checkText({ ...damaged, ...change })
      .split('\n')
      .at(-2)!
  expect(verdict({ problemCount: 1 })).toMatch(
    /^One problem was found\. .*db repair shows what can/,
  )
  const root = { files: [report('manifest', [finding('manifest')])] }
  expect(verdict(root)).toMatch(/svc-tools db repair cannot help: the manifest is damaged\.$/)
})
