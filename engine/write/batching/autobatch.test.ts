// The extent of batches: the whole compatibility table, and every reason to stop.
import { describe, expect, it } from 'vitest'
import { asTaskUid } from '../../../format/ids.ts'
import type { TaskKindName } from '../../task-kinds/index.ts'
import type { BatchState, TaskRole } from '../task-data/autobatch.table.ts'
import {
  type Autobatch,
  Autobatcher,
  type BatchLimits,
  type Candidate,
  type IndexFacts,
} from './autobatch.ts'

const NO_LIMITS: BatchLimits = {
  tasksMax: Number.POSITIVE_INFINITY,
  bytesMax: Number.POSITIVE_INFINITY,
}
const KIND_OF: { readonly [next in TaskRole]: TaskKindName } = {
  import: 'documentAdditionOrUpdate',
  ids: 'documentDeletion',
  filter: 'documentDeletion',
  clear: 'documentDeletion',
  settings: 'settingsUpdate',
  indexDeletion: 'indexDeletion',
  alone: 'documentEdition',
  dsrUpdate: 'dsrUpdate',
  dsrClear: 'dsrClear',
}

function candidate(uid: number, next: TaskRole, more: Partial<Candidate> = {}): Candidate {
  const base = {
    uid: asTaskUid(uid),
    role: next,
    kind: KIND_OF[next],
    primaryKey: null,
    mayCreate: false,
    bodyBytes: 0,
  }
  return { ...base, ...more }
}

function autobatch(
  candidates: readonly Candidate[],
  index: IndexFacts,
  limits: BatchLimits,
): Autobatch {
  const batcher = new Autobatcher(index, limits)
  for (const one of candidates) if (!batcher.offer(one)) break
  return batcher.finish()
}

const batchOf = (nexts: readonly TaskRole[], index: IndexFacts = { primaryKey: 'id' }): Autobatch =>
  autobatch(
    nexts.map((next, i) => candidate(i, next)),
    index,
    NO_LIMITS,
  )

const EXISTS: IndexFacts = { primaryKey: 'id' }
const WITHOUT_KEY: IndexFacts = { primaryKey: null }

/**
 * Tasks that lead to each state, and the effect of each next task: the new state, or the reason to
 * stop.
 */
const SETTINGS_WORDS = 'it is a settings change which cannot be batched with document operations'
const FILTER_WORDS = 'it is a deletion by filter which cannot be batched with document operations'
const DOCUMENT_WORDS = 'it is a document operation which cannot be batched with settings changes'
const RULES = 'it is a dynamic search rule update or clear, which cannot be batched with'

type Expected = { readonly to: BatchState } | string
const to = (state: BatchState): Expected => ({ to: state })

const ROWS: readonly (readonly [
  state: BatchState,
  leads: readonly TaskRole[],
  columns: { readonly [next in TaskRole]: Expected },
])[] = [
  [
    'documents',
    ['import'],
    {
      import: to('documents'),
      ids: to('documents'),
      filter: FILTER_WORDS,
      clear: to('clear'),
      settings: SETTINGS_WORDS,
      indexDeletion: to('indexDeletion'),
      alone: 'unspecified',
      dsrUpdate: `${RULES} document operations`,
      dsrClear: `${RULES} document operations`,
    },
  ],
  [
    'idDeletions',
    ['ids'],
    {
      import: to('documents'),
      ids: to('idDeletions'),
      filter: to('filterDeletions'),
      clear: to('clear'),
      settings: SETTINGS_WORDS,
      indexDeletion: to('indexDeletion'),
      alone: 'unspecified',
      dsrUpdate: `${RULES} document operations`,
      dsrClear: `${RULES} document operations`,
    },
  ],
  [
    'filterDeletions',
    ['filter', 'ids'],
    {
      import: to('documents'),
      ids: to('filterDeletions'),
      filter: to('filterDeletions'),
      clear: to('clear'),
      settings: SETTINGS_WORDS,
      indexDeletion: to('indexDeletion'),
      alone: 'unspecified',
      dsrUpdate: `${RULES} document operations`,
      dsrClear: `${RULES} document operations`,
    },
  ],
  [
    'clear',
    ['clear'],
    {
      import: SETTINGS_WORDS,
      ids: to('clear'),
      filter: to('clear'),
      clear: to('clear'),
      settings: SETTINGS_WORDS,
      indexDeletion: to('indexDeletion'),
      alone: 'unspecified',
      dsrUpdate: `${RULES} document operations`,
      dsrClear: `${RULES} document operations`,
    },
  ],
  [
    'settings',
    ['settings'],
    {
      import: DOCUMENT_WORDS,
      ids: DOCUMENT_WORDS,
      filter: DOCUMENT_WORDS,
      clear: to('clearAndSettings'),
      settings: to('settings'),
      indexDeletion: to('indexDeletion'),
      alone: 'unspecified',
      dsrUpdate: `${RULES} settings changes`,
      dsrClear: `${RULES} settings changes`,
    },
  ],
  [
    'clearAndSettings',
    ['settings', 'clear'],
    {
      import: DOCUMENT_WORDS,
      ids: to('clearAndSettings'),
      filter: to('clearAndSettings'),
      clear: to('clearAndSettings'),
      settings: to('clearAndSettings'),
      indexDeletion: to('indexDeletion'),
      alone: 'unspecified',
      dsrUpdate: `${RULES} settings changes`,
      dsrClear: `${RULES} settings changes`,
    },
  ],
  [
    'dsrUpdates',
    ['dsrUpdate'],
    {
      import: 'unspecified',
      ids: 'unspecified',
      filter: 'unspecified',
      clear: 'unspecified',
      settings: 'unspecified',
      indexDeletion: 'unspecified',
      alone: 'unspecified',
      dsrUpdate: to('dsrUpdates'),
      dsrClear: to('dsrClear'),
    },
  ],
  [
    'dsrClear',
    ['dsrUpdate', 'dsrClear'],
    {
      import: 'unspecified',
      ids: 'unspecified',
      filter: 'unspecified',
      clear: 'unspecified',
      settings: 'unspecified',
      indexDeletion: 'unspecified',
      alone: 'unspecified',
      dsrUpdate: 'unspecified',
      dsrClear: to('dsrClear'),
    },
  ],
]

describe('compatible tasks', () => {
  for (const [state, leads, columns] of ROWS) {
    for (const next of Object.keys(columns) as TaskRole[]) {
      it(`${state} × ${next}`, () => {
        expect(batchOf(leads).state).toBe(state)
        const uid = leads.length
        const batch = batchOf([...leads, next])
        const expected = columns[next]
        if (typeof expected !== 'string') {
          const strategy =
            expected.to === 'indexDeletion'
              ? `stopped after task with id ${uid} because it deletes the index`
              : null
          expect(batch).toMatchObject({ state: expected.to, strategy })
          expect(batch.uids).toHaveLength(uid + 1)
          return
        }
        expect(batch.state).toBe(state)
        expect(batch.uids).toHaveLength(uid)
        expect(batch.strategy).toBe(
          expected === 'unspecified'
            ? expected
            : `stopped before task with id ${uid} because ${expected}`,
        )
      })
    }
  }

  it('an index deletion ends the batch', () => {
    for (const next of Object.keys(KIND_OF) as TaskRole[]) {
      expect(batchOf(['indexDeletion', next])).toMatchObject({
        uids: [0],
        strategy: 'stopped after task with id 0 because it deletes the index',
      })
      expect(batchOf(['import', 'indexDeletion', next]).uids).toEqual([0, 1])
    }
  })

  it('creations, updates, swaps and editions stay alone', () => {
    for (const next of Object.keys(KIND_OF) as TaskRole[]) {
      expect(batchOf(['alone', next])).toMatchObject({
        state: 'alone',
        uids: [0],
        strategy:
          'created batch containing only task with id 0 of type `documentEdition` ' +
          'that cannot be batched with any other task.',
      })
    }
  })

  it('skips no task', () => {
    expect(batchOf(['import', 'settings', 'import']).uids).toEqual([0])
    expect(batchOf(['settings', 'import', 'settings']).uids).toEqual([0])
  })
})

describe('limits', () => {
  const imports = (sizes: readonly number[], limits: Partial<BatchLimits>) =>
    autobatch(
      sizes.map((bodyBytes, uid) => candidate(uid, 'import', { bodyBytes })),
      EXISTS,
      { ...NO_LIMITS, ...limits },
    )

  it('of tasks', () => {
    expect(imports([1, 1, 1], { tasksMax: 2 })).toMatchObject({
      uids: [0, 1],
      strategy: 'batched up to configured batch limit of 2 tasks',
    })
    expect(imports([1, 1], { tasksMax: 2 }).strategy).toBeNull()
  })

  it('of tasks while the disk lacks space', () => {
    expect(imports([1, 1, 1], { spaceTasksMax: 2 })).toMatchObject({
      uids: [0, 1],
      strategy: 'batched up to 2 tasks, because the disk had no space for more',
    })
    expect(imports([1, 1], { spaceTasksMax: 2 }).strategy).toBeNull()
  })

  it('of bytes', () => {
    expect(imports([40, 50, 20], { bytesMax: 100 })).toMatchObject({
      uids: [0, 1],
      strategy: 'batched up to configured batch size limit of 100B with a total of 90B',
    })
    expect(imports([40, 60], { bytesMax: 100 }).uids).toEqual([0, 1])
  })

  it('accepts a first task of every size', () => {
    expect(imports([500, 1], { bytesMax: 100 })).toMatchObject({
      uids: [0],
      strategy: 'batched up to configured batch size limit of 100B with a total of 500B',
    })
  })
})

describe('primary keys', () => {
  const withKeys = (keys: readonly (string | null)[], index: IndexFacts) =>
    autobatch(
      keys.map((primaryKey, uid) => candidate(uid, 'import', { primaryKey, mayCreate: true })),
      index,
      NO_LIMITS,
    )
  const before = 'stopped batching before task with id'
  const differs = 'is different from the primary key of the'

  it.each([
    [['id', null, 'id'], EXISTS, 3, null],
    [
      [null, 'sku'],
      EXISTS,
      1,
      `${before} 1 because its primary key \`sku\` ${differs} index \`id\``,
    ],
    [
      ['sku', 'id'],
      EXISTS,
      1,
      `${before} 0 because its primary key \`sku\` ${differs} index \`id\``,
    ],
    [
      [null, 'sku'],
      WITHOUT_KEY,
      1,
      `${before} 1 because it is setting the \`sku\` primary key and it would interfere with ` +
        'primary key guessing of the batch',
    ],
    [
      ['id', null, 'sku'],
      null,
      2,
      `${before} 2 because its primary key \`sku\` ${differs} batch \`id\``,
    ],
    [['id', null, 'id'], null, 3, null],
  ] as const)('%j with index %j: %d', (keys, index, count, strategy) => {
    const batch = withKeys(keys, index)
    expect(batch.uids).toHaveLength(count)
    expect(batch.strategy).toBe(strategy)
  })

  const SKU = { primaryKey: 'sku' }

  it('accepts an explicit key after deletions, which guess none', () => {
    const tasks = [candidate(0, 'ids'), candidate(1, 'import', SKU)]
    expect(autobatch(tasks, WITHOUT_KEY, NO_LIMITS).uids).toEqual([0, 1])
    const more = [candidate(0, 'ids'), candidate(1, 'ids'), candidate(2, 'import', SKU)]
    expect(autobatch(more, WITHOUT_KEY, NO_LIMITS).uids).toEqual([0, 1, 2])
  })

  it('compares later keys with the first one, also if deletions came before it', () => {
    const tasks = [
      candidate(0, 'ids'),
      candidate(1, 'import', SKU),
      candidate(2, 'import', { primaryKey: 'id' }),
    ]
    expect(autobatch(tasks, WITHOUT_KEY, NO_LIMITS)).toMatchObject({
      uids: [0, 1],
      strategy: `${before} 2 because its primary key \`id\` ${differs} batch \`sku\``,
    })
  })
})

describe('the right to create the index', () => {
  const rights = (tasks: readonly (readonly [TaskRole, boolean])[], index: IndexFacts) =>
    autobatch(
      tasks.map(([next, mayCreate], uid) => candidate(uid, next, { mayCreate })),
      index,
      NO_LIMITS,
    )
  const words = (uid: number): string =>
    `stopped batching before task with id ${uid} because its index creation rules ` +
    'differ from the ones from the batch'

  it.each([
    [
      [
        ['ids', false],
        ['import', true],
      ],
      1,
    ],
    [
      [
        ['ids', false],
        ['import', false],
      ],
      2,
    ],
    [
      [
        ['filter', false],
        ['import', true],
      ],
      2,
    ],
    [
      [
        ['import', false],
        ['import', true],
      ],
      1,
    ],
    [
      [
        ['import', true],
        ['import', false],
      ],
      2,
    ],
    [
      [
        ['settings', false],
        ['settings', true],
      ],
      1,
    ],
    [
      [
        ['settings', true],
        ['settings', false],
      ],
      2,
    ],
    [
      [
        ['settings', false],
        ['clear', false],
        ['settings', true],
      ],
      2,
    ],
  ] as const)('%j without an index: %d', (tasks, count) => {
    const batch = rights(tasks, null)
    expect(batch.uids).toHaveLength(count)
    expect(batch.strategy).toBe(count === tasks.length ? null : words(count))
    expect(rights(tasks, EXISTS).uids).toHaveLength(tasks.length)
  })

  it('keeps the right of an absorbed task', () => {
    expect(
      rights(
        [
          ['import', true],
          ['clear', false],
        ],
        null,
      ).mayCreate,
    ).toBe(true)
    expect(
      rights(
        [
          ['clear', false],
          ['ids', false],
        ],
        null,
      ).mayCreate,
    ).toBe(false)
  })
})
