// Tasks of the publisher on a follower: which of them it contains, and requests that wait for one.
import { expect, it, onTestFinished } from 'vitest'
import { FakeDisk } from '../../engine/store/storage/index.ts'
import { addDocuments, documentsWithVectors, enqueue } from '../../engine/testing/test-engine.ts'
import { asIndexUid, asTaskUid } from '../../format/ids.ts'
import { openReader, openWriter, storeOf } from './test-followers.ts'

const WAIT = { ms: 60_000, signal: new AbortController().signal }

it('contains the tasks of the publisher that have ended there', { timeout: 120_000 }, async () => {
  const { options } = await storeOf()
  const writer = await openWriter(new FakeDisk(1), options)
  onTestFinished(() => writer.close())
  await addDocuments(writer, 'a', [{ id: 0 }])
  const follower = await openReader(new FakeDisk(2).mount(), options)
  onTestFinished(() => follower.close())
  const { visibility } = follower
  for (let id = 1; id <= 5; id++) {
    await addDocuments(writer, 'a', [{ id }])
    const uid = asTaskUid(id)
    const isVisible = (): boolean => visibility.newest([asIndexUid('a')]) >= uid
    expect(await visibility.until(uid, isVisible, WAIT)).toBe(true)
    expect(await documentsWithVectors(follower, 'a')).toHaveLength(id + 1)
  }
  const { uid } = await enqueue(writer, 'b', { kind: 'indexDeletion' })
  const isVisible = (): boolean => visibility.newest([asIndexUid('b')]) >= uid
  expect(await visibility.until(uid, isVisible, WAIT)).toBe(true)
})
