// Changes of the network by clients: checked on this instance and on all remotes, then registered
// as a task and sent to all of them; and the copies of such changes on other instances.
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AcceptedTask,
  type Engine,
  lastCopy,
  mergeNetwork,
  type Network,
  type NetworkPatch,
  NO_NETWORK,
  type Remote,
  type ResyncLists,
  resyncable,
  type Send,
  type TaskOrigin,
} from '../../../engine/index.ts'
import type { TaskUid } from '../../../format/ids.ts'
import { ApiError } from '../../errors/index.ts'
import type { NetworkBody } from '../../parse/index.ts'
import { urlProblem } from '../../parse/schema/index.ts'
import {
  type CallTimes,
  callRemote,
  describedRemote,
  type InstanceDescription,
  MESSAGE_MS,
  ownDescription,
} from '../calls/index.ts'
import { ANSWER_BYTES_MAX, readDigest } from '../repair/index.ts'
import {
  type ChangeLists,
  checkAddresses,
  type Described,
  nextLeadership,
  type Replicator,
} from '../writes/index.ts'
import { checkJoiningIndexes, type Definitions, joining } from './joining-indexes.ts'

/** Number of remotes that are called at the same time. */
const CALLS_AT_ONCE = 40
/** Milliseconds between looks whether remotes have canceled tasks. */
const LOOK_MS = 50

export type ChangeParts = {
  readonly engine: Engine
  readonly send: Send
  readonly times: CallTimes
  readonly replicator: Replicator
  /** Returns a new UUID of version 7. */
  readonly newVersion: () => string
}

/** The result of a change: the network if it has no leader, else the task. */
export type Changed = { readonly network: Network } | { readonly task: AcceptedTask }

export class NetworkChanges {
  readonly #parts: ChangeParts
  /** Changes run one after another: each is checked against the result of the previous one. */
  #last: Promise<unknown> = Promise.resolve()

  constructor(parts: ChangeParts) {
    this.#parts = parts
  }

  /** @throws EngineFault, ApiError */
  change(patch: NetworkPatch): Promise<Changed> {
    const next = this.#last.then(() => this.#change(patch))
    this.#last = next.catch(reportedToClient)
    return next
  }

  async #change(patch: NetworkPatch): Promise<Changed> {
    const { engine, newVersion } = this.#parts
    await engine.topology.resume()
    const before = engine.network.get()
    const version = laterThan(before.version, newVersion)
    const after = mergeNetwork(before, patch, { version, urlProblem })
    if (after.leader === null) return { network: await engine.network.update(() => after) }
    const pending = engine.topology.change
    if (pending !== null) throw unprocessed('', pending.uid)
    const { absent, described } = await this.#checkRemotes(before, after)
    const led = { ...after, ...nextLeadership(engine.identity.id, before, described) }
    await this.#checkJoining(before, led)
    return { task: await this.#register(before, led, { absent, described }) }
  }

  /**
   * Registers a change that sends stale remotes their shards again; returns its task, or null if no
   * remote can receive them. @throws EngineFault, ApiError if a member does not answer
   */
  resync(): Promise<AcceptedTask | null> {
    const next = this.#last.then(() => this.#resync())
    this.#last = next.catch(reportedToClient)
    return next
  }

  async #resync(): Promise<AcceptedTask | null> {
    const { engine, newVersion } = this.#parts
    await engine.topology.resume()
    const before = engine.network.get()
    const isLeader = before.leader !== null && before.leader === before.self
    if (!isLeader || engine.topology.change !== null) return null
    const after = { ...before, version: laterThan(before.version, newVersion) }
    if (this.#resyncs(after, []).renewed.length === 0) return null
    const { absent, described } = await this.#checkRemotes(before, after)
    const led = { ...after, ...nextLeadership(engine.identity.id, before, described) }
    return this.#register(before, led, { absent, described })
  }

  /** The documents are where they are searched, also after a change that was canceled. */
  #resyncs(after: Network, absent: readonly string[]): ResyncLists {
    const { replication, topology } = this.#parts.engine
    return resyncable({ before: topology.serving, after, absent }, replication.stale())
  }

  /**
   * Returns remotes that lack writes: those that leave and whose shards other owners have, and those
   * that stay and do not get their shards again.
   */
  #outvoted(
    after: Network,
    absent: readonly string[],
    { renewed }: ResyncLists,
  ): readonly string[] {
    const { replication, topology } = this.#parts.engine
    const before = topology.serving
    const stale = replication.stale()
    const recoverable = resyncable({ before, after: before, absent }, stale).renewed
    const lacking = [...stale].flatMap(([name, { shards }]) => (shards === undefined ? [name] : []))
    return lacking.filter((name) => {
      if (name === after.leader) return false
      return after.remotes.has(name) ? !renewed.includes(name) : recoverable.includes(name)
    })
  }

  async #register(
    before: Network,
    after: Network,
    { absent, described }: Answers,
  ): Promise<AcceptedTask> {
    const { engine, replicator } = this.#parts
    const bringing = joining(before, after).filter((name) => described.get(name)?.hasDocuments)
    const names = new Set([...before.remotes.keys(), ...after.remotes.keys()])
    names.delete(after.self ?? '')
    const network = { kind: 'leader', version: after.version, remotes: [...names] } as const
    await this.#untilCanceled([...names].filter((name) => !absent.includes(name)))
    const task = await replicator.inTurn(() => {
      this.#checkCopies(after, absent)
      const resyncs = this.#resyncs(after, absent)
      const outvoted = this.#outvoted(after, absent, resyncs)
      const lists = { absent: [...new Set([...absent, ...outvoted])].sort(), ...resyncs, bringing }
      return engine.topology.register({ before, after, ...lists, isReturning: false }, network)
    })
    await replicator.replicate(task.uid, network)
    return task
  }

  /**
   * Waits until remotes have canceled what was canceled here, for as long as two messages may take:
   * one that has run it would send its documents to others. @throws ApiError remote_timeout
   */
  async #untilCanceled(remotes: readonly string[]): Promise<void> {
    const { engine, times } = this.#parts
    const { replication } = engine
    const limitMs = 2 * Math.min(times.requestMs, MESSAGE_MS)
    for (let ms = 0; ; ms += LOOK_MS) {
      const due = await Promise.all(remotes.map((name) => replication.canceledDue(name)))
      const name = remotes.find((_, i) => due[i]!.length > 0)
      if (name === undefined) return
      if (ms >= limitMs) {
        throw new ApiError(
          'remote_timeout',
          `Remote \`${name}\` has not yet canceled tasks that were canceled here.\n` +
            '  - Hint: Repeat the request, or look at `lastError` in `GET /network/status`.',
        )
      }
      await sleep(LOOK_MS)
    }
  }

  /** Checks that every remote can take part. @throws ApiError */
  async #checkRemotes(before: Network, after: Network): Promise<Answers> {
    const all = new Map([...before.remotes, ...after.remotes])
    const absent: string[] = []
    const described = new Map<string, InstanceDescription>()
    const names = [...all.keys()]
    for (let i = 0; i < names.length; i += CALLS_AT_ONCE) {
      const calls = names.slice(i, i + CALLS_AT_ONCE).map(async (name) => {
        try {
          const description = await this.#describe(name, all.get(name)!)
          if (description !== null) described.set(name, description)
        } catch (error) {
          const isLeaving = !after.remotes.has(name)
          const isUnreachable = error instanceof ApiError && UNREACHABLE.has(error.code)
          if (!isLeaving || !isUnreachable) throw error
          absent.push(name)
        }
      })
      await Promise.all(calls)
    }
    const members = new Map([...described].filter(([name]) => after.remotes.has(name)).sort())
    checkAddresses(ownDescription(this.#parts.engine), after.self, members)
    return { absent: absent.sort(), described: members }
  }

  /** Checks that no remote leaves that alone has all writes of a shard. @throws ApiError */
  #checkCopies(after: Network, absent: readonly string[]): void {
    const { replication, topology } = this.#parts.engine
    const copy = lastCopy({ before: topology.serving, after }, replication.stale())
    if (copy === null) return
    const [remotes, wrong] = [copy.remotes, copy.wrong].map((names) => names.join('`, `'))
    const isAbsent = copy.remotes.every((name) => absent.includes(name))
    const problem = isAbsent ? 'does not answer' : 'cannot leave yet'
    const end = isAbsent ? `\`${remotes}\` answers` : `\`${wrong}\` has got its shards again`
    throw new ApiError(
      isAbsent ? 'remote_could_not_send_request' : 'unprocessed_network_task',
      `Remote \`${remotes}\` ${problem}. It alone has all documents of the shard ` +
        `\`${copy.shard}\`, because \`${wrong}\` lacks writes.\n  - Hint: Wait until ${end}. To lose ` +
        `these writes, remove \`${wrong}\` as well, and add it again later.`,
    )
  }

  /** Checks that the indexes of instances that join together agree. @throws ApiError */
  async #checkJoining(before: Network, after: Network): Promise<void> {
    const names = joining(before, after)
    if (names.length < 2) return
    const calls = names.map(async (name): Promise<readonly [string, Definitions]> => {
      return [name, await this.#definitionsOf(after.remotes.get(name)!)]
    })
    checkJoiningIndexes(this.#parts.engine, new Map(await Promise.all(calls)))
  }

  /** Returns an empty map if the instance does not show its settings. @throws ApiError */
  async #definitionsOf({ url, writeApiKey }: Remote): Promise<Definitions> {
    const { send, times } = this.#parts
    try {
      const body = await callRemote(
        send,
        { url },
        {
          method: 'GET',
          path: '/network/digests?documents=false',
          body: null,
          headers: {},
          apiKey: writeApiKey,
          times,
          action: 'network.update',
          answerBytesMax: ANSWER_BYTES_MAX,
        },
      )
      return new Map(readDigest(body).indexes.map(({ uid, settings }) => [uid, settings]))
    } catch (error) {
      // The key may lack the right; the transfer of documents reports that.
      if (error instanceof ApiError && !UNREACHABLE.has(error.code)) return new Map()
      throw error
    }
  }

  /** @throws ApiError */
  async #describe(name: string, remote: Remote): Promise<InstanceDescription | null> {
    const features = (await this.#get(remote, '/experimental-features', 'experimental.get')) as {
      readonly network?: unknown
    }
    if (features.network !== true) {
      throw new ApiError(
        'feature_not_enabled',
        `Remote \`${name}\` encountered an error: receiving a proxied network task requires ` +
          'enabling the `network` experimental feature. See ' +
          'https://github.com/orgs/meilisearch/discussions/805',
      )
    }
    const query = 'types=networkTopologyChange&statuses=enqueued,processing&limit=1'
    const { results } = (await this.#get(remote, `/tasks?${query}`, 'tasks.get')) as {
      readonly results?: readonly { readonly uid?: TaskUid }[]
    }
    const uid = results?.[0]?.uid
    if (uid !== undefined) throw unprocessed(`Remote \`${name}\` encountered an error: `, uid)
    return describedRemote(this.#parts, remote)
  }

  /** @throws ApiError */
  async #get(remote: Remote, path: string, _action: string): Promise<object> {
    const { send, times } = this.#parts
    const body = await callRemote(send, remote, {
      method: 'GET',
      path,
      body: null,
      headers: {},
      apiKey: remote.writeApiKey,
      times,
      action: 'documents.add',
    })
    return readObject(body)
  }

  /** Registers the copy of a change of the leader. @throws EngineFault, ApiError */
  async receive(
    body: NetworkBody,
    origin: TaskOrigin,
    leadership: Pick<Network, 'leaderId' | 'term'>,
    lists: ChangeLists,
    isRepeated: boolean,
  ): Promise<AcceptedTask> {
    const { engine } = this.#parts
    const { previousRemotes, previousShards, ...patch } = body
    if ((patch.leader ?? null) === null) {
      throw new ApiError('invalid_network_leader', 'Duplicated task without leader')
    }
    const current = engine.network.get()
    const version = origin.networkVersion
    const after = { ...rebuilt(patch, version), ...leadership }
    const self = after.self ?? current.self
    const previous = rebuilt(
      { remotes: previousRemotes, shards: previousShards } as NetworkPatch,
      '',
    )
    // An instance whose shards are sent again may still have an old network.
    const isResynced = self !== null && lists.renewed.includes(self)
    const known = isResynced ? { ...previous, leader: after.leader } : previous
    const before = current.leader === null || isResynced ? { ...known, self } : current
    const wasMember = (previousRemotes ?? null) === null || previous.remotes.has(self ?? '')
    const isReturning = current.leader !== null && !wasMember && !isResynced
    const networks = {
      before: { ...before, version: current.version },
      after,
      ...lists,
      isReturning,
    }
    return engine.topology.register(networks, { kind: 'origin', origin }, isRepeated)
  }
}

/** `absent`: remotes that leave and do not answer. `described`: all other members. */
type Answers = { readonly absent: readonly string[]; readonly described: Described }

const UNREACHABLE: ReadonlySet<string> = new Set([
  'remote_could_not_send_request',
  'remote_timeout',
  'remote_remote_error',
])

/** Returns a greater version even if the clock was set back. */
function laterThan(version: string, newVersion: () => string): string {
  const next = newVersion()
  if (next > version) return next
  const value = BigInt(`0x${version.replaceAll('-', '')}`) + 1n
  const hex = value.toString(16).padStart(32, '0')
  const at = [0, 8, 12, 16, 20, 32]
  return at
    .slice(1)
    .map((end, i) => hex.slice(at[i], end))
    .join('-')
}

/** Rebuilds the network from the leader's description. */
const rebuilt = (patch: NetworkPatch, version: string): Network => {
  const none = { ...NO_NETWORK, version }
  const { leader = null, self = null, ...rest } = patch
  const merged = mergeNetwork(none, rest, { version, urlProblem: () => null })
  return { ...merged, leader, self }
}

/** @throws ApiError remote_bad_response */
function readObject(body: Uint8Array): object {
  try {
    const value: unknown = JSON.parse(Buffer.from(body).toString())
    if (typeof value === 'object' && value !== null) return value
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new ApiError('remote_bad_response', 'could not parse response from the remote host')
}

const unprocessed = (place: string, uid: number): ApiError =>
  new ApiError(
    'unprocessed_network_task',
    `${place}Already has a pending network task with uid ${uid}.\n` +
      '  - Note: No network task can be registered while any previous network task is not done ' +
      `processing.\n  - Hint: Wait for task ${uid} to complete or cancel it.`,
  )

const reportedToClient = (): void => undefined
