// Instances that publish into a simulated object store or follow it, with and without the lease of
// the writer, as `program.ts` starts them.
import { type EngineOptions, openEngine, openFollower } from '../../../engine/index.ts'
import { FakeDisk } from '../../../engine/store/storage/index.ts'
import { type Config, readConfig } from '../../../server/config/index.ts'
import {
  followOptions,
  launchFeatures,
  publishOptions,
  type RoleParts,
  Roles,
  run,
} from '../../../server/launch/index.ts'
import { storeOptions } from '../../../server/outbound/index.ts'
import type { Process, Serve, Served } from './instance.ts'
import { BUCKET, REGION, type SimulatedStore, STORE_KEY } from './store.ts'

export type StandbyKind = 'publisher' | 'follower' | 'writer' | 'standby'
export type Configs = { readonly [kind in StandbyKind]: Config }

const LEASE_S = '3'
const STORE = {
  SVC_HTTP_ADDR: '127.0.0.1:7700',
  SVC_DB_PATH: '/simulated/db',
  SVC_OBJSTORE_BUCKET_URL: 'http://store:9000',
  SVC_OBJSTORE_BUCKET_REGION: REGION,
  SVC_OBJSTORE_BUCKET_NAME: BUCKET,
  SVC_OBJSTORE_SNAPSHOT_PREFIX: 'some/where',
  SVC_OBJSTORE_ACCESS_KEY: STORE_KEY,
  SVC_OBJSTORE_SECRET_KEY: STORE_KEY,
}
const LEASED = {
  ...STORE,
  SVC_OBJSTORE_WRITER_LEASE: LEASE_S,
  SVC_OBJSTORE_PUBLISH: 'sync',
  SVC_OBJSTORE_PUBLISH_INTERVAL: '1',
}
const FOLLOWING = { SVC_FOLLOW: 'objstore:db', SVC_FOLLOW_POLL_INTERVAL: '1' }
const VARIABLES = {
  publisher: { ...STORE, SVC_OBJSTORE_PUBLISH_INTERVAL: '1' },
  follower: { ...STORE, ...FOLLOWING },
  writer: LEASED,
  standby: { ...LEASED, ...FOLLOWING, SVC_FOLLOW_STANDBY: 'true' },
}

let configs: Configs | null = null

/** Reads the options of all kinds; this takes real time. */
export async function readStandbyConfigs(): Promise<Configs> {
  if (configs !== null) return configs
  const kinds = Object.entries(VARIABLES).map(
    async ([kind, variables]) => [kind, await readConfig(new Map(), variables)] as const,
  )
  configs = Object.fromEntries(await Promise.all(kinds)) as Configs
  return configs
}

export const serveStandby =
  (config: Config, store: SimulatedStore): Serve =>
  async (process) => {
    const { log, make, line, send, tampered } = process
    const transport = store.transport(line)
    const options = withStore(process, config, transport)
    const serve: RoleParts['serve'] = (engine, before) =>
      run(config, tampered(engine), log, null, before ?? make, null, send)
    const target = options.snapshots!.store!
    if (config.objstoreWriterLease !== null) {
      const leaseMs = config.objstoreWriterLease * 1000
      const { exit } = process
      const parts = { config, leaseMs, options, store: target, transport, log, serve, exit }
      return served(await Roles.start(parts))
    }
    if (config.follow === null) {
      const publish = publishOptions(config, options, log, null, transport)
      return serve(await openEngine({ ...options, ...publish }), null)
    }
    const follow = followOptions(config, options.version, log, transport)!
    return serve(await openFollower({ ...options, follow, alwaysOn: launchFeatures(config) }), null)
  }

const served = (roles: Roles): Served => ({
  get engine() {
    return roles.running.engine
  },
  stop: () => roles.stop(),
})

function withStore(
  { options }: Process,
  config: Config,
  transport: RoleParts['transport'],
): EngineOptions {
  const store = { ...storeOptions(config)!, transport }
  const outside = new FakeDisk().mount()
  const snapshots = { store, folder: '/snapshots', name: 'db', compact: false }
  return { ...options, snapshots: { ...snapshots, outside: () => outside } }
}
