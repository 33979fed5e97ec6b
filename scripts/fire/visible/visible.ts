// Clients that write a document and then search for it, by its task, on any instance: on one alone,
// on a writer and its followers, on the members of a network. Instances are killed meanwhile. No
// answer may be stale, and no request may wait in vain.
import assert from 'node:assert/strict'
import { type Random, randomOf } from '../../../engine/store/storage/index.ts'
import { Member } from '../network/member.ts'
import { endOfTask, pause, untilHolds, untilIdle } from '../parts/client.ts'
import { inFolder } from '../parts/database.ts'
import { Instance, PLACE } from '../parts/instance.ts'
import { chosen, type Report, type Run } from '../parts/report.ts'
import { FireStore, StoreWay, storeWords } from '../parts/store.ts'

export const VISIBLE_KINDS = ['alone', 'followers', 'network'] as const
type Kind = (typeof VISIBLE_KINDS)[number]

type Options = Run & {
  readonly pairs: number
  readonly clients: number
  /** Kinds with commas between. */
  readonly only: string
  /** Milliseconds between kills; 0 kills nothing. */
  readonly kill: number
}

const ACCEPTED = 202
const OK = 200
const LATE = 504
/** Longer than an instance is away, and than a state takes to a follower. */
const WAIT_MS = 30_000
const AWAY_MS_MAX = 1500
const RETRY_MS = 20
const REACHABLE_MS_MAX = 120_000

type Part = {
  /** The first one accepts writes. */
  readonly instances: readonly Instance[]
  readonly end: () => Promise<void>
}

const STARTS: { readonly [K in Kind]: (root: string, seed: number) => Promise<Part> } = {
  alone: async (root) => {
    const one = new Instance({ name: 'one', root })
    await one.start()
    return { instances: [one], end: () => one.kill() }
  },
  followers: startFollowers,
  network: startNetwork,
}

/** A writer that publishes every second, and two followers that look every second. */
async function startFollowers(root: string, seed: number): Promise<Part> {
  const store = await FireStore.start(seed)
  const way = await StoreWay.start(store)
  const instanceOf = (name: string, more: readonly string[]): Instance =>
    new Instance({ name, root, words: [...storeWords(way.url), ...more] })
  const writer = instanceOf('writer', ['--objstore-publish-interval', '1'])
  await writer.start()
  await createIndex(writer)
  const follow = ['--follow', `objstore:${PLACE}`, '--follow-poll-interval', '1']
  const followers = ['f', 'g'].map((name) => instanceOf(name, follow))
  for (const follower of followers) await follower.start()
  const instances = [writer, ...followers]
  const end = async (): Promise<void> => {
    for (const instance of instances) await instance.kill()
    way.stop()
    store.stop()
  }
  return { instances, end }
}

/** Three instances, of which each shard has two. */
async function startNetwork(root: string): Promise<Part> {
  const members: Member[] = []
  for (const name of ['a', 'b', 'c']) members.push(await Member.start(name, root))
  for (const member of members) {
    await member.expect(OK, 'PATCH', '/experimental-features', { network: true })
  }
  const remotes = Object.fromEntries(members.map(({ name, url }) => [name, { url }]))
  const shards = { r: ['a', 'b'], s: ['b', 'c'], t: ['c', 'a'] }
  const formed = await members[0]!.expect(ACCEPTED, 'PATCH', '/network', {
    self: 'a',
    leader: 'a',
    remotes,
    shards: Object.fromEntries(
      Object.entries(shards).map(([name, owners]) => [name, { remotes: owners }]),
    ),
  })
  await endOfTask(members[0]!, formed.json.taskUid)
  for (const member of members) await untilIdle(member)
  const end = async (): Promise<void> => {
    for (const member of members) await member.end()
  }
  return { instances: members, end }
}

/** Creates the index, so that no search is refused for its absence. */
const createIndex = async (writer: Instance): Promise<void> => {
  const path = '/indexes/pairs/documents?wait=searchable&timeout=60000'
  const { json } = await writer.expect(OK, 'POST', path, [{ id: 0, word: 'w0x0' }])
  assert.equal(json.status, 'succeeded')
}

class Pairs {
  readonly problems: string[] = []
  readonly writeMs: number[] = []
  readonly pairMs: number[] = []
  kills = 0
  isOver = false
  readonly #part: Part
  readonly #random: Random

  constructor(part: Part, random: Random) {
    this.#part = part
    this.#random = random
  }

  /** Writes and searches documents of one client, one after another. */
  async client(id: number, pairs: number): Promise<void> {
    for (let version = 1; version <= pairs; version++) {
      const word = `w${id}x${version}`
      const begun = performance.now()
      const written = await this.#write({ id, word })
      const isBroken = await this.#search(written, { id, word })
      // A kill in between says nothing about durations.
      if (written.isBroken || isBroken) continue
      this.writeMs.push(written.ms)
      this.pairMs.push(performance.now() - begun)
    }
  }

  async #write(document: object) {
    const writer = this.#part.instances[0]!
    const begun = performance.now()
    for (let isBroken = false; ; isBroken = true) {
      const path = '/indexes/pairs/documents'
      const answer = await writer.ask('POST', path, { body: [document] }).catch(ignoreBroken)
      if (answer?.status === ACCEPTED) {
        return { uid: answer.json.taskUid as number, ms: performance.now() - begun, isBroken }
      }
      if (answer !== null) this.problems.push(`a write: ${answer.status} ${answer.text}`)
      await pause(RETRY_MS)
    }
  }

  /** Searches on one instance after another until one answers. Returns whether one did not. */
  async #search({ uid }: { readonly uid: number }, wanted: { id: number; word: string }) {
    const { instances } = this.#part
    for (let isBroken = false; ; isBroken = true) {
      const instance = instances[this.#random.below(instances.length)]!
      const body = { q: wanted.word, limit: 100, minTaskUid: uid, minTaskTimeout: WAIT_MS }
      const path = '/indexes/pairs/search'
      const answer = await instance.ask('POST', path, { body }).catch(ignoreBroken)
      if (answer !== null) {
        this.#check(answer, uid, wanted, instance.name)
        return isBroken
      }
      await pause(RETRY_MS)
    }
  }

  #check(
    { status, json, text, headers }: Awaited<ReturnType<Instance['ask']>>,
    uid: number,
    { id, word }: { readonly id: number; readonly word: string },
    name: string,
  ): void {
    const where = `task ${uid} on ${name}`
    if (status === LATE) this.problems.push(`late: ${where}: ${text}`)
    else if (status !== OK) this.problems.push(`refused: ${where}: ${status} ${text}`)
    else {
      const hits = json.hits as readonly { readonly id: number; readonly word: string }[]
      const isThere = hits.some((hit) => hit.id === id && hit.word === word)
      if (!isThere) this.problems.push(`stale: ${where}: ${text.slice(0, 300)}`)
      const newest = headers['svc-task-uid']
      if (newest !== undefined && Number(newest) < uid) {
        this.problems.push(`${where}: the answer contains only ${newest}`)
      }
    }
  }

  /** Kills one instance after another until the clients have ended. */
  async killer(everyMs: number): Promise<void> {
    const { instances } = this.#part
    while (everyMs > 0) {
      for (let left = everyMs; left > 0 && !this.isOver; left -= RETRY_MS) await pause(RETRY_MS)
      if (this.isOver) return
      const instance = instances[this.#random.below(instances.length)]!
      await instance.kill()
      this.kills++
      await pause(this.#random.below(AWAY_MS_MAX))
      await instance.start()
      const isThere = async () => (await instance.ask('GET', '/health')).status === OK
      await untilHolds(`${instance.name} is back`, REACHABLE_MS_MAX, isThere)
    }
  }
}

const ignoreBroken = (): null => null

export async function visible(given: Options): Promise<Report> {
  const figures: { [name: string]: number | readonly number[] } = {}
  const problems: string[] = []
  for (const kind of chosen(given.only, VISIBLE_KINDS)) {
    const about = (): string => `${kind}, seed ${given.seed}`
    await inFolder(about, async (root) => {
      const part = await STARTS[kind](root, given.seed)
      try {
        await createIndex(part.instances[0]!)
        const found = await runPairs(part, given, kind)
        figures[`${kind}: write`] = found.writeMs
        figures[`${kind}: write and search`] = found.pairMs
        figures[`${kind}: kills`] = found.kills
        problems.push(...found.problems.map((text) => `${kind}: ${text}`))
      } finally {
        await part.end()
      }
    })
  }
  return { figures, problems }
}

async function runPairs(part: Part, given: Options, kind: Kind): Promise<Pairs> {
  const { clients, pairs, kill, seed, progress } = given
  const run = new Pairs(part, randomOf(seed))
  const killer = run.killer(kind === 'alone' ? 0 : kill)
  const each = Math.ceil(pairs / clients)
  let ended = 0
  const work = Array.from({ length: clients }, async (_, client) => {
    await run.client(client + 1, each)
    progress?.(++ended, clients, kind)
  })
  await Promise.all(work)
  run.isOver = true
  await killer
  return run
}
