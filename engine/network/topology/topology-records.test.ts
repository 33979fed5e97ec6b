// Records of a change beside its task: bounded, and written only if they differ.
import { expect, it } from 'vitest'
import { asTaskUid } from '../../../format/ids.ts'
import { openManifest } from '../../store/catalog/index.ts'
import { FakeDisk } from '../../store/storage/index.ts'
import { MANIFEST_OPTIONS } from '../../testing/test-engine.ts'
import { NO_NETWORK } from '../records/index.ts'
import { placementChange, TopologyRecords } from './topology-records.ts'

async function opened() {
  const manifest = await openManifest(new FakeDisk().mount(), MANIFEST_OPTIONS)
  return { manifest, records: new TopologyRecords(manifest) }
}

it('keeps the details of the last changes', async () => {
  const { records } = await opened()
  for (let uid = 0; uid < 70; uid++) await records.setDetails(asTaskUid(uid), { uid })
  const kept = [...records.details().values()].map(({ uid }) => uid as number)
  expect(kept.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 65 }, (_, i) => i + 5))
})

it('keeps the messages of one version, and writes those that differ', async () => {
  const { manifest, records } = await opened()
  const none = { ended: [], finished: {}, routed: [], isClean: false, isDefined: false }
  expect(records.messages('v1')).toEqual({ version: 'v1', ...none })
  await records.note('v1', (known) => ({ ...known, isClean: true }))
  expect(records.messages('v1')).toEqual({ version: 'v1', ...none, isClean: true })
  expect(records.messages('v2')).toEqual({ version: 'v2', ...none })
  const { sequence } = manifest.state
  await records.note('v1', (known) => ({ ...known, isClean: true }))
  expect(manifest.state.sequence).toBe(sequence)
  await records.note('v2', (known) => ({ ...known, ended: ['b'] }))
  expect(records.messages('v1')).toEqual({ version: 'v1', ...none })
})

it('knows where documents are placed, and who brings some, until a commit ends it', async () => {
  const { manifest, records } = await opened()
  expect([records.placement, records.bringing]).toEqual([undefined, []])
  const network = { ...NO_NETWORK, version: '01980000-0000-7000-8000-000000000001' }
  await records.setPlacement(network, ['b'])
  expect([records.placement, records.bringing]).toEqual([network, ['b']])
  const again = new TopologyRecords(manifest)
  expect([again.placement, again.bringing]).toEqual([network, ['b']])
  await manifest.commit([placementChange()])
  expect(records.placement).toBeUndefined()
  await records.setPlacement(null)
  expect([records.placement, records.bringing]).toEqual([undefined, []])
})
