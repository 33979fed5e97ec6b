// A network of processes under fire: outages, searches and writes of clients.
import { type Answer, pause } from '../parts/client.ts'
import { newFolder } from '../parts/database.ts'
import { Stalls } from '../parts/stalls.ts'
import { LEADER, NetworkLedger, untilQuiet } from './ledger.ts'
import { Member } from './member.ts'
import { firstWorks, type NetworkWork } from './work.ts'

export class NetworkSession extends NetworkLedger<Member> {
  readonly root = newFolder()
  readonly stalls = new Stalls()

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
