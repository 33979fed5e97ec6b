// Digests of the documents of each instance: computes its own and requests those of others.
import type {
  Engine,
  IndexDigest,
  Network,
  Remote,
  Send,
  ShardDigest,
} from '../../../engine/index.ts'
import { CorruptionError } from '../../../format/errors.ts'
import type { IndexUid } from '../../../format/ids.ts'
import {
  decodedJson,
  flag,
  identifying,
  list,
  nullable,
  number,
  object,
  open,
  text,
} from '../../../format/schema/index.ts'
import { ApiError } from '../../errors/index.ts'
import { namesInQuery } from '../../parse/index.ts'
import { type CallTimes, callRemote } from '../calls/index.ts'
import { ANSWER_BYTES_MAX, REQUEST_MS } from './limits.ts'

/** The digests of one instance. */
export type InstanceDigest = {
  /** The version of the network by which its documents are placed. */
  readonly version: string
  /** True if no index task waits or runs. */
  readonly isSettled: boolean
  readonly indexes: readonly IndexDigest[]
}

const ANSWER = open(
  object<InstanceDigest>({
    version: text,
    isSettled: flag,
    indexes: list(
      object<IndexDigest>({
        uid: identifying<IndexUid>(text),
        settings: text,
        shards: list(
          object<ShardDigest>({
            shard: nullable(text),
            next: nullable(text),
            documents: number,
            bytes: number,
            digest: text,
          }),
        ),
      }),
    ),
  }),
)

/** By instance: its digests, or the error of the call. */
export type AllDigests = ReadonlyMap<string, InstanceDigest | ApiError>

export type DigestParts = {
  readonly engine: Engine
  readonly send: Send
  readonly times: CallTimes
}

/**
 * Returns the digests of this instance; for `next` see `ReplicationPort.digests`.
 * @throws StorageError, Canceled
 */
export async function ownDigest(
  { replication, topology }: Pick<Engine, 'replication' | 'topology'>,
  next: readonly string[] | null,
  signal: AbortSignal,
  hasDocuments = true,
): Promise<InstanceDigest> {
  const wasIdle = replication.isIdle
  const indexes = await replication.digests(next, signal, hasDocuments)
  return {
    version: topology.serving.version,
    isSettled: wasIdle && replication.isIdle,
    indexes,
  }
}

/** Returns the digests of all members. @throws StorageError, Canceled */
export async function allDigests(
  parts: DigestParts,
  { self, remotes }: Pick<Network, 'self' | 'remotes'>,
  next: readonly string[] | null,
  signal: AbortSignal,
): Promise<AllDigests> {
  type Entry = readonly [name: string, digest: InstanceDigest | ApiError]
  const calls = [...remotes].map(async ([name, remote]): Promise<Entry> => {
    if (name === self) return [name, await ownDigest(parts.engine, next, signal)]
    try {
      return [name, await remoteDigest(parts, remote, next, signal)]
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      return [name, error]
    }
  })
  return new Map(await Promise.all(calls))
}

/** @throws ApiError remote_… */
async function remoteDigest(
  { send, times }: DigestParts,
  remote: Remote,
  next: readonly string[] | null,
  signal: AbortSignal,
): Promise<InstanceDigest> {
  const query = next === null ? '' : `?shards=${namesInQuery(next)}`
  const body = await callRemote(send, remote, {
    method: 'GET',
    path: `/network/digests${query}`,
    body: null,
    headers: {},
    apiKey: remote.writeApiKey,
    times: { connectMs: times.connectMs, requestMs: REQUEST_MS },
    action: 'network.update',
    answerBytesMax: ANSWER_BYTES_MAX,
    signal,
  })
  return readDigest(body)
}

/** @throws ApiError remote_bad_response */
export function readDigest(body: Uint8Array): InstanceDigest {
  try {
    return decodedJson(ANSWER, body, 'digests of an instance')
  } catch (error) {
    if (!(error instanceof CorruptionError)) throw error
    throw new ApiError('remote_bad_response', 'could not parse response from the remote host')
  }
}
