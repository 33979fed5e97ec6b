// Where writers hold a lease: decides whether this instance is the writer or follows it, and
// changes its role while it runs. HTTP goes on: requests wait while the engine is replaced.
import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  ArchiveError,
  type Bucket,
  endOf,
  FIRST,
  obeysConditions,
  openBucket,
  placeBefore,
  type Start,
  type StoreOptions,
  storeWords,
  type Transport,
  UnreadableHeads,
  WriterLease,
  writerStore,
} from '../../engine/backup.ts'
import {
  Canceled,
  decideRole,
  demoteToFollower,
  type Engine,
  EngineFault,
  type EngineOptions,
  type ExaminedFolder,
  examineFolder,
  type FileSystem,
  type FollowOptions,
  fencedTransport,
  openEngine,
  openFollower,
  promoteFollower,
  RealFileSystem,
  type Role,
  StorageError,
} from '../../engine/index.ts'
import { type Config, LaunchError, RELEASE } from '../config/index.ts'
import type { Log } from '../log/index.ts'
import { followOptions, launchFeatures, publishOptions } from './engine-options.ts'
import type { Running } from './run.ts'
import { saveUnpublished } from './unpublished.ts'

export type RoleParts = {
  readonly config: Config
  readonly leaseMs: number
  readonly options: EngineOptions
  readonly store: StoreOptions
  /** Calls the store, which must not be silent for long. */
  readonly transport: Transport
  readonly log: Log
  /** Serves an engine; `before`: the server that listens already, or null. */
  readonly serve: (engine: Engine, before: Running | null) => Promise<Running>
  /** Ends the process: its files cannot be changed as a new role needs it. */
  readonly exit: (error: StorageError) => void
}

/** Pause between attempts to reach the store at the start. */
const RETRY_MS = 1000
/** How long credentials of the store are used. */
const BUCKET_MS = 5 * 60_000
/** A request for the record may take this part of the lease, so that it can be repeated in time. */
const REQUEST_SHARE = 0.25
/** Running requests may take this part of the lease when the engine is replaced… */
const LEAVE_SHARE = 0.25
/** …and no longer than this: searches end in this time. */
const LEAVE_MS_MAX = 1500

export class Roles {
  readonly #parts: RoleParts
  readonly #fs: FileSystem
  readonly #follow: FollowOptions
  readonly #folder: ExaminedFolder
  /** Ends waiting when the process stops. */
  readonly #halt = new AbortController()
  /** Ends the renewal of the lease. */
  readonly #releasing = new AbortController()
  #hasOpened = false
  #opened: { readonly bucket: Bucket; readonly at: number } | null = null
  #lease: WriterLease
  #keeping: Promise<void> = Promise.resolve()
  #running: Running | null = null
  #changing: Promise<void> = Promise.resolve()

  private constructor(parts: RoleParts, folder: ExaminedFolder) {
    const { config, log, transport } = parts
    this.#parts = parts
    this.#fs = fileSystemOf(parts)
    this.#folder = folder
    this.#follow = followOptions(config, RELEASE.version, log.for('svc::follow'), transport)!
    this.#lease = this.#newLease()
  }

  /** Resolves when the instance listens in its first role. @throws LaunchError, StorageError */
  static async start(parts: RoleParts): Promise<Roles> {
    const folder = await examineFolder(fileSystemOf(parts))
    const roles = new Roles(parts, folder)
    await roles.#expectConditions()
    await roles.#take(await roles.#decide(folder.kind))
    roles.#changing = roles.#change()
    return roles
  }

  get running(): Running {
    return this.#running!
  }

  /** Publishes the last state, gives the lease back, and ends. */
  async stop(): Promise<void> {
    this.#halt.abort()
    await this.#changing
    await this.#running?.stop()
    await this.#endLease()
  }

  async #endLease(): Promise<void> {
    this.#releasing.abort()
    await this.#keeping
    await this.#lease.release().catch((error: unknown) => {
      // The next writer waits until the lease ends.
      if (!isTemporary(error)) throw error
    })
  }

  /** Changes the role whenever the lease is lost or won. */
  async #change(): Promise<void> {
    const { signal } = this.#halt
    const halted = new Promise<void>((resolve) => {
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
    try {
      while (!signal.aborted) {
        const { engine } = this.running
        if (engine.follows === null) {
          await Promise.race([this.#lease.lost, halted])
          if (!signal.aborted) await this.#resign()
        } else if (await this.#lease.await((head) => hasState(engine, head), signal)) {
          await this.#takeOver()
        }
      }
    } catch (error) {
      if (signal.aborted && error instanceof Canceled) return
      if (!(error instanceof StorageError)) throw error
      // Requests would wait for the new role: others answer them, and one of them may write.
      await this.#endLease()
      this.#parts.exit(error)
    }
  }

  /** Another process has the lease. Reads continue until the new role is known. */
  async #resign(): Promise<void> {
    this.#lease = this.#newLease()
    const role = await this.#decide('own')
    await this.#leave()
    await this.#take(role)
  }

  /** This process has the lease, and the newest state. */
  async #takeOver(): Promise<void> {
    this.#say('info', `Takes over as the writer, term ${this.#lease.term}.`)
    this.#keep()
    await this.#leave()
    await promoteFollower(this.#fs, RELEASE.version)
    await this.#take('claim')
  }

  async #leave(): Promise<void> {
    await this.running.leave(Math.min(this.#parts.leaseMs * LEAVE_SHARE, LEAVE_MS_MAX))
    await this.running.engine.close()
  }

  /** The instances whose place this one may take. */
  get #replaces(): readonly (string | undefined)[] {
    return [this.#folder.note.replaces, this.#parts.config.objstorePublishReplaces ?? undefined]
  }

  /**
   * Decides the role; for a writer, holds the lease when it resolves.
   * @throws LaunchError, Canceled when the process stops
   */
  async #decide(folder: ExaminedFolder['kind']): Promise<Role> {
    const isStandby = this.#parts.config.follow !== null
    const instance = this.#folder.identity.id
    for (;;) {
      const record = await this.#reached(() => this.#lease.look())
      const role = decideRole({ folder, instance, replaces: this.#replaces, record, isStandby })
      if (role === 'refuse') throw foreignFolder(this.#parts, record?.instance)
      if (role === 'follow' || role === 'demote') return role
      const isMine =
        role === 'replace'
          ? await this.#lease.await(() => true, this.#halt.signal)
          : await this.#reached(async () => this.#lease.claim(await this.#start()))
      if (isMine) {
        this.#keep()
        return 'claim'
      }
      // Another process was faster.
    }
  }

  async #start(): Promise<Start> {
    if (this.#lease.record !== null) return FIRST
    const bucket = await this.#bucket()
    const unreadable = new UnreadableHeads((message) => this.#say('warn', message))
    const { id } = this.#folder.identity
    return placeBefore(bucket, this.#parts.store.place, [id, ...this.#replaces], unreadable)
  }

  async #take(role: Role): Promise<void> {
    if (role === 'demote') await this.#demote()
    const engine = role === 'claim' ? await this.#openWriter() : await this.#openFollower()
    this.#running = await this.#parts.serve(engine, this.#running)
  }

  #openWriter(): Promise<Engine> {
    const { config, log, options, transport } = this.#parts
    const fenced = this.#fenced()
    const publish = publishOptions(config, fenced, log.for('svc::publish'), this.#lease, transport)
    return openEngine({ ...options, ...this.#threads(), ...fenced, ...publish })
  }

  #openFollower(): Promise<Engine> {
    const { config, options } = this.#parts
    this.#say('info', 'Follows the writer, and takes over when it is silent.')
    const alwaysOn = launchFeatures(config)
    return openFollower({ ...options, ...this.#threads(), follow: this.#follow, alwaysOn })
  }

  /** Only the first engine uses the search thread that runs already. */
  #threads(): Pick<EngineOptions, 'workers'> {
    const { workers } = this.#parts.options
    const isFirst = !this.#hasOpened
    this.#hasOpened = true
    return { workers: isFirst || workers === null ? workers : { ...workers, firstSearch: null } }
  }

  /** Returns the options of snapshots: nothing is sent while the lease is not held. */
  #fenced(): Pick<EngineOptions, 'snapshots'> {
    const { options, store } = this.#parts
    const transport = fencedTransport(this.#lease, store.transport)
    return { snapshots: { ...options.snapshots!, store: { ...store, transport } } }
  }

  /** Saves what only this folder has, and makes it a follower's. */
  async #demote(): Promise<void> {
    const { config, options, log, transport } = this.#parts
    const { id } = this.#folder.identity
    const { term } = endOf(this.#lease.record!, id)!
    const { nextTask } = this.#lease
    this.#lease.yield()
    // An engine that runs no tasks and keeps the bodies of those that have run.
    const publish = publishOptions(config, options, log.for('svc::publish'), this.#lease, transport)
    const threads = this.#threads()
    const engine = await openEngine({ ...options, ...threads, ...publish, batchTasksMax: 0 })
    const saved = await saveUnpublished(engine, this.#fs, config.dbPath, term, nextTask).finally(
      () => engine.close(),
    )
    this.#lease = this.#newLease()
    if (saved !== null) {
      const { requests, file } = saved
      this.#say(
        'warn',
        `Another instance is the writer. Writes that were stored here and never published: ` +
          `${requests}; they are kept in ${file}.`,
      )
    }
    await demoteToFollower(this.#fs, this.#follow)
  }

  #newLease(): WriterLease {
    const { leaseMs, store } = this.#parts
    const timeoutMs = leaseMs * REQUEST_SHARE
    const open = async (signal: AbortSignal): Promise<Bucket> =>
      (await this.#bucket()).until(signal)
    return new WriterLease({
      store: writerStore(open, store.place, timeoutMs),
      instance: this.#folder.identity.id,
      process: this.#folder.identity.process,
      leaseMs,
      say: (level, message) => this.#say(level, message),
    })
  }

  /** Renews the lease from now on; engines are opened meanwhile. */
  #keep(): void {
    this.#keeping = this.#lease.keep(this.#releasing.signal)
  }

  async #bucket(): Promise<Bucket> {
    const { store, transport } = this.#parts
    if (this.#opened === null || performance.now() - this.#opened.at > BUCKET_MS) {
      const signal = new AbortController().signal
      const bucket = await openBucket({ ...store, transport, retryMsMax: 0 }, signal)
      this.#opened = { bucket, at: performance.now() }
    }
    return this.#opened.bucket
  }

  /** @throws LaunchError if the store ignores conditions of writes */
  async #expectConditions(): Promise<void> {
    const { store } = this.#parts
    const random = randomUUID().slice(0, 8)
    const obeys = await this.#reached(async () =>
      obeysConditions(await this.#bucket(), store.place, random),
    )
    if (obeys) return
    throw new LaunchError(
      `--objstore-writer-lease needs a store with conditional writes (If-None-Match, If-Match), ` +
        `and ${storeWords(store)} has none: use one that has them, or start without the option`,
      1,
    )
  }

  /** Does work that needs the store, again until it answers. @throws LaunchError, Canceled */
  async #reached<T>(work: () => Promise<T>): Promise<T> {
    const { signal } = this.#halt
    let problem = ''
    for (;;) {
      try {
        return await work()
      } catch (error) {
        if (signal.aborted) throw new Canceled()
        if (error instanceof EngineFault && error.code === 'another_publisher') {
          throw new LaunchError(error.message, 1, { cause: error })
        }
        if (!isTemporary(error)) throw error
        const words = `Waits for ${storeWords(this.#parts.store)}: ${error.message}`
        if (words !== problem) this.#say('warn', words)
        problem = words
        await sleep(RETRY_MS, undefined, { signal }).catch(() => undefined)
      }
    }
  }

  #say(level: 'info' | 'warn', message: string): void {
    this.#parts.log.for('svc::writer')[level](message)
  }
}

const fileSystemOf = ({ options, config }: RoleParts): FileSystem =>
  options.fileSystem ?? RealFileSystem.create(config.dbPath)

/** Returns whether a follower serves the newest published state, with all its indexes. */
const hasState = ({ follows }: Engine, head: string | null): boolean =>
  head !== null && follows?.snapshot === head && follows.missingIndexes === 0

const isTemporary = (error: unknown): error is Error =>
  error instanceof EngineFault || error instanceof ArchiveError || error instanceof Canceled

const foreignFolder = ({ config, store }: RoleParts, writer = '?'): LaunchError =>
  new LaunchError(
    `the folder ${config.dbPath} holds a database of its own, and the instance ${writer} is the ` +
      `writer in ${storeWords(store)}: choose an empty folder to follow it, or start with ` +
      `--objstore-publish-replaces ${writer} to replace its data with those of this folder`,
    1,
  )
