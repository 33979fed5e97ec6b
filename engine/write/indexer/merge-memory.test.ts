// Memory and files that a merge uses.
import { expect, it, vi } from 'vitest'
import { Canceled, StorageError } from '../../model/index.ts'
import { SegmentCache } from '../../read/segments/index.ts'
import { defaultSettings } from '../../settings/index.ts'
import { SEGMENTS } from '../../store/catalog/index.ts'
import { textLayer } from '../../store/layers/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import { INLINE_BYTES_MAX, SegmentSink } from './segment-sink.ts'
import { importOf, newFileSystem, SmallIndex } from './test-support.ts'

it('a merge closes its inputs at its end, because some systems cannot map them', async () => {
  const fs = newFileSystem()
  const mapFrame = fs.mapFrame.bind(fs)
  let opened = 0
  let closed = 0
  fs.mapFrame = (path, bytes) => {
    opened++
    return { ...mapFrame(path, bytes), close: () => void closed++ }
  }
  const index = new SmallIndex(defaultSettings(), fs)
  for (const batch of [0, 1]) {
    const words = (id: number) => `${id} `.repeat(20)
    const documents = Array.from({ length: 2000 }, (_, i) => ({ id: i * 2 + batch, t: words(i) }))
    await index.run([importOf(documents)])
  }
  const before = opened
  await index.merge()
  expect(opened).toBeGreaterThan(before)
  expect(closed).toBe(opened)
})

it('a merge releases the pages of its inputs while it reads them', async () => {
  // Each look at the clock finds it 40 ms later.
  let now = 0
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 40))
  const released = vi.spyOn(SegmentCache.prototype, 'releasePages')
  const index = new SmallIndex(defaultSettings(), newFileSystem())
  for (const batch of [0, 1]) {
    const words = (id: number) => `${id} `.repeat(20)
    const documents = Array.from({ length: 2000 }, (_, i) => ({ id: i * 2 + batch, t: words(i) }))
    await index.run([importOf(documents)])
  }
  expect(released).not.toHaveBeenCalled()
  await index.merge()
  expect(released.mock.calls.length).toBeGreaterThan(3)
  expect(index.view.live().size).toBe(4000)
  released.mockRestore()
  clock.mockRestore()
})

it.each(['documents', 'text', 'columns'] as const)(
  'a canceled merge of %s leaves no file',
  async (layer) => {
    const fs = newFileSystem()
    const index = new SmallIndex({ ...defaultSettings(), filterableAttributes: ['t'] }, fs)
    for (const batch of [0, 1]) await index.run([importOf([{ id: batch, t: 'word' }])])
    const files = fs.list(SEGMENTS)
    const all = [...index.state.segments.values()].filter((one) => one.layer === layer)
    expect(all).toHaveLength(2)
    const segments = all.map(({ segment }) => segment)
    const request = { kind: 'merge', view: index.ref, layer, segments } as const
    const hooks = { signal: AbortSignal.abort(), progress: () => undefined }
    await expect(index.indexing.run(request, hooks)).rejects.toBeInstanceOf(Canceled)
    expect(fs.list(SEGMENTS)).toEqual(files)
  },
)

it('a scratch file has no name, and ends with the segment', () => {
  for (const end of ['finish', 'abandon'] as const) {
    const fs = newFileSystem()
    fs.makeDirectory(SEGMENTS)
    const sink = new SegmentSink(fs, 7 as never, 'text')
    const scratch = sink.openScratch()
    let closed = 0
    const close = scratch.close.bind(scratch)
    scratch.close = () => {
      closed++
      close()
    }
    scratch.write(0, Uint8Array.of(1, 2, 3))
    const read = new Uint8Array(4)
    expect([scratch.read(0, read), [...read]]).toEqual([3, [1, 2, 3, 0]])
    expect(fs.list(SEGMENTS)).toEqual([])
    if (end === 'abandon') sink.abandon()
    else sink.finish({ documents: 1, idMin: 0, idMax: 0 })
    expect(closed).toBe(1)
  }
})

it('a merge whose scratch file does not fit on the disk leaves no file, and succeeds later', async () => {
  const disk = new FakeDisk()
  const fs = newFileSystem(disk)
  const index = new SmallIndex(defaultSettings(), fs)
  await index.run([importOf([{ id: 1, title: 'apple' }])])
  await index.run([importOf([{ id: 2, title: 'pear' }])])
  const before = fs.list(SEGMENTS)
  const merge = vi.spyOn(textLayer, 'merge').mockImplementationOnce((_, sink, { openScratch }) => {
    sink(new Uint8Array(INLINE_BYTES_MAX + 1))
    const scratch = openScratch!()
    disk.capacity = 0
    scratch.write(0, new Uint8Array(100))
    return null
  })
  await expect(index.merge()).rejects.toThrow(StorageError)
  expect(merge).toHaveBeenCalledOnce()
  expect(fs.list(SEGMENTS)).toEqual(before)
  disk.capacity = Number.POSITIVE_INFINITY
  await index.merge()
  expect(index.view.layer(textLayer)).toHaveLength(1)
  merge.mockRestore()
})
