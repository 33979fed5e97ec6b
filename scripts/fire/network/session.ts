// A network under fire: its instances, the acknowledged writes, and the problems found.
import { type Random, randomOf } from '../../../engine/store/storage/index.ts'
import type { Work } from '../kill/work.ts'
import { type Answer, pause, untilHolds } from '../parts/client.ts'
import { newFolder } from '../parts/database.ts'
import { Stalls } from '../parts/stalls.ts'
import { Member } from './member.ts'
import { firstWorks, type NetworkWork } from './work.ts'

/** The first leader; others may take over. */
export const LEADER = 'a'
/** Milliseconds after which any work that must end counts as hanging. */
export const END_MS_MAX = 90_000
const EVENTS_TOLD = 12
const PROBLEMS_MAX = 50

export type Counts = { [count: string]: number }

export class NetworkSession {
  readonly random: Random
  readonly root = newFolder()
  readonly instances = new Map<string, Member>()
  readonly replicas: number
  /** Names of the instances that are part of the network and answer requests. */
  readonly members = new Set<string>()
  /** The uid of the last change that added an instance, by name. */
  readonly joinedBy = new Map<string, number>()
  readonly works = new Map<string, Work>()
  /** Uids of the tasks for which a client requested a cancelation. */
  readonly canceled = new Set<number>()
  readonly acknowledged = new Map<number, Work>()
  readonly counts: Counts = {}
  readonly stalls = new Stalls()
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

  get leader(): Member {
    return this.instance(this.leaderName)
  }

  instance(name: string): Member {
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

  /** Causes one outage of an instance. Resolves when the instance answers again. */
  async outage(name: string, kind: Outage, ms: number): Promise<void> {
    const instance = this.instance(name)
    this.event(`${kind} ${name} for ${ms} ms`)
    instance.isOut = true
    instance.epoch++
    if (kind === 'kill') {
      await instance.kill()
      await pause(ms)
      await instance.start()
    } else if (kind === 'stop') {
      instance.signal('SIGSTOP')
      await pause(ms)
      instance.signal('SIGCONT')
    } else {
      instance.proxy.mode = kind
      await pause(ms)
      instance.proxy.mode = 'pass'
    }
    instance.epoch++
    instance.isOut = false
    this.event(`${name} is back`)
  }

  /** Searches on a member. Returns null if the answer proves nothing. */
  async search(
    name: string,
    what: string,
    method: string,
    path: string,
    body?: object,
  ): Promise<Answer | null> {
    const member = this.instance(name)
    const { epoch } = member
    const [before, stalledBefore] = [this.outages, this.stalls.totalMs]
    const begun = performance.now()
    let answer: Answer
    try {
      answer = await member.ask(method, path, body === undefined ? {} : { body })
    } catch (error) {
      if (member.epoch === epoch) this.problem(`${what} on ${name} failed: ${error}`)
      return null
    }
    // It was killed meanwhile, or has left the network.
    if (member.epoch !== epoch || !this.members.has(name)) return null
    this.count('searches')
    if (Math.max(before, this.outages) > 0) this.count('searches during an outage')
    if (answer.json?.code === 'too_many_search_requests') {
      this.count('searches that had to come again')
      return null
    }
    if (this.stalls.totalMs - stalledBefore >= STARVED_MS && ranOutOfTime(answer)) {
      this.count('searches out of time as the machine stood still')
      return null
    }
    if (answer.status === 200) return answer
    const place = `${what} on ${name}, ${Math.round(performance.now() - begun)} ms`
    this.problem(`${place}: ${answer.status} ${answer.text.slice(0, 300)}`)
    return null
  }

  async stop(): Promise<void> {
    this.stalls.stop()
    await Promise.all([...this.instances.values()].map((instance) => instance.end()))
  }
}

/** A timeout of a search proves nothing if the test itself did not run for this time. */
const STARVED_MS = 1000

/** Returns the errors of other instances in an answer, by their names. */
export const remoteErrorsOf = ({ json }: Answer): { readonly [name: string]: { code: string } } =>
  Object.assign(
    {},
    json?.remoteErrors,
    ...(json?.results ?? []).map((one: Answer['json']) => one?.remoteErrors),
  )

/** Returns whether other instances, or the search itself, exceeded a time limit. */
function ranOutOfTime(answer: Answer): boolean {
  const codes = Object.values(remoteErrorsOf(answer)).map(({ code }) => code)
  if (answer.status === 200) return codes.includes('remote_timeout')
  return answer.text.includes('because the search took longer than')
}

/**
 * `kill`: SIGKILL and a restart. `stop`: SIGSTOP for a while. `drop`, `hold`: the others cannot
 * reach the instance.
 */
export const OUTAGES = ['kill', 'stop', 'drop', 'hold'] as const
export type Outage = (typeof OUTAGES)[number]
export type Shards = { readonly [shard: string]: readonly string[] }

/** Returns shards, each with so many of the instances as owners in turn. */
export const dividedAmong = (names: readonly string[], shards: number, replicas: number): object =>
  Object.fromEntries(
    Array.from({ length: shards }, (_, i) => {
      const owners = Array.from({ length: replicas }, (_, r) => names[(i + r) % names.length]!)
      return [`s${i}`, { remotes: owners }]
    }),
  )

/** Starts the instances, forms the network and writes the first documents. */
export async function formNetwork(
  seed: number,
  instances: number,
  shards: number,
  replicas: number,
): Promise<NetworkSession> {
  const session = new NetworkSession(seed, replicas)
  const names = Array.from({ length: instances }, (_, i) => String.fromCharCode(97 + i))
  for (const name of names) {
    session.instances.set(name, await Member.start(name, session.root))
    session.members.add(name)
    const features = { network: true }
    await session.instance(name).expect(200, 'PATCH', '/experimental-features', features)
  }
  await session.leader.expect(202, 'PATCH', '/network', {
    self: LEADER,
    leader: LEADER,
    remotes: Object.fromEntries(names.map((name) => [name, session.remoteOf(name)])),
    shards: dividedAmong(names, shards, replicas),
  })
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
  session.count('writes acknowledged')
}

/** Waits until all members have finished their tasks. @throws when that takes too long */
export async function untilQuiet(session: NetworkSession): Promise<void> {
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

/** Waits until every instance has received its shards. @throws when that takes too long */
export const untilRenewed = (session: NetworkSession): Promise<void> =>
  untilHolds('every instance has its shards', END_MS_MAX, async () => {
    const { json } = await session.leader.ask('GET', '/network/status')
    const remotes = Object.values(json.remotes as { [name: string]: { stale: string | null } })
    return json.change === null && remotes.every(({ stale }) => stale === null)
  })
