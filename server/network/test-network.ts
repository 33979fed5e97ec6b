// For tests: several instances in this process form a network; their folders survive restarts.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startServer, type TestServer } from '../testing/test-server.ts'

export type Body = { readonly [member: string]: unknown }
export type Shards = { readonly [shard: string]: readonly string[] }

const LOOK_MS = 50

export class TestNetwork {
  readonly #folder = mkdtempSync(join(tmpdir(), 'svc-network-'))
  readonly #options: { readonly [option: string]: string }
  readonly #servers = new Map<string, TestServer>()
  readonly #addresses = new Map<string, string>()

  /** `options` apply to all instances; names are those of the environment without prefix. */
  constructor(options: { readonly [option: string]: string } = {}) {
    this.#options = options
  }

  /** Starts an instance, or restarts it at its address. */
  async start(name: string): Promise<void> {
    const address = this.#addresses.get(name) ?? '127.0.0.1:0'
    const server = await startServer({
      ...this.#options,
      HTTP_ADDR: address,
      DB_PATH: this.folderOf(name),
    })
    this.#servers.set(name, server)
    this.#addresses.set(name, new URL(server.url).host)
    await this.ask(name, 'PATCH', '/experimental-features', { network: true })
  }

  async stop(name: string): Promise<void> {
    const server = this.#servers.get(name)
    this.#servers.delete(name)
    await server?.stop()
  }

  async end(): Promise<void> {
    for (const name of [...this.#servers.keys()]) await this.stop(name)
    rmSync(this.#folder, { recursive: true })
  }

  /** Returns the path of the instance's database. */
  folderOf(name: string): string {
    return join(this.#folder, name)
  }

  url(name: string): string {
    return `http://${this.#addresses.get(name)}`
  }

  /** Starts all instances; the first one is the leader. */
  async form(names: readonly string[], shards: Shards): Promise<void> {
    for (const name of names) await this.start(name)
    const leader = names[0]!
    const answer = await this.ask(leader, 'PATCH', '/network', {
      self: leader,
      leader,
      remotes: Object.fromEntries(names.map((name) => [name, { url: this.url(name) }])),
      shards: Object.fromEntries(
        Object.entries(shards).map(([shard, remotes]) => [shard, { remotes }]),
      ),
    })
    if (answer['http'] !== 202) throw new Error(JSON.stringify(answer))
    await this.settled()
  }

  async ask(name: string, method: string, path: string, body?: unknown): Promise<Body> {
    const server = this.#servers.get(name)
    if (server === undefined) throw new Error(`${name} does not run`)
    const answer = await server.ask(method, path, body)
    return { http: answer.status, ...(answer.body as object) }
  }

  /** Waits until no instance has a waiting or running task. */
  settled(): Promise<void> {
    const waiting = '/tasks?statuses=enqueued,processing&limit=1'
    return this.until(async () => {
      const names = [...this.#servers.keys()]
      const lists = await Promise.all(names.map((name) => this.ask(name, 'GET', waiting)))
      return lists.every(({ total }) => total === 0)
    })
  }

  /** Waits until `holds` returns true; the test's time limit ends it. */
  async until(holds: () => boolean | Promise<boolean>): Promise<void> {
    while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, LOOK_MS))
  }

  /** Returns the settings and documents of each index of one instance, by uid. */
  async content(name: string): Promise<Body> {
    const { results } = await this.ask(name, 'GET', '/indexes?limit=1000')
    const uids = (results as readonly { readonly uid: string }[]).map(({ uid }) => uid).sort()
    const entries = uids.map(async (uid) => {
      const settings = await this.ask(name, 'GET', `/indexes/${uid}/settings`)
      const list = await this.ask(name, 'POST', `/indexes/${uid}/documents/fetch`, {
        limit: 10_000,
        useNetwork: false,
      })
      const documents = (list['results'] as readonly Body[]).toSorted(byId)
      return [uid, { settings, documents }] as const
    })
    return Object.fromEntries(await Promise.all(entries))
  }
}

const byId = (a: Body, b: Body): number => Number(a['id']) - Number(b['id'])
