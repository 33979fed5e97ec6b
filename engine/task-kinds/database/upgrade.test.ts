// Databases with segments of an older analysis: refused, or rebuilt by a task.
import { describe, expect, it, onTestFinished } from 'vitest'
import { openManifest, segmentPath } from '../../store/catalog/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import {
  addDocuments,
  allTasks,
  MANIFEST_OPTIONS,
  openTestEngine,
  searchFor,
  type TestEngine,
} from '../../testing/test-engine.ts'
import { age } from '../../testing/test-old-segments.ts'
import { ANALYSIS_VERSION } from '../../text/index.ts'
import { oldIndexes } from './upgrade.ts'

async function oldDisk(
  indexes: readonly string[],
  analysis = 0,
  title = 'Harbour',
): Promise<FakeDisk> {
  const disk = new FakeDisk()
  const engine = await openTestEngine(disk.mount())
  for (const uid of indexes) await addDocuments(engine, uid, [{ id: 1, title }])
  await engine.idle()
  await engine.close()
  await age(disk.mount(), '1.50.0', analysis)
  return disk
}

const opened = async (disk: FakeDisk, options: object = {}): Promise<TestEngine> => {
  const engine = await openTestEngine(disk.mount(), options)
  onTestFinished(() => engine.close())
  return engine
}

describe('old segments', () => {
  it.each([
    [['a'], /index `a`\), which is incompatible/],
    [['a', 'b', 'c'], /index `a` and 2 more\), which is incompatible/],
  ])('of %j are refused', async (indexes, message) => {
    const disk = await oldDisk(indexes)
    await expect(opened(disk)).rejects.toMatchObject({ code: 'version', message })
  })

  it('of this analysis are not old, and those of a later one are refused always', async () => {
    const engine = await opened(await oldDisk(['a'], ANALYSIS_VERSION))
    expect(await allTasks(engine)).toHaveLength(1)
    const later = await oldDisk(['a'], ANALYSIS_VERSION + 1)
    for (const upgrade of [true, false]) {
      await expect(opened(later, { upgrade })).rejects.toMatchObject({
        code: 'version',
        message: /Downgrade is not supported/,
      })
    }
  })

  it('are rebuilt index by index, and the watcher sees the progress', async () => {
    const disk = await oldDisk(['a', 'b'])
    const steps: string[] = []
    const onProgress = (
      all: readonly { currentStep: string; finished: number; total: number }[],
    ): void => {
      steps.push(all.map((one) => `${one.currentStep} ${one.finished}/${one.total}`).join(', '))
    }
    const engine = await openTestEngine(disk.mount(), { upgrade: true, onProgress })
    await engine.idle()
    const last = (await allTasks(engine)).at(-1)!
    expect(last).toMatchObject({ kind: 'upgradeDatabase', status: 'succeeded' })
    for (const uid of ['a', 'b']) {
      expect((await searchFor(engine, uid, { q: 'harbuor' })).hits).toHaveLength(1)
    }
    expect(steps.filter((step) => !step.includes(','))).toEqual([
      'upgrading indexes 0/2',
      'upgrading indexes 1/2',
    ])
    await engine.close()
    // Nothing is old any more.
    const again = await openTestEngine(disk.mount())
    await again.idle()
    expect(await allTasks(again)).toHaveLength(3)
    await again.close()
  })

  it('that are large are read from their files, each by itself', async () => {
    const words = Array.from({ length: 9000 }, (_, i) => ((i * 7919) % 99_991).toString(36))
    const shown = async (analysis: number, isCut: boolean) => {
      const disk = await oldDisk(['a', 'b', 'c'], analysis, words.join(' '))
      const fs = disk.mount()
      const manifest = await openManifest(fs, MANIFEST_OPTIONS)
      const { state } = manifest
      await manifest.close()
      const b = [...state.indexes.values()].find(({ uid }) => uid === 'b')!
      const text = [...b.segments.values()].find(({ layer }) => layer === 'text')!
      expect(text.location.kind).toBe('file')
      // The memory still holds the bytes of the segment before, which has the same length.
      if (isCut) {
        const path = segmentPath(text.segment, 'text')
        fs.remove(path)
        fs.open(path, 'create').close()
      }
      return oldIndexes(fs, state).map(({ index, layers }) => [index.uid, ...layers])
    }
    const [a, b, c] = ['a', 'b', 'c'].map((uid) => [uid, 'text'])
    expect(await shown(0, false)).toEqual([a, b, c])
    expect(await shown(0, true)).toEqual([a, c])
    expect(await shown(ANALYSIS_VERSION, false)).toEqual([])
  })

  it('that are damaged are not taken for old ones', async () => {
    const disk = await oldDisk(['a'], ANALYSIS_VERSION)
    const fs = disk.mount()
    for (const name of fs.list('segments')) {
      const file = fs.open(`segments/${name}`, 'write')
      file.write(0, new Uint8Array(64))
      file.close()
    }
    const engine = await opened(disk)
    expect(await allTasks(engine)).toHaveLength(1)
  })
})
