// A network with API keys under fire by those who should not be trusted: its instances, their keys,
// the documents that clients wrote, and the texts that a key for one index must never see.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Random, randomOf } from '../../engine/store/storage/index.ts'
import { type Answer, untilHolds } from './ask.ts'
import { Instance } from './network-instance.ts'
import { END_MS_MAX, LEADER, NetworkSession } from './network-session.ts'
import { inCheckout } from './program.ts'

const MASTER = 'a-master-key-of-16-bytes'
const NAMES = ['a', 'b', 'c'] as const
/** Owners of each shard. */
const REPLICAS = 2
const SHARDS = 4

/** The index that the hostile client has a key for. */
export const MINE = 'mine'
/** Indexes that it has no key for. */
export const OTHERS = ['films', 'payroll'] as const
export type Other = (typeof OTHERS)[number]
/** The documents of MINE. */
export const MINE_IDS = Array.from({ length: 20 }, (_, id) => id)

/** In every field that the hostile client must not see. */
const CANARY = 'CANARY'
/** In fields of MINE that hits do not show. */
const HIDDEN = 'HIDDEN'
/** Ids of the documents that the last instance has before the network is formed. */
const BROUGHT_IDS = Array.from({ length: 10 }, (_, i) => 5000 + i)
const SETTINGS = { filterableAttributes: ['kind', 'version'], sortableAttributes: ['version'] }
const FIRST_IDS = Array.from({ length: 40 }, (_, id) => id)

/** Version of each document, by id. */
export type Versions = Map<number, number>

export type TrustCounts = {
  writes: number
  /** Writes that an old leader accepted and no member confirmed, and that clients sent again. */
  unconfirmed: number
  searches: number
  /** Answers that lacked documents and named the instances that had failed. */
  named: number
  hostile: number
  /** Hostile requests that were accepted because the key has the right. */
  permitted: number
  changes: number
  clones: number
  takeovers: number
  clocks: number
  repairs: number
  /** Writes that an old leader accepted after its return, before it had asked the members. */
  early: number
}

export class TrustSession extends NetworkSession {
  /** Random numbers of the clients: their number depends on time, that of the rounds does not. */
  readonly chance: Random
  readonly trust: TrustCounts = {
    writes: 0,
    unconfirmed: 0,
    searches: 0,
    named: 0,
    hostile: 0,
    permitted: 0,
    changes: 0,
    clones: 0,
    takeovers: 0,
    clocks: 0,
    repairs: 0,
    early: 0,
  }
  /** The versions that every search must find, and the latest that a client has sent. */
  readonly expected = new Map<string, Versions>(OTHERS.map((uid) => [uid, new Map()]))
  readonly written = new Map<string, Versions>(OTHERS.map((uid) => [uid, new Map()]))
  /** Keys of the hostile client: with `documents.get`, and without it. */
  readonly hostileKeys: string[] = []
  /** Texts that no answer to the hostile client contains. */
  readonly secrets = new Set<string>([CANARY, MASTER])
  /** Whether the leadership passes to another instance while the first one runs. */
  isTakenOver = false
  readonly #remotes = new Map<string, object>()
  #clones = 0

  constructor(seed: number) {
    super({ seed, replicas: REPLICAS })
    this.chance = randomOf(seed + 1_000_003)
  }

  /** Starts an instance that is not yet a member. `words`: more arguments of the command line. */
  async start(name: string, words: readonly string[] = []): Promise<Instance> {
    const folder = join(this.root, name)
    mkdirSync(folder, { recursive: true })
    this.setClock(name, 0)
    return Instance.start(name, this.root, {
      key: MASTER,
      node: ['--require', inCheckout('scripts/fire/trust-clock.cjs')],
      words: ['--snapshot-dir', this.snapshots(name), ...words],
      variables: { SVC_FIRE_CLOCK: join(folder, 'clock') },
    })
  }

  /** The folder of the snapshots of an instance. */
  snapshots(name: string): string {
    return join(this.root, name, 'snapshots')
  }

  /** Sets the clock of an instance ahead, or back. */
  setClock(name: string, ms: number): void {
    writeFileSync(join(this.root, name, 'clock'), String(ms))
  }

  newClone(): string {
    return `clone${this.#clones++}`
  }

  override remoteOf(name: string): object {
    return this.#remotes.get(name) ?? super.remoteOf(name)
  }

  /** Creates the keys that other instances use. */
  async createKeys(name: string): Promise<void> {
    const search = await this.#newKey(name, { actions: ['search', 'documents.get'] })
    const write = await this.#newKey(name, { actions: ['*'] })
    this.secrets.add(search).add(write)
    this.#remotes.set(name, { ...super.remoteOf(name), searchApiKey: search, writeApiKey: write })
  }

  /** Creates the hostile client's keys: keys with the same uid are the same on all instances. */
  async createHostileKeys(name: string): Promise<void> {
    const actions = ['documents.add', 'search']
    const given = [[...actions, 'documents.get'], actions]
    const keys = given.map((some, i) =>
      this.#newKey(name, {
        uid: `0190b0a0-0000-4000-8000-00000000000${i}`,
        actions: some,
        indexes: [MINE],
      }),
    )
    this.hostileKeys.splice(0, Infinity, ...(await Promise.all(keys)))
  }

  async #newKey(name: string, options: object): Promise<string> {
    const body = { indexes: ['*'], expiresAt: null, ...options }
    const answer = await this.instance(name).ask('POST', '/keys', { body })
    if (answer.status !== 201) throw new Error(`no key: ${answer.text}`)
    return answer.json.key
  }

  /** Notes the identities of the running instances as secrets. */
  async readIdentities(): Promise<void> {
    for (const name of this.up) {
      const { json } = await this.instance(name).ask('GET', '/network/identity')
      this.secrets.add(json.id).add(json.process)
    }
    const { json } = await this.leader.ask('GET', '/network')
    this.secrets.add(json.version)
  }

  /** Returns the secrets of a key of the hostile client. */
  secretsFor(key: string): readonly string[] {
    return key === this.hostileKeys[0] ? [...this.secrets] : [...this.secrets, HIDDEN]
  }

  /** Returns documents of an index with these versions. */
  docs(uid: string, ids: readonly number[], version: number): readonly object[] {
    return ids.map((id) => ({
      id,
      version,
      kind: `kind${id % 3}`,
      text: 'stone',
      secret: `${CANARY}-${uid}-${id}`,
    }))
  }

  /** Writes all documents of MINE, because the hostile client may have replaced them. */
  async writeMine(): Promise<void> {
    const body = MINE_IDS.map((id) => ({
      id,
      title: `stone ${id}`,
      boss: id % 5,
      salary: `${HIDDEN}-${String.fromCharCode(97 + id)}`,
      badge: `${HIDDEN}-badge`,
    }))
    await this.accepted('POST', `/indexes/${MINE}/documents`, body)
  }

  /** Sends a request that the leader must accept. @throws Error if it does not */
  async accepted(method: string, path: string, body: object): Promise<Answer> {
    const answer = await this.askLeader(method, path, body)
    if (answer.status !== 202) throw new Error(`${method} ${path}: ${answer.text.slice(0, 500)}`)
    return answer
  }
}

/**
 * Starts the instances, which have documents, and forms a network of them. Resolves as soon as all
 * of them know of the change: from then on answers are complete, or name the instance whose
 * documents lack.
 */
export async function formTrustNetwork(seed: number): Promise<TrustSession> {
  const session = new TrustSession(seed)
  const bringing = NAMES.at(-1)!
  for (const name of NAMES) {
    const instance = await session.start(name)
    session.instances.set(name, instance)
    session.members.add(name)
    const features = { network: true, foreignKeys: true }
    await instance.ask('PATCH', '/experimental-features', { body: features })
    await session.createKeys(name)
    await session.createHostileKeys(name)
    if (name === LEADER) await fillLeader(session)
    if (name === bringing) {
      await instance.ask('PATCH', '/indexes/films/settings', { body: SETTINGS })
      const body = session.docs('films', BROUGHT_IDS, 1)
      await instance.ask('POST', '/indexes/films/documents?primaryKey=id', { body })
    }
    await idle(instance)
  }
  await session.readIdentities()
  const remotes = Object.fromEntries(NAMES.map((name) => [name, session.remoteOf(name)]))
  const shards = Object.fromEntries(
    Array.from({ length: SHARDS }, (_, i) => {
      const owners = Array.from({ length: REPLICAS }, (_, r) => NAMES[(i + r) % NAMES.length]!)
      return [`s${i}`, { remotes: owners }]
    }),
  )
  await session.accepted('PATCH', '/network', { self: LEADER, leader: LEADER, remotes, shards })
  for (const instance of session.instances.values()) {
    await untilHolds(`${instance.name} is a member`, END_MS_MAX, async () => {
      return (await instance.ask('GET', '/network')).json.leader === LEADER
    })
  }
  for (const uid of OTHERS) {
    for (const id of FIRST_IDS) session.written.get(uid)!.set(id, 1)
  }
  for (const id of BROUGHT_IDS) session.written.get('films')!.set(id, 1)
  expectWritten(session)
  return session
}

/** From now on every search must find what is written now. */
export function expectWritten(session: TrustSession): void {
  for (const [uid, versions] of session.written) {
    session.expected.set(uid, new Map(versions))
  }
}

async function fillLeader(session: TrustSession): Promise<void> {
  for (const uid of OTHERS) {
    await session.accepted('PATCH', `/indexes/${uid}/settings`, SETTINGS)
    const docs = session.docs(uid, FIRST_IDS, 1)
    await session.accepted('POST', `/indexes/${uid}/documents?primaryKey=id`, docs)
  }
  await session.accepted('PATCH', `/indexes/${MINE}/settings`, {
    displayedAttributes: ['id', 'title', 'boss'],
    searchableAttributes: ['title'],
    filterableAttributes: ['boss'],
    sortableAttributes: ['salary'],
    foreignKeys: [{ foreignIndexUid: 'payroll', fieldName: 'boss' }],
  })
  await session.writeMine()
}

const idle = (instance: Instance): Promise<void> =>
  untilHolds('all tasks end', END_MS_MAX, async () => {
    const { json } = await instance.ask('GET', '/tasks?statuses=enqueued,processing&limit=1')
    return json.total === 0
  })
