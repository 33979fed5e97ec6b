// Another instance that publishes to the place of a writer: it is refused, and changes nothing.
import assert from 'node:assert/strict'
import { untilHolds } from './ask.ts'
import { type FireStore, StoreWay } from './fire-store.ts'
import { Instance, MARKER } from './follow-instance.ts'
import { storeWords } from './snapshot-kill.ts'

const REFUSED_MS_MAX = 60_000

export type IntruderOptions = {
  readonly store: FireStore
  readonly name: string
  readonly root: string
  /** Options of publishing. */
  readonly words: readonly string[]
  /** Fills its folder before it starts. */
  readonly prepare: (other: Instance) => Promise<void>
}

/** @throws AssertionError, Error if it publishes, or is not refused */
export async function intrude(options: IntruderOptions): Promise<void> {
  const { store, name, root, words, prepare } = options
  const way = await StoreWay.start(store)
  const other = new Instance({ name, root, words: [...storeWords(way.url, false), ...words] })
  try {
    await prepare(other)
    await other.start()
    const body = [{ id: 1, version: -1 }]
    await other.client!.ask('POST', `/indexes/${MARKER}/documents`, { body })
    await untilHolds('another publisher is refused', REFUSED_MS_MAX, async () => {
      const { publishes } = await other.publication()
      return publishes?.isRefused === true
    })
    await other.stop()
    assert.deepEqual(way.changes, [], 'what another publisher changed in the store')
  } finally {
    await other.kill()
    way.stop()
  }
  other.wipe()
}
