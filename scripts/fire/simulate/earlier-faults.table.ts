// Seeds in which earlier releases had a fault. Runs by `--hours` begin with them.
export const EARLIER_FAULTS = [
  ['a change whose manifest cannot be written', 'network', 2137],
  ['a change that ends with the backlog of a leader', 'network', 2189],
  ['a change whose records fail after its task is durable', 'network', 40_013],
  ['both owners of a shard that are away at the same time', 'network', 41_090],
  ['an instance that is away after the removal of another one was canceled', 'network', 40_343],
  ['an instance that gets a change behind tasks of ended ones', 'network', 78_267],
  ['a shard whose owners both lack writes, one of them in a resync', 'network', 40_541],
  ['tasks of an instance that are dropped while its shards are sent again', 'network', 20_111],
  ['a write that is canceled while its last owner is away', 'network', 81_110],
  ['a read on an instance that lacks writes and is removed', 'network', 82_889],
  ['an instance that lacks a deletion of an index and is removed', 'network', 85_445],
  ['a power failure during a message about the end of a change', 'network', 86_816],
  [
    'a read on an instance whose tasks were dropped while it got its shards again',
    'network',
    86_261,
  ],
  ['a canceled removal of the only instance that lacks no writes', 'network', 93_221],
  ['a disk that fails while a standby takes over', 'followers', 20_043],
  ['a disk that fails while a writer becomes a follower', 'followers', 82_425],
] as const
