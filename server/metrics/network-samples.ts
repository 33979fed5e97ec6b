// Values about the other instances of the network.
import type { MetricName } from './metrics.table.ts'
import type { Sample } from './samples.ts'

type Row = readonly [MetricName, readonly Sample[]]

type RemoteMeasure = {
  readonly remote: string
  readonly isAvailable: boolean
  readonly shards: number
  readonly backlog: { readonly tasks: number; readonly bytes: number } | null
  readonly isStale: boolean
  readonly calls: {
    readonly calls: number
    readonly seconds: number
    readonly errors: { readonly [kind: string]: number }
  } | null
}

export type RemoteMeasures = {
  readonly remotes: readonly RemoteMeasure[]
  /** The name of this instance, or null if it is in no network. */
  readonly self: string | null
  /** null if this instance does not know it. */
  readonly areReplicasEqual: boolean | null
}

export function networkSamples({
  remotes,
  self,
  areReplicasEqual,
}: RemoteMeasures): readonly Row[] {
  const each = (name: MetricName, read: (one: RemoteMeasure) => number | null): Row => [
    name,
    remotes.flatMap((one) => {
      const value = read(one)
      return value === null ? [] : [{ labels: { remote: one.remote }, value }]
    }),
  ]
  const errors = remotes.flatMap(({ remote, calls }) =>
    Object.entries(calls?.errors ?? {}).map(([kind, value]) => ({
      labels: { remote, kind },
      value,
    })),
  )
  return [
    each('network_remote_calls_total', ({ calls }) => calls?.calls ?? null),
    each('network_remote_call_seconds_total', ({ calls }) => calls?.seconds ?? null),
    ['network_remote_errors_total', errors],
    each('network_remote_available', ({ isAvailable }) => (isAvailable ? 1 : 0)),
    each('network_remote_shards', ({ shards }) => shards),
    each('network_remote_backlog_tasks', ({ backlog }) => backlog?.tasks ?? null),
    each('network_remote_backlog_bytes', ({ backlog }) => backlog?.bytes ?? null),
    each('network_remote_stale', ({ isStale }) => (isStale ? 1 : 0)),
    [
      'network_replicas_equal',
      // Without a sample the metric would be 0, which would be wrong here.
      areReplicasEqual === null
        ? []
        : [{ labels: { leader: self ?? '' }, value: areReplicasEqual ? 1 : 0 }],
    ],
  ]
}
