// The form of every kind in dumps: a waiting task is read back as it was, and the details of a
// finished one stay as clients saw them.
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { asIndexUid, asTaskUid } from '../../format/ids.ts'
import { IdSet } from '../../format/idset/index.ts'
import { decodeEnqueued, encodeEnqueued } from '../../format/tasks/index.ts'
import { finishedDetails } from '../write/task-data/kinds.ts'
import type { Task, TaskDetails } from '../write/task-data/types.ts'
import { TASK_KINDS, type TaskContent, taskKinds } from './index.ts'

const name = fc.constantFrom('pens', 'ink', 'a-b')
const json = fc.jsonValue({ maxDepth: 3 })
const key = fc.option(fc.constantFrom('id', 'sku'))
const texts = fc.array(fc.string({ maxLength: 5 }), { maxLength: 4 })
const uids = fc.uniqueArray(fc.nat(100_000), { maxLength: 8 })
const targets = uids.map((all) => IdSet.of(all))
const version = fc.tuple(fc.nat(9), fc.nat(60), fc.nat(9)).map((parts) => `v${parts.join('.')}`)
const object = fc.dictionary(fc.constantFrom('a', 'b', 'c'), json)

type Generators = {
  readonly [K in TaskContent['kind']]: fc.Arbitrary<Extract<TaskContent, { kind: K }>>
}

const NO_BODY = { file: null, inline: new Uint8Array(0), bytes: 0, documents: 0 }

/** Contents whose parts a dump can hold: of an import all but its body and `skipCreation`. */
const CONTENTS: Generators = {
  documentAdditionOrUpdate: fc.record({
    kind: fc.constant('documentAdditionOrUpdate'),
    method: fc.constantFrom('replace', 'update'),
    body: fc.constant(NO_BODY),
    primaryKey: key,
    skipCreation: fc.constant(false),
    allowIndexCreation: fc.boolean(),
  }),
  documentDeletion: fc.oneof(
    fc.record({
      kind: fc.constant('documentDeletion' as const),
      by: fc.constant('ids' as const),
      ids: texts,
    }),
    fc.record({
      kind: fc.constant('documentDeletion' as const),
      by: fc.constant('filter' as const),
      filter: json,
    }),
    fc.constant({ kind: 'documentDeletion', by: 'all' } as const),
  ),
  documentEdition: fc.record({
    kind: fc.constant('documentEdition'),
    filter: json,
    context: fc.option(object),
    function: fc.string(),
  }),
  settingsUpdate: fc.record({
    kind: fc.constant('settingsUpdate'),
    patch: fc.record({ stopWords: fc.option(texts), facetSearch: fc.boolean() }),
    isDeletion: fc.boolean(),
    allowIndexCreation: fc.boolean(),
  }),
  indexCreation: fc.record({ kind: fc.constant('indexCreation'), primaryKey: key }),
  indexDeletion: fc.constant({ kind: 'indexDeletion' }),
  indexUpdate: fc.record({
    kind: fc.constant('indexUpdate'),
    primaryKey: key,
    newUid: fc.option(name.map(asIndexUid)),
  }),
  indexSwap: fc.record({
    kind: fc.constant('indexSwap'),
    swaps: fc.array(
      fc.record({
        indexes: fc.tuple(name.map(asIndexUid), name.map(asIndexUid)),
        rename: fc.boolean(),
      }),
    ),
  }),
  taskCancelation: fc.record({ kind: fc.constant('taskCancelation'), query: fc.string(), targets }),
  taskDeletion: fc.record({ kind: fc.constant('taskDeletion'), query: fc.string(), targets }),
  dumpCreation: fc.record({
    kind: fc.constant('dumpCreation'),
    keys: fc.array(object),
    instanceUid: fc.option(fc.uuid()),
  }),
  snapshotCreation: fc.constant({ kind: 'snapshotCreation' }),
  export: fc.record({
    kind: fc.constant('export'),
    url: fc.webUrl(),
    apiKey: fc.option(fc.string()),
    payloadSize: fc.option(fc.constantFrom('24 MiB', '1 KiB')),
    indexes: fc.dictionary(
      fc.constantFrom('*', 'pens*'),
      fc.record({ filter: json, overrideSettings: fc.boolean() }),
    ),
  }),
  upgradeDatabase: version.map((from) => ({ kind: 'upgradeDatabase', from, to: from })),
  indexCompaction: fc.constant({ kind: 'indexCompaction' }),
  networkTopologyChange: object.map((change) => ({ kind: 'networkTopologyChange', change })),
  dsrUpdate: fc.record({
    kind: fc.constant('dsrUpdate'),
    uid: name,
    rule: fc.option(object),
  }),
  dsrClear: fc.constant({ kind: 'dsrClear' }),
}

/** Members of a successful task beside those it was enqueued with. */
const RESULTS: { readonly [K in TaskContent['kind']]?: TaskDetails } = {
  documentAdditionOrUpdate: { indexedDocuments: 3 },
  documentDeletion: { deletedDocuments: 2 },
  documentEdition: { editedDocuments: 5, deletedDocuments: 1 },
  indexDeletion: { deletedDocuments: 7 },
  taskCancelation: { canceledTasks: 1 },
  taskDeletion: { deletedTasks: 1 },
  dumpCreation: { dumpUid: '20240808-090113348' },
  indexCompaction: { preCompactionSize: '2 KiB', postCompactionSize: '1 KiB' },
  networkTopologyChange: { movedDocuments: 4, message: 'Finished' },
  dsrClear: { deletedDocuments: 2 },
}

/** What survives a file: JSON, without the difference of `undefined` and absent. */
const written = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** Splits what a dump writes: a tag alone, or an object with one tag. */
function tagged(value: unknown): readonly [tag: string, members: { [name: string]: unknown }] {
  if (typeof value === 'string') return [value, {}]
  const [[tag, members] = ['', {}]] = Object.entries(value as object)
  return [tag, members as { [name: string]: unknown }]
}

/** Sets of ids by their elements, members in any order. */
const comparable = (content: object): unknown =>
  written(Object.entries(content).map(([k, v]) => [k, v instanceof IdSet ? [...v.toArray()] : v]))

describe.each(TASK_KINDS)('%s in a dump', (kindName) => {
  const kind = taskKinds.named(kindName)
  const generator = CONTENTS[kindName] as fc.Arbitrary<TaskContent>
  const task = { indexUid: 'pens', uid: 7 } as unknown as Task

  it('is read back as it was while it waits', () => {
    fc.assert(
      fc.property(generator, (content) => {
        const [tag, members] = tagged(written(kind.dump.type(content as never, task)))
        const again = kind.dump.tags[tag]!(members, 'here')
        expect(comparable(again)).toEqual(comparable({ ...content }))
      }),
      { numRuns: 12 },
    )
  })

  it('keeps the details of a finished task', () => {
    fc.assert(
      fc.property(generator, (content) => {
        const request = { indexUid: asIndexUid('pens'), content, customMetadata: null }
        const record = { ...taskKinds.recordOf(asTaskUid(7), 1000, request) }
        const view = decodeEnqueued(encodeEnqueued(record))
        const names = content.kind === 'indexSwap' ? content.swaps.flatMap((s) => s.indexes) : []
        const enqueued = taskKinds.enqueuedDetails(view, names)
        const details = finishedDetails(kind, 'succeeded', enqueued, RESULTS[kindName] ?? null)
        const dumped = kind.dump.details(written(details ?? {}) as never, content as never)
        if (details === null || dumped === null) {
          expect([details, kind.dump.hasNoDetails]).toEqual([null, true])
          return
        }
        const [tag, members] = tagged(written(dumped))
        const shown = kind.dump.detailsTags[tag]!(members, 'here')
        // Numbers of ids stand in for filters and the reverse: dumps of deletions hold one of them.
        const { providedIds: _, ...rest } = written(details) as TaskDetails
        expect(shown).toMatchObject(rest)
        // The request is not needed for the form of a finished task.
        expect(() => kind.dump.typeOfDetails(written(details) as never, task)).not.toThrow()
      }),
      { numRuns: 12 },
    )
  })
})
