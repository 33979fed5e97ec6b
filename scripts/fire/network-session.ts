// A network under fire: its instances, what was written to it and acknowledged, what went wrong.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Random, randomOf } from '../../engine/store/storage/index.ts'
import { type Answer, pause } from './ask.ts'
import { Instance } from './network-instance.ts'
import { firstWorks, type NetworkWork } from './network-work.ts'
import { Stalls } from './stalls.ts'
import type { Work } from './work.ts'

const LEADER = 'a'
/** How long anything may take that has to come to an end. */
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
  /** Of these, writes that were canceled before they ran. */
  canceled: number
  searches: number
  /** Searches while an instance was out. */
  searchesInOutages: number
  /** Of these, answers that named an instance that failed; all hits were there. */
  named: number
  /** Searches that had to come again, since the processors were busy. */
  refused: number
  /** Searches that ran out of time while the machine gave no process its time. */
  starved: number
}

export class NetworkSession {
  readonly random: Random
  readonly root = mkdtempSync(join(tmpdir(), 'svc-network-'))
  readonly instances = new Map<string, Instance>()
  readonly replicas: number
  /** Instances that are part of the network and may be asked. */
  readonly members = new Set<string>()
  readonly works = new Map<string, Work>()
  /** Tasks that clients asked to be canceled. */
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
  /** The network was changed and the change canceled: documents are not where they belong. */
  isUnsettled = false
  isEnding = false

  constructor({ seed, replicas }: NetworkOptions) {
    this.random = randomOf(seed)
    this.replicas = replicas
  }

  get leader(): Instance {
    return this.instance(LEADER)
  }

  instance(name: string): Instance {
    const found = this.instances.get(name)
    if (found === undefined) throw new Error(`no instance ${name}`)
    return found
  }

  /** Names of instances that are not out, members alone. */
  get up(): readonly string[] {
    return [...this.members].filter((name) => !this.instance(name).isOut)
  }

  get outages(): number {
    return [...this.instances.values()].filter(({ isOut }) => isOut).length
  }

  pick<T>(values: readonly T[]): T {
    return values[this.random.below(values.length)]!
  }

  /** Something was done to the network; told with the next problems. */
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

  /** Asks the leader until it answers. */
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

/** Starts the instances, makes them a network and writes the first documents. */
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

/** Sends a write; rejects when the connection is lost: whether it was taken is not known. */
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

/** Until no member has a task that waits or runs. @throws when that takes too long */
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
