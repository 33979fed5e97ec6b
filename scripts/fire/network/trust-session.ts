// A network with API keys under fire by those who should not be trusted: its instances, their keys,
// the documents that clients wrote, and the texts that a key for one index must never see.
import { join } from 'node:path'
import { type Random, randomOf } from '../../../engine/store/storage/index.ts'
import { untilHolds, untilIdle } from '../parts/client.ts'
import { END_MS_MAX, LEADER } from './ledger.ts'
import { Member } from './member.ts'
import { dividedAmong, NetworkSession } from './session.ts'

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

export class TrustSession extends NetworkSession {
  /** Random numbers of the clients: their number depends on time, that of the rounds does not. */
  readonly chance: Random
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
    super(seed, REPLICAS)
    this.chance = randomOf(seed + 1_000_003)
  }

  /** Starts an instance that is not yet a member. `words`: more arguments of the command line. */
  start(name: string, words: readonly string[] = []): Promise<Member> {
    const all = ['--snapshot-dir', this.snapshots(name), ...words]
    return Member.start(name, this.root, { key: MASTER, hasClock: true, words: all })
  }

  /** The folder of the snapshots of an instance. */
  snapshots(name: string): string {
    return join(this.root, name, 'snapshots')
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
    return (await this.instance(name).expect(201, 'POST', '/keys', body)).json.key
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
  async accepted(method: string, path: string, body: object): Promise<void> {
    const { status, text } = await this.askLeader(method, path, body)
    if (status !== 202) throw new Error(`${method} ${path}: ${text.slice(0, 500)}`)
  }

  /** From now on every search must find what is written now. */
  expectWritten(): void {
    for (const [uid, versions] of this.written) this.expected.set(uid, new Map(versions))
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
    await untilIdle(instance)
  }
  await session.readIdentities()
  const remotes = Object.fromEntries(NAMES.map((name) => [name, session.remoteOf(name)]))
  const shards = dividedAmong(NAMES, SHARDS, REPLICAS)
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
  session.expectWritten()
  return session
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
