// The views of a database: what searches are told, and the files of retired views.
import { expect, test } from 'vitest'
import { asIndexNo, asSegmentNo } from '../../format/ids.ts'
import type { Change } from '../../format/manifest/index.ts'
import { applied, stateOf } from '../task-kinds/kind/test-states.ts'
import { type LiveParts, LiveViews } from './live-views.ts'

const FIRST = asIndexNo(1)

function world() {
  const calls: unknown[] = []
  const reports: string[] = []
  const manifest = { state: stateOf(['a']) }
  const removed: string[] = []
  let failure: Error | null = null
  const live = new LiveViews({
    fs: {
      removeAsync: async (path: string) => {
        if (failure !== null) throw failure
        removed.push(path)
      },
    },
    manifest,
    searching: {
      announce: ({ index }: { readonly index: number }) => void calls.push(['announce', index]),
      setRules: (rules: readonly unknown[]) => void calls.push(['rules', rules.length]),
      forget: (views: readonly object[], segments: readonly number[]) =>
        void calls.push(['forget', views.length, segments]),
    },
    indexing: { forget: (segments: readonly number[]) => void calls.push(['unmap', segments]) },
    options: { report: (message: string) => void reports.push(message) },
  } as unknown as LiveParts)
  const commit = (...changes: Parameters<typeof applied>[1]) => {
    manifest.state = applied(manifest.state, changes)
    live.publish()
    return calls.splice(0)
  }
  return { live, commit, removed, reports, fail: (error: Error) => void (failure = error) }
}

const added = (segment: number, isFile: boolean): Change => ({
  kind: 'segment-added',
  index: FIRST,
  segment: asSegmentNo(segment),
  layer: 'documents',
  documents: 1,
  idMin: 0,
  idMax: 0,
  bytes: 1,
  location: isFile ? { kind: 'file', checksum: 1 } : { kind: 'inline', frame: new Uint8Array(1) },
})
const gone = (segment: number) =>
  ({ kind: 'segment-removed', index: FIRST, segment: asSegmentNo(segment) }) as const

test('a commit announces changed views, and rules only if they change', () => {
  const { commit, live } = world()
  expect(commit().filter((call) => (call as readonly string[])[0] !== 'announce')).toHaveLength(1)
  expect(commit()).toEqual([])
  expect(commit(added(1, true))).toContainEqual(['announce', 1])
  expect(live.isInUse('000001.docs')).toBe(true)
  expect(live.isInUse('000002.docs')).toBe(false)
})

test('files of a retired view are removed when no search reads them; inline segments have no file', async () => {
  const { commit, live, removed } = world()
  commit(added(1, true), added(2, false))
  const lease = live.views.lease(FIRST)!
  commit(gone(1), gone(2))
  await live.cleaned()
  expect([removed, live.isInUse('1')]).toEqual([[], true])
  lease.release()
  const calls = commit()
  expect(calls).toContainEqual(['forget', 1, [1, 2]])
  expect(calls).toContainEqual(['unmap', [1, 2]])
  await live.cleaned()
  expect(removed).toEqual(['segments/000001.docs'])
  expect(live.isInUse('1')).toBe(false)
})

test('a file that cannot be removed is reported', async () => {
  const { commit, live, reports, fail } = world()
  commit(added(1, true))
  fail(new Error('no'))
  commit(gone(1))
  await live.cleaned()
  expect(reports).toEqual([expect.stringMatching(/^The file segments\/.* could not be removed\.$/)])
})
