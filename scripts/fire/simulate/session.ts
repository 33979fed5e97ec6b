// The network under simulation, as its clients know it: the ledger of the drills over instances in
// this process.

import { LEADER, type LedgerMember, NetworkLedger, untilQuiet } from '../network/ledger.ts'
import { dividedAmong } from '../network/session.ts'
import { firstWorks, type NetworkWork } from '../network/work.ts'
import type { Answer, AskOptions } from '../parts/client.ts'
import { History } from './history.ts'
import type { Serve, Simulated } from './instance.ts'
import { CLIENT } from './lines.ts'
import type { World } from './world.ts'

const CONNECT_MS = 3000
/** Longer than a leader waits for another instance: a request without an answer took no effect. */
const ANSWER_MS_MAX = 45_000

export class SimulatedMember implements LedgerMember {
  readonly name: string
  readonly instance: Simulated
  readonly #world: World
  isOut = false
  epoch = 0

  constructor(world: World, name: string, serve?: Serve) {
    this.#world = world
    this.name = name
    this.instance = world.add(name, serve)
  }

  get url(): string {
    return this.instance.url
  }

  /** Sends a request of a client. @throws LineFault */
  async ask(method: string, path: string, { body, headers }: AskOptions = {}): Promise<Answer> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    const type = body === undefined ? {} : { 'content-type': 'application/json' }
    const request = {
      method,
      path,
      host: `${this.name}:7700`,
      headers: { ...type, ...headers },
      body: body === undefined ? null : Buffer.from(text),
    }
    const limits = { connectMs: CONNECT_MS, totalMs: ANSWER_MS_MAX, signal: null }
    const answer = await this.#world.lines.call(CLIENT, this.instance, request, limits)
    const received = answer.body.toString()
    return {
      status: answer.status,
      headers: answer.headers,
      text: received,
      json: jsonIn(received),
    }
  }
}

function jsonIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    // An empty body.
    if (!(error instanceof SyntaxError)) throw error
    return undefined
  }
}

export class SimulatedSession extends NetworkLedger<SimulatedMember> {
  readonly world: World
  readonly history = new History()
  /** False while faults may still show. */
  isCalm = true

  constructor(world: World, replicas: number) {
    super(world.seed ^ 0x3c6ef372, replicas)
    this.world = world
  }

  override event(text: string): void {
    this.world.note(text)
  }

  override problem(text: string): void {
    this.problems.push(text)
    this.world.problem(text)
  }

  /** Adds an instance and starts it. */
  async join(name: string): Promise<void> {
    const member = new SimulatedMember(this.world, name)
    this.instances.set(name, member)
    await member.instance.start()
    await member.ask('PATCH', '/experimental-features', { body: { network: true } })
  }
}

/** Starts the instances, forms the network and writes the first documents. */
export async function formSimulated(
  world: World,
  { instances, shards, replicas }: { instances: number; shards: number; replicas: number },
): Promise<SimulatedSession> {
  const session = new SimulatedSession(world, replicas)
  const names = Array.from({ length: instances }, (_, i) => String.fromCharCode(97 + i))
  for (const name of names) {
    await session.join(name)
    session.members.add(name)
  }
  const body = {
    self: LEADER,
    leader: LEADER,
    remotes: Object.fromEntries(names.map((name) => [name, session.remoteOf(name)])),
    shards: dividedAmong(names, shards, replicas),
  }
  const { status, text } = await session.leader.ask('PATCH', '/network', { body })
  if (status !== 202) throw new Error(`the network was not formed: ${text}`)
  for (const work of firstWorks()) await writeOnce(session, work)
  await untilQuiet(session)
  return session
}

/** Sends a write to the leader. Returns false if it was refused. @throws LineFault */
export async function writeOnce(
  session: SimulatedSession,
  { work, request }: NetworkWork,
): Promise<boolean> {
  session.works.set(work.name, work)
  const { method, path, body, type, text } = request
  const sent = text ?? body
  const headers = type === undefined ? {} : { headers: { 'content-type': type } }
  const options = sent === undefined ? headers : { body: sent, ...headers }
  const answer = await session.leader.ask(method, path, options)
  if (answer.status !== 202) {
    session.count(`writes refused: ${answer.json?.code ?? answer.status}`)
    return false
  }
  session.acknowledged.set(answer.json.taskUid, work)
  session.count('writes acknowledged')
  return true
}
