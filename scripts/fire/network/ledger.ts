// The knowledge of a drill about a network: its instances, the acknowledged writes, and the problems found.
// The instances are processes, or simulated.
import { type Random, randomOf } from '../../../engine/store/storage/index.ts'
import type { Work } from '../kill/work.ts'
import { type Answer, type Client, untilHolds } from '../parts/client.ts'

/** The first leader; others may take over. */
export const LEADER = 'a'
/** Milliseconds after which any work that must end counts as hanging. */
export const END_MS_MAX = 200_000
const EVENTS_TOLD = 12
const PROBLEMS_MAX = 50

export type Counts = { [count: string]: number }
export type Shards = { readonly [shard: string]: readonly string[] }

/** An instance as the clients of a network know it. */
export type LedgerMember = Pick<Client, 'ask'> & {
  readonly name: string
  /** How the other instances reach it. */
  readonly url: string
  /** Whether it does not answer now, which is expected. */
  readonly isOut: boolean
  /** Changes with the beginning and the end of each outage. */
  readonly epoch: number
}

export class NetworkLedger<M extends LedgerMember = LedgerMember> {
  readonly random: Random
  readonly instances = new Map<string, M>()
  readonly replicas: number
  /** Names of the instances that are part of the network and answer requests. */
  readonly members = new Set<string>()
  /** The uid of the last change that added an instance, by name. */
  readonly joinedBy = new Map<string, number>()
  readonly works = new Map<string, Work>()
  /** Uids of the tasks for which a client requested a cancelation. */
  readonly canceled = new Set<number>()
  readonly acknowledged = new Map<number, Work>()
  /** The works before the current leader, in their order; its tasks from `fromUid` on follow. */
  settled: readonly Work[] = []
  fromUid = 0
  counts: Counts = {}
  readonly problems: string[] = []
  readonly #events: string[] = []
  readonly #begun = performance.now()
  /** Whether a change was canceled, so that documents are not on their owners. */
  isUnsettled = false
  isEnding = false
  leaderName = LEADER

  constructor(seed: number, replicas: number) {
    this.random = randomOf(seed)
    this.replicas = replicas
  }

  count(name: string): void {
    this.counts[name] = (this.counts[name] ?? 0) + 1
  }

  get leader(): M {
    return this.instance(this.leaderName)
  }

  instance(name: string): M {
    const found = this.instances.get(name)
    if (found === undefined) throw new Error(`no instance ${name}`)
    return found
  }

  /** Returns how the other instances reach an instance, as `PATCH /network` reads it. */
  remoteOf(name: string): object {
    return { url: this.instance(name).url }
  }

  /** Names of the members without an outage. */
  get up(): readonly string[] {
    return [...this.members].filter((name) => !this.instance(name).isOut)
  }

  get outages(): number {
    return [...this.instances.values()].filter(({ isOut }) => isOut).length
  }

  pick<T>(values: readonly T[]): T {
    return values[this.random.below(values.length)]!
  }

  /** Records an event of the network, which is reported with the next problems. */
  event(text: string): void {
    const seconds = ((performance.now() - this.#begun) / 1000).toFixed(1)
    this.#events.push(`${seconds} s  ${text}`)
    if (this.#events.length > EVENTS_TOLD) this.#events.shift()
  }

  problem(text: string): void {
    if (this.problems.length >= PROBLEMS_MAX) return
    const seconds = ((performance.now() - this.#begun) / 1000).toFixed(1)
    this.problems.push(`${seconds} s  ${text}\n    after: ${this.#events.join('\n           ')}`)
  }

  /** Sends a request to the leader repeatedly until it answers. */
  async askLeader(method: string, path: string, body?: object): Promise<Answer> {
    let answer: Answer | null = null
    await untilHolds(`the leader answers ${method} ${path}`, END_MS_MAX, async () => {
      answer = await this.leader.ask(method, path, body === undefined ? {} : { body })
      return true
    })
    return answer!
  }

  /** Returns the members and the owners of the shards, as the leader knows them. */
  async places(): Promise<{ readonly remotes: readonly string[]; readonly shards: Shards }> {
    const { json } = await this.askLeader('GET', '/network')
    const shards = Object.entries(json.shards as { [shard: string]: { remotes: string[] } })
    return {
      remotes: Object.keys(json.remotes),
      shards: Object.fromEntries(shards.map(([name, shard]) => [name, shard.remotes])),
    }
  }
}

/** Waits until all members have finished their tasks. @throws when that takes too long */
export async function untilQuiet(session: NetworkLedger): Promise<void> {
  let left = ''
  await untilHolds('all tasks end', END_MS_MAX, async () => {
    const answers = await Promise.all(
      [...session.members].map((name) =>
        session.instance(name).ask('GET', '/tasks?statuses=enqueued,processing&limit=3'),
      ),
    )
    left = answers.map(({ text }) => text).join('\n')
    return answers.every(({ json }) => json.total === 0)
  }).catch((error: unknown) => {
    throw new Error(`${error}: ${left.slice(0, 2000)}`)
  })
}

type Remote = { readonly stale: string | null; readonly backlog: { readonly tasks: number } | null }

/**
 * Waits until every instance has received its shards and all writes. @throws when that takes too
 * long
 */
export const untilRenewed = (session: NetworkLedger): Promise<void> =>
  untilHolds('every instance has its shards', END_MS_MAX, async () => {
    const { json } = await session.leader.ask('GET', '/network/status')
    const remotes = Object.values(json.remotes as { readonly [name: string]: Remote })
    const isCurrent = ({ stale, backlog }: Remote): boolean =>
      stale === null && (backlog?.tasks ?? 0) === 0
    return json.change === null && remotes.every(isCurrent)
  })
