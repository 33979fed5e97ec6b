// Copies of the leader's tasks: a sender for each remote.
import {
  type Engine,
  type Remote,
  readChange,
  type SentTask,
  type TaskNetwork,
} from '../../engine/index.ts'
import { Sender, type SenderParts } from './sender.ts'
import { requestOf, type TaskRequestParts } from './task-requests.ts'

type Parts = Pick<SenderParts, 'send' | 'times' | 'now' | 'report' | 'observe'> & {
  readonly engine: Engine
}

export class Replicator {
  readonly #parts: Parts
  readonly #senders = new Map<string, Sender>()
  /** Tasks below this uid were registered by an earlier process. */
  #firstNew = Number.POSITIVE_INFINITY
  #isStopped = false

  constructor(parts: Parts) {
    this.#parts = parts
  }

  /** Goes on with what an earlier process has left. */
  start(): void {
    const { engine } = this.#parts
    engine.onReplicated((uid, network) => this.replicate(uid, network))
    for (const remote of engine.replication.remotesDue()) this.#sender(remote).wake()
  }

  /** Resolves when all remotes have confirmed, or what a client waits for is over. */
  async replicate(uid: number, network: TaskNetwork): Promise<void> {
    if (network.kind !== 'leader' || this.#isStopped) return
    this.#firstNew = Math.min(this.#firstNew, uid)
    await Promise.all(network.remotes.map((remote) => this.#sender(remote).settled(uid)))
  }

  /** Why the last attempt to send to a remote failed; null: it did not. */
  lastError(remote: string): string | null {
    return this.#senders.get(remote)?.lastError?.code ?? null
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all([...this.#senders.values()].map((sender) => sender.stop()))
  }

  #sender(remote: string): Sender {
    const known = this.#senders.get(remote)
    if (known !== undefined) return known
    const { engine, ...rest } = this.#parts
    const parts: SenderParts = {
      ...rest,
      replication: engine.replication,
      self: () => engine.network.get().self ?? '',
      find: (name, task) => findRemote(engine, name, task),
      request: (name, task) => requestTo(name, task),
    }
    const sender = new Sender(remote, parts, this.#firstNew)
    this.#senders.set(remote, sender)
    return sender
  }
}

/**
 * A change of the network is sent to those that leave it as well. While it runs, so is what they
 * have not confirmed: they hand over documents, and have to have them all.
 */
function findRemote(engine: Engine, name: string, task: SentTask): Remote | null {
  const known = engine.network.get().remotes.get(name)
  if (known !== undefined) return known
  const change = changeOf(task) ?? engine.topology.change
  return change?.after.remotes.get(name) ?? change?.before.remotes.get(name) ?? null
}

type Change = ReturnType<typeof readChange>

function changeOf({ content }: SentTask): Change | null {
  if (content.kind !== 'networkTopologyChange') return null
  return readChange((content as unknown as { readonly change: unknown }).change)
}

function requestTo(remote: string, task: SentTask): TaskRequestParts | null {
  const change = changeOf(task)
  if (change === null) return requestOf(task)
  // A change that is over is not begun elsewhere: no instance takes part in it any more.
  return task.hasEnded ? null : changeRequest(remote, change)
}

/** Lists of names in headers, for what bodies of this route do not know. */
export const ABSENT = 'svc-proxy-absent'
export const RENEWED = 'svc-proxy-renewed'

function changeRequest(
  remote: string,
  { before, after, absent, renewed }: Change,
): TaskRequestParts {
  const isMember = after.remotes.has(remote)
  const body = {
    remotes: Object.fromEntries(after.remotes),
    shards: Object.fromEntries(after.shards),
    leader: after.leader,
    self: isMember ? remote : null,
    ...(isMember ? { previousRemotes: Object.fromEntries(before.remotes) } : {}),
    previousShards: Object.fromEntries(before.shards),
  }
  const listed = (names: readonly string[]): string => names.map(encodeURIComponent).join(',')
  return {
    method: 'PATCH',
    path: '/network',
    body: Buffer.from(JSON.stringify(body)),
    headers: {
      'content-type': 'application/json',
      ...(absent.length === 0 ? {} : { [ABSENT]: listed(absent) }),
      ...(renewed.length === 0 ? {} : { [RENEWED]: listed(renewed) }),
    },
  }
}
