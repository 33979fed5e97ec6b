// The reports of commands on a whole database, as people read them.
import { expect, it } from 'vitest'
import { databaseSizeText, promoteText, repairText, upgradeText } from './index.ts'
import type { RepairResult } from './repair.ts'

it('sizes are a tree with shares and bars', () => {
  const leaf = (name: string, bytes: number) => ({ name, bytes, parts: [] })
  const size = {
    database: 'db',
    bytes: 2000,
    files: 1,
    diskBytes: 4096,
    deadBytes: 0,
    parts: [
      {
        name: 'indexes',
        bytes: 1500,
        parts: [{ ...leaf('films', 1500), parts: [leaf('text', 1500)] }],
      },
      leaf('tasks', 500),
    ],
  }
  expect(databaseSizeText(size)).toMatchInlineSnapshot(`
    "db · 1.95 KiB in 1 file (4 KiB on disk)

                bytes             share
      indexes   1,500  1.46 KiB  75.0 %  ###############
        films   1,500  1.46 KiB  75.0 %  ###############
          text  1,500  1.46 KiB  75.0 %  ###############
      tasks       500     500 B  25.0 %  #####
    "
  `)
  expect(databaseSizeText({ ...size, deadBytes: 1024 }).split('\n')[0]).toMatchInlineSnapshot(
    `"db · 1.95 KiB in 1 file (4 KiB on disk), about 1 KiB of dead documents"`,
  )
  expect(databaseSizeText({ ...size, bytes: 0, parts: [leaf('a', 0)] })).toContain('0.0 %')
})

it('a promotion says what it followed, or that there was nothing to do', () => {
  const none = { database: 'db', source: null, snapshot: null, publishedAt: null }
  expect(promoteText(none)).toBe('db already accepts writes; there was nothing to do.\n')
  expect(
    promoteText({ ...none, source: 'the source', publishedAt: '2026-01-01' }),
  ).toMatchInlineSnapshot(`
    "db followed the source and accepts writes from now on.
    It has the state published at 2026-01-01. Start it without --follow, and make sure that
    the instance that published it never publishes to the same place again.
    "
  `)
})

it('an upgrade says which task made it', () => {
  const one = { database: 'db', from: '1.1.0', to: '1.2.0', task: 3 }
  expect([
    upgradeText({ ...one, task: null }),
    upgradeText({ ...one, from: '1.2.0' }),
    upgradeText({ ...one, task: 0 }),
  ]).toEqual([
    'db is of release 1.2.0; there was nothing to do.\n',
    'db: text and columns were rebuilt by task 3.\n',
    'db was upgraded from release 1.1.0 to 1.2.0 by task 0.\n',
  ])
})

it('a repair names its steps, the losses and the rest', () => {
  const ids = Array.from({ length: 21 }, (_, id) => String(id))
  const sound: RepairResult = {
    database: 'db',
    isDone: false,
    steps: [],
    left: [],
    lost: [],
    lostTasks: null,
    kept: null,
  }
  expect(repairText(sound)).toBe('db is sound: nothing to repair.\n')
  const steps = [
    { kind: 'rebuild', where: 'films', words: 'rebuild its text' },
    { kind: 'tasks', where: 'tasks', words: 'begin a new log' },
  ] as unknown as RepairResult['steps']
  const loss = { index: 'films', segment: 7, what: 'documents', documents: 2, ids: ['a', 'b'] }
  const left = [
    { where: 'CURRENT', section: null, offset: null, code: 'missing', message: 'it is missing' },
  ]
  expect(repairText({ ...sound, steps, left })).toMatchInlineSnapshot(`
    "Possible repairs:
      films  rebuild its text
      tasks  begin a new log

    Problems that cannot be repaired:
      CURRENT: it is missing
    Restore a snapshot, or import a dump into a new database.

    Nothing was changed: --yes makes the repairs.
    "
  `)
  const done = {
    ...sound,
    isDone: true,
    steps,
    left,
    lost: [loss, { ...loss, what: 'vectors', documents: 21, ids }, { ...loss, ids: [] }],
    lostTasks: { waiting: ids.map(Number), nextTask: 30 },
    kept: 'db/repair',
  } as unknown as RepairResult
  const twenty = {
    ...done,
    lost: [{ ...loss, ids: ids.slice(1) }],
    lostTasks: { waiting: ids.slice(1).map(Number), nextTask: 30 },
  } as unknown as RepairResult
  expect(repairText(twenty).match(/: 1, .*/g)).toEqual(
    Array(2).fill(`: ${ids.slice(1).join(', ')}`),
  )
  expect(repairText(done)).toMatchInlineSnapshot(`
    "Repairs made:
      films  rebuild its text
      tasks  begin a new log

    Lost: 2 documents of films (segment 7): a, b

    Lost: vectors of 21 documents of films (segment 7): 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, …

    Lost: 2 documents of films (segment 7)

    Lost: the history of tasks, and 21 waiting tasks: 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, …
    The next task is 30.

    Remaining problems:
      CURRENT: it is missing
    Restore a snapshot, or import a dump into a new database.

    Removed files are kept in db/repair.
    "
  `)
  const few = { ...done, lost: [], left: [], lostTasks: { waiting: [4], nextTask: 5 } }
  expect(repairText(few)).toContain('and 1 waiting task: 4\nThe next task is 5.\n')
  const none = { ...few, lostTasks: { waiting: [], nextTask: 5 } }
  expect(repairText(none)).toContain('and 0 waiting tasks\nThe next task is 5.\n')
})
