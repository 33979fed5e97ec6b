// Which of some tasks are writes.
import { expect, it } from 'vitest'
import { asTaskUid } from '../../../format/ids.ts'
import { LocalReplication } from './replication.ts'

it('leaves out changes of the network, and tasks that are gone', async () => {
  const named = ['indexCreation', 'networkTopologyChange', 'documentAdditionOrUpdate']
  const enqueuedView = async (uid: number) => (uid < named.length ? { kind: uid } : null)
  const replication = new LocalReplication(
    { queue: { lists: { enqueuedView } } } as never,
    { of: (kind: number) => ({ name: named[kind] }) } as never,
  )
  expect(await replication.writesOf([2, 1, 0, 3].map(asTaskUid))).toEqual([2, 0])
  expect(await replication.writesOf([])).toEqual([])
})
