// A network under fire: its instances, the acknowledged writes, and the problems found.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Random, randomOf } from '../../engine/store/storage/index.ts'
import { type Answer, pause } from './ask.ts'
import { Instance } from './network-instance.ts'
import { firstWorks, type NetworkWork } from './network-work.ts'
import { Stalls } from './stalls.ts'
import type { Work } from './work.ts'

/** The first leader; others may take over. */
export const LEADER = 'a'
/** Milliseconds after which any work that must end counts as hanging. */
export const END_MS_MAX = 90_000
const EVENTS_TOLD = 12
const PROBLEMS_MAX = 50

export type NetworkOptions = {
  readonly instances: number
  readonly replicas: number
  readonly shards: number
  readonly seed: number
}

export type Counts = {
  writes: number
  /** The part of the writes that was canceled before it ran. */
  canceled: number
  searches: number
  /** Searches during an outage. */
  searchesInOutages: number
  /** The part of these answers that named a failed instance but had all hits. */
  named: number
  /** Searches that were refused because the processors were busy. */
  refused: number
  /** Searches that ran out of time while the machine did not run this process either. */
  starved: number
}

export class NetworkSession {
  readonly random: Random
  readonly root = mkdtempSync(join(tmpdir(), 'svc-network-'))
  readonly instances = new Map<string, Instance>()
  readonly replicas: number
  /** Names of the instances that are part of the network and answer requests. */
  readonly members = new Set<string>()
  /** The uid of the last change that added an instance, by name. */
  readonly joinedBy = new Map<string, number>()
  readonly works = new Map<string, Work>()
  /** Uids of the tasks for which a client requested a cancelation. */
  readonly canceled = new Set<number>()
  readonly acknowledged = new Map<number, Work>()
  readonly counts: Counts = {
    writes: 0,
    canceled: 0,
    searches: 0,
    searchesInOutages: 0,
    named: 0,
    refused: 0,
    starved: 0,
  }
  readonly stalls = new Stalls()
  readonly problems: string[] = []
  readonly #events: string[] = []
  readonly #begun = performance.now()
  /** Whether a change was canceled, so that documents are not on their owners. */
  isUnsettled = false
  isEnding = false
  leaderName = LEADER

  constructor({ seed, replicas }: Pick<NetworkOptions, 'seed' | 'replicas'>) {
    this.random = randomOf(seed)
    this.replicas = replicas
  }

  get leader(): Instance {
    return this.instance(this.leaderName)
  }

  instance(name: string): Instance {
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
    const options = body === undefined ? {} : { body }
    let failure: unknown = null
    for (const begun = performance.now(); performance.now() - begun < END_MS_MAX; ) {
      try {
        return await this.leader.ask(method, path, options)
      } catch (error) {
        failure = error
        await pause(100)
      }
    }
    throw new Error(`the leader does not answer ${method} ${path}: ${failure}`)
  }

  async stop(): Promise<void> {
    this.stalls.stop()
    await Promise.all([...this.instances.values()].map((instance) => instance.stop()))
  }
}

/** Starts the instances, forms the network and writes the first documents. */
export async function formNetwork(options: NetworkOptions): Promise<NetworkSession> {
  const session = new NetworkSession(options)
  const names = Array.from({ length: options.instances }, (_, i) => String.fromCharCode(97 + i))
  for (const name of names) {
    session.instances.set(name, await Instance.start(name, session.root))
    session.members.add(name)
    await session.instance(name).ask('PATCH', '/experimental-features', { body: { network: true } })
  }
  const remotes = Object.fromEntries(
    names.map((name) => [name, { url: session.instance(name).url }]),
  )
  const shards = Object.fromEntries(
    Array.from({ length: options.shards }, (_, i) => {
      const owners = Array.from(
        { length: options.replicas },
        (_, r) => names[(i + r) % names.length]!,
      )
      return [`s${i}`, { remotes: owners }]
    }),
  )
  const body = { self: LEADER, leader: LEADER, remotes, shards }
  const formed = await session.leader.ask('PATCH', '/network', { body })
  if (formed.status !== 202) throw new Error(`no network: ${formed.text}`)
  for (const work of firstWorks()) await write(session, work)
  await untilQuiet(session)
  return session
}

/** Sends a write; rejects when the connection is lost, and the write may be registered or not. */
export async function write(
  session: NetworkSession,
  { work, request }: NetworkWork,
): Promise<void> {
  session.works.set(work.name, work)
  const { method, path, body, type, text } = request
  const sent = text ?? body
  const headers = type === undefined ? {} : { headers: { 'content-type': type } }
  const options = sent === undefined ? headers : { body: sent, ...headers }
  const answer = await session.leader.ask(method, path, options)
  if (answer.status !== 202) {
    session.problem(`a write was refused: ${method} ${path}: ${answer.text.slice(0, 300)}`)
    return
  }
  session.acknowledged.set(answer.json.taskUid, work)
  session.counts.writes++
}

/** Waits until all members have finished their tasks. @throws when that takes too long */
export async function untilQuiet(session: NetworkSession): Promise<void> {
  const path = '/tasks?statuses=enqueued,processing&limit=3'
  let left = ''
  for (const begun = performance.now(); performance.now() - begun < END_MS_MAX; ) {
    const answers = await Promise.all(
      [...session.members].map(async (name) => {
        const { json } = await session.instance(name).ask('GET', path)
        return { name, total: json.total as number, results: json.results as readonly object[] }
      }),
    )
    const busy = answers.filter(({ total }) => total > 0)
    if (busy.length === 0) return
    left = JSON.stringify(busy)
    await pause(100)
  }
  throw new Error(`there are tasks that do not end: ${left.slice(0, 2000)}`)
}
