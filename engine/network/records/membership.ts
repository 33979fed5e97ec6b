// Whether this instance is a member of the network that its database names.
import type { InstanceIdentity } from '../../store/catalog/index.ts'
import type { NetworkStore } from './store.ts'

type MembershipParts = {
  readonly identity: InstanceIdentity
  readonly network: Pick<NetworkStore, 'get' | 'update'>
  readonly leave: () => Promise<void>
  /** Receives a message for the operator. */
  readonly note: ((message: string) => void) | undefined
}

/** Leaves the network if the data are those of another instance. @throws StorageError */
export async function checkMembership(parts: MembershipParts): Promise<void> {
  const { identity, network, leave, note } = parts
  const { self, leader, leaderId } = network.get()
  const leads = leader !== null && leader === self
  if (identity.origin === 'restored' || (leads && (leaderId ?? identity.id) !== identity.id)) {
    if (self !== null) note?.(leftAs(self))
    await leave()
    await identity.confirm()
  } else if (leads && leaderId === null) {
    // A release without identities elected this leader.
    await network.update((known) => ({ ...known, leaderId: identity.id, term: 1 }))
  }
}

const leftAs = (name: string): string =>
  `The data of this database come from the instance \`${name}\` of a network. This instance is no ` +
  'member of the network until `PATCH /network` adds it.'
