// Derives the engine's options for the object store of snapshots from the launch options.

import { basename, dirname, resolve } from 'node:path'
import type { StoreOptions } from '../../engine/backup.ts'
import { RealFileSystem, readFile } from '../../engine/index.ts'
import { decoder, MiB } from '../../format/bytes/index.ts'
import type { Config } from '../config/index.ts'
import { streamingCaller } from './stream.ts'

/** A token is a few kilobytes. */
const TOKEN_BYTES_MAX = MiB

/** Returns null if snapshots go to a folder. */
export function storeOptions(config: Config): StoreOptions | null {
  const { objstoreBucketUrl: url, objstoreBucketRegion: region } = config
  const { objstoreBucketName: bucket, objstoreSnapshotPrefix: prefix } = config
  if (url === null || region === null || bucket === null || prefix === null) return null
  return {
    transport: streamingCaller(config.experimentalAllowedIpNetworks),
    url,
    region,
    bucket,
    place: { prefix, name: config.follow || basename(resolve(config.dbPath)) },
    credentials: credentialsOf(config),
    lanesMax: config.experimentalObjstoreMaxInFlightParts,
    level: config.experimentalObjstoreCompressionLevel,
    partBytes: config.experimentalObjstoreMultipartPartSize,
    signatureSeconds: config.experimentalObjstoreSignatureDurationSeconds,
    incremental: config.objstoreIncremental,
    retain: config.objstoreRetention,
    now: Date.now,
  }
}

function credentialsOf(config: Config): StoreOptions['credentials'] {
  const { objstoreAccessKey: accessKey, objstoreSecretKey: secretKey } = config
  if (accessKey !== null && secretKey !== null) return { kind: 'keys', accessKey, secretKey }
  const file = resolve(config.experimentalObjstoreWebIdentityTokenFile ?? '')
  return {
    kind: 'role',
    arn: config.experimentalObjstoreRoleArn ?? '',
    readToken: () => {
      const bytes = readFile(new RealFileSystem(dirname(file)), basename(file), TOKEN_BYTES_MAX)
      return Promise.resolve(decoder.decode(bytes))
    },
    durationSeconds: config.experimentalObjstoreWebIdentityTokenDurationSeconds,
  }
}
