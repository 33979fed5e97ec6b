// Files that a state does not name.
import { expect, it } from 'vitest'
import { asIndexUid } from '../../../format/ids.ts'
import { FakeDisk } from '../storage/index.ts'
import { segmentName } from './names.ts'
import { openManifest } from './open-manifest.ts'
import { sweep } from './sweep.ts'

it('are those of no segment, or of one that lies inside the manifest', async () => {
  const manifest = await openManifest(new FakeDisk().mount(), {
    version: '1.0.0',
    upgrade: false,
    drawLogSalt: () => 1,
  })
  const index = manifest.takeIndex()
  const [file, inline] = [manifest.takeSegment(), manifest.takeSegment()]
  const entry = { documents: 1, idMin: 0, idMax: 0, bytes: 1 } as const
  const frame = new Uint8Array(1)
  const uid = asIndexUid('films')
  await manifest.commit([
    { kind: 'index-created', index, uid, primaryKey: null, at: 1, settings: '{}' },
    {
      kind: 'segment-added',
      index,
      segment: file,
      layer: 'text',
      ...entry,
      location: { kind: 'file', checksum: 1 },
    },
    {
      kind: 'segment-added',
      index,
      segment: inline,
      layer: 'columns',
      ...entry,
      location: { kind: 'inline', frame },
    },
  ])
  const [named, left, other] = [
    segmentName(file, 'text'),
    segmentName(inline, 'columns'),
    segmentName(file, 'columns'),
  ]
  expect(sweep(manifest.state, [named, left, other, 'x.tmp'])).toEqual([left, other, 'x.tmp'])
  expect(sweep(manifest.state, [])).toEqual([])
  await manifest.close()
})
