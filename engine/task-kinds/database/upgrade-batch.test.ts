// The edits of an upgrade whose new segments do not fit into one, and its end after a failure.
import { expect, it } from 'vitest'
import { MiB } from '../../../format/bytes/index.ts'
import { asSegmentNo } from '../../../format/ids.ts'
import type { Change } from '../../../format/manifest/index.ts'
import { Canceled } from '../../model/index.ts'
import {
  openManifest,
  type State,
  segmentPath,
  upgradeBegun,
  upgradeNote,
} from '../../store/catalog/index.ts'
import { drawLogSalt, FakeDisk } from '../../store/storage/index.ts'
import { addDocuments, openTestEngine } from '../../testing/test-engine.ts'
import { age } from '../../testing/test-old-segments.ts'
import type { BatchPlan } from '../../write/batching/index.ts'
import type { TaskEnvironment } from '../kind/index.ts'
import { rollBackUpgrade, runUpgrade } from './upgrade-batch.ts'

const UIDS = ['a', 'b', 'c']
const PLAN = { tasks: [{ uid: 3, hasEffect: true, content: {} }], work: {} } as never as BatchPlan

type Event = {
  /** The index at which building fails. */
  readonly failsAt?: number
  /** Whether the task is canceled while its outcome is sealed. */
  readonly cancels?: boolean
  /** An index that was removed meanwhile. */
  readonly gone?: string
}

/** Upgrades indexes whose new segments have these sizes: one kept in the edit, and one file. */
async function upgraded(bytes: readonly number[], { failsAt, cancels, gone }: Event = {}) {
  const fs = new FakeDisk().mount()
  const engine = await openTestEngine(fs)
  for (const uid of UIDS) await addDocuments(engine, uid, [{ id: 1, title: 'Harbour' }])
  await engine.idle()
  await engine.close()
  await age(fs)
  const manifest = await openManifest(fs, { version: '1.51.0', upgrade: true, drawLogSalt })
  const { state } = manifest
  const uidOf = new Map([...state.indexes.values()].map(({ index, uid }) => [index as number, uid]))
  const before = fs.list('segments').length
  const left = [...state.indexes].filter(([, { uid }]) => uid !== gone)
  const stateNow = { ...state, indexes: new Map(left) }
  const abort = new AbortController()
  const steps: string[] = []
  const edits: string[][] = []
  const touched: string[] = []
  let at = 0
  const rebuilt = async () => {
    if (at === failsAt) throw new Error('stopped')
    const segment = 1000 + at
    fs.open(segmentPath(asSegmentNo(segment), 'documents'), 'create').close()
    const location = { kind: 'inline', frame: { length: bytes[at++] } }
    const file = { segment, layer: 'documents', location: { kind: 'file', checksum: 1 } }
    const inline = { segment: segment + 100, layer: 'columns', location }
    return { segments: [file, inline], fieldsAdded: [], fieldCounts: [], vectorCounts: null }
  }
  const environment = {
    fs,
    manifest: {
      state,
      commit: async (changes: (state: State) => readonly Change[]) => {
        edits.push(
          changes(stateNow).map((change) => {
            const uid = 'index' in change ? ` ${uidOf.get(change.index)}` : ''
            return `${change.kind}${uid}`
          }),
        )
      },
    },
    views: { lease: () => ({ ref: { settings: {} }, [Symbol.dispose]: () => undefined }) },
    indexing: {
      run: (_: unknown, hooks: { progress: (finished: number, total: number) => void }) => {
        hooks.progress(1, 5)
        return rebuilt()
      },
    },
    onCommitted: () => void touched.push('committed'),
    merger: { touch: (index: number) => touched.push(uidOf.get(index)!) },
  } as unknown as TaskEnvironment
  const control = {
    signal: abort.signal,
    progress: (all: readonly { currentStep: string; finished: number; total: number }[]) => {
      steps.push(all.map((one) => `${one.currentStep} ${one.finished}/${one.total}`).join(', '))
    },
    seal: async () => {
      if (cancels === true) abort.abort()
      return { view: { uid: 5 }, payload: new Uint8Array(1) }
    },
  }
  const end = await runUpgrade(environment, PLAN, control as never).catch((error: unknown) =>
    error instanceof Canceled ? 'canceled' : (error as Error).message,
  )
  await manifest.close()
  return {
    end,
    edits: edits.map((edit) => [...new Set(edit)]),
    touched,
    steps,
    left: fs.list('segments').length - before,
  }
}

const of = (uid: string): readonly string[] => [`segment-removed ${uid}`, `segment-added ${uid}`]
const END = ['value-set', 'tasks-finished']

it('one edit replaces the segments of all indexes, and ends the upgrade and its task', async () => {
  const { end, edits, touched, left, steps } = await upgraded([32 * MiB, 32 * MiB, 64 * MiB])
  expect(end).toMatchObject({ kind: 'committed' })
  expect(edits).toEqual([[...UIDS.flatMap(of), ...END]])
  expect([touched, left]).toEqual([['committed', ...UIDS], 3])
  expect(steps).toEqual(
    UIDS.flatMap((_, i) => {
      const outer = `upgrading indexes ${i}/3`
      return [outer, `${outer}, building segments 1/5`]
    }),
  )
})

it('segments that do not fit are replaced earlier, and the note says so', async () => {
  const { edits, touched } = await upgraded([32 * MiB, 32 * MiB + 1, 1])
  expect(edits).toEqual([
    [...['a', 'b'].flatMap(of), 'value-set'],
    [...of('c'), ...END],
  ])
  expect(touched).toEqual(['committed', 'a', 'b', 'committed', 'c'])
})

it('a failure discards the new segments that no edit has', async () => {
  const failsAt = 2
  expect(await upgraded([1, 1, 1], { failsAt })).toMatchObject({
    end: 'stopped',
    edits: [],
    left: 0,
  })
  const { edits, left } = await upgraded([64 * MiB + 1, 1, 1], { failsAt })
  expect([edits, left]).toEqual([[[...of('a'), 'value-set']], 1])
})

it('a cancelation before the edit discards the new segments', async () => {
  const canceled = await upgraded([1, 1, 1], { cancels: true })
  expect(canceled).toMatchObject({ end: 'canceled', edits: [], touched: [], left: 0 })
})

it('an index that was removed meanwhile gets no segments', async () => {
  const { edits } = await upgraded([1, 1, 1], { gone: 'b' })
  expect(edits).toEqual([[...of('a'), ...of('c'), ...END]])
})

it('is rolled back only before segments were replaced', async () => {
  const fs = new FakeDisk().mount()
  const engine = await openTestEngine(fs)
  await engine.close()
  await age(fs, '1.50.1')
  const manifest = await openManifest(fs, { version: '1.51.0', upgrade: true, drawLogSalt })
  expect(upgradeNote(manifest.state)).toEqual({ from: '1.50.1', hasBegun: false })
  expect(await rollBackUpgrade(fs, manifest)).toBeNull()
  expect(upgradeNote(manifest.state)).toBeNull()
  expect(await rollBackUpgrade(fs, manifest)).toBeNull()
  await manifest.close()
  const begun = new FakeDisk().mount()
  const other = await openTestEngine(begun)
  for (const uid of ['x', 'y']) await addDocuments(other, uid, [{ id: 1, title: 'Harbour' }])
  await other.idle()
  await other.close()
  await age(begun)
  const later = await openManifest(begun, { version: '1.51.0', upgrade: true, drawLogSalt })
  await later.commit([upgradeBegun()])
  expect(await rollBackUpgrade(begun, later)).toBe(
    'Failed to rollback for index `x`: others have been upgraded already.',
  )
  expect(upgradeNote(later.state)).toEqual({ from: '1.50.0', hasBegun: true })
  await later.close()
})
