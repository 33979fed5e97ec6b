// Where files cannot be mapped, a merge must not keep its inputs in memory.
import { expect, it } from 'vitest'
import { defaultSettings } from '../../settings/index.ts'
import { importOf, newFileSystem, SmallIndex } from './test-support.ts'

it('a merge closes its inputs at its end', async () => {
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
