// Support for tests: a closed database of one index on a disk in memory, and its view.
import { openManifest } from '../../store/catalog/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import { type ViewRef, viewRef } from '../../store/views/index.ts'
import {
  addDocuments,
  changeSettings,
  MANIFEST_OPTIONS,
  openTestEngine,
} from '../../testing/test-engine.ts'

export const FILMS = [
  { id: 1, title: 'Alien ship', genre: 'horror', twin: 2, until: 500, _vectors: { e: [1, 0] } },
  { id: 2, title: 'Aliens', genre: 'war', _vectors: { e: [0, 1] } },
  { id: 3, title: 'Brazil', genre: 'war', _vectors: { e: [1, 1] } },
]

/** A text so long that segments are files of their own, and an answer with it is long. */
export const LONG = Array.from({ length: 60_000 }, (_, i) =>
  Math.imul(i, 40_503).toString(36),
).join('')

/** A closed database with the index `films`, and its view. `text`: a member of the first document. */
export async function films(text = ''): Promise<{ disk: FakeDisk; ref: ViewRef }> {
  const disk = new FakeDisk()
  const engine = await openTestEngine(disk.mount())
  await changeSettings(engine, 'films', {
    filterableAttributes: ['genre', 'twin', 'until'],
    foreignKeys: [{ foreignIndexUid: 'films', fieldName: 'twin' }],
    embedders: { e: { source: 'userProvided', dimensions: 2 } },
    expiresAtAttribute: 'until',
  })
  const [first, ...rest] = FILMS
  await addDocuments(engine, 'films', [{ ...first, text }, ...rest])
  await engine.idle()
  await engine.close()
  const manifest = await openManifest(disk.mount(), MANIFEST_OPTIONS)
  const { sequence, indexes } = manifest.state
  const ref = viewRef([...indexes.values()][0]!, sequence)
  await manifest.close()
  return { disk, ref }
}
