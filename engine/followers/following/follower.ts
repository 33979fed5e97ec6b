// Follows a database that another process publishes into an object store: checks for a newer
// snapshot every few seconds and takes it over. Searches continue meanwhile; they use the new views
// when the edit is durable. A failed check changes nothing, and the next one tries again.
import { asIndexUid, type IndexUid } from '../../../format/ids.ts'
import { type Bucket, type HeadRef, heads, UnreadableHeads } from '../../backup/objstore/index.ts'
import { Canceled, type FollowStatus } from '../../model/index.ts'
import { FOLLOWING, type State } from '../../store/catalog/index.ts'
import type { Views } from '../../store/views/index.ts'
import { sleepUnlessAborted, steadyMs } from '../../time/index.ts'
import type { TaskQueue } from '../../write/tasks/index.ts'
import { Backlog } from './backlog.ts'
import type { Source } from './download.ts'
import { mayPass, pauseAfter } from './failures.ts'
import { BUCKET_MS_MAX, WAIT_MS_MAX } from './limits.ts'
import { newestState } from './newest-state.ts'
import { OwnLeases } from './own-leases.ts'
import { type Following, followingOf } from './record.ts'
import { checkRelease, ForeignSnapshot } from './snapshot-files.ts'
import { TakeOver, type TakeOverParts } from './take-over.ts'

export class Follower {
  readonly #parts: TakeOverParts
  readonly #halt = new AbortController()
  readonly #backlog: Backlog
  readonly #leases: OwnLeases
  readonly #taking: TakeOver
  readonly #unreadable: UnreadableHeads
  /** Called after another state was taken over, or more of its indexes. */
  onNewState: () => void = () => undefined
  #running: Promise<void> = Promise.resolve()
  #checkedAt: number | null = null
  #problem: string | null = null
  #downloadProblem: string | null = null
  /** The store as the backlog uses it, and the time of its opening. */
  #opened: { readonly bucket: Bucket; readonly at: number } | null = null
  /** Whether the next check must not wait. */
  #isAwaited = false
  #endPause: () => void = () => undefined

  constructor(parts: TakeOverParts) {
    this.#parts = parts
    const { fs, options } = parts
    this.#unreadable = new UnreadableHeads((message) => options.say('warn', message))
    this.#leases = new OwnLeases(options.now)
    this.#backlog = new Backlog({
      fs,
      source: async () => ({ bucket: await this.#bucket(), place: options.place }),
      waitMsMax: options.waitMsMax ?? WAIT_MS_MAX,
      pause: (failures, signal) => sleepUnlessAborted(pauseAfter(failures, options.pollMs), signal),
      onReady: () => {
        this.#isAwaited = true
        this.#endPause()
      },
      onFailure: (error) => this.#noteDownload(error),
    })
    this.#taking = new TakeOver(parts, this.#backlog, this.#leases)
  }

  get views(): Views {
    return this.#parts.live.views
  }

  get follows(): FollowStatus {
    const following = this.#following
    return {
      unreadable: this.#unreadable.count,
      source: this.#parts.options.source,
      snapshot: following?.snapshot || null,
      publishedAt: following?.publishedAt || null,
      checkedAt: this.#checkedAt,
      problem: this.#problem ?? this.#downloadProblem,
      missingIndexes: this.#backlog.missing.size,
      missingBytes: this.#backlog.bytesLeft,
    }
  }

  /** The tasks of the followed database; valid after `open`. */
  get queue(): TaskQueue {
    return this.#taking.queue
  }

  /** The state with the figures of all indexes, also of those that are being downloaded. */
  get described(): State {
    return this.#taking.latest ?? this.#parts.manifest.state
  }

  get #following(): Following | null {
    return followingOf(this.#parts.manifest.state)
  }

  /**
   * Prepares to serve: the state that was taken over before, or, in an empty folder, the newest
   * snapshot, for which it waits. @throws StorageError, CorruptionError
   */
  async open(): Promise<void> {
    const { fs, options } = this.#parts
    fs.makeDirectory(FOLLOWING)
    fs.syncDirectory('')
    this.#backlog.miss(new Set(this.#following?.missing))
    for (;;) {
      const following = this.#following
      const mayServe = options.download === 'lazily' || this.#backlog.missing.size === 0
      if (following !== null && mayServe) {
        return this.#taking.openQueue(following)
      }
      const isWell = await this.#tryCheck()
      if (!isWell) await this.#pause(options.pollMs)
    }
  }

  start(): void {
    this.#parts.live.publish()
    this.#running = this.#follow()
  }

  idle(): Promise<void> {
    return Promise.resolve()
  }

  allMerged(): Promise<void> {
    return Promise.resolve()
  }

  async stop(): Promise<void> {
    this.#halt.abort()
    await this.#backlog.stop()
    await this.#running
  }

  cleaned(): Promise<void> {
    return this.#parts.live.cleaned()
  }

  /** As `Runner` says. */
  whenServed(uids: readonly IndexUid[]): Promise<void> | null {
    if (this.#backlog.missing.size === 0) return null
    const { byUid, indexes } = this.#parts.manifest.state
    const numbers = uids.flatMap((uid) => byUid.get(uid) ?? [])
    return this.#backlog.wait(numbers, (number) => indexes.get(number)?.uid ?? asIndexUid(''))
  }

  async #follow(): Promise<void> {
    const { options } = this.#parts
    let failures = 0
    while (!this.#halt.signal.aborted) {
      await this.#pause(pauseAfter(failures, options.pollMs))
      if (this.#halt.signal.aborted) return
      const isWell = await this.#tryCheck().catch((error: unknown) => {
        // A programming error: the current state is still served.
        options.report('Following failed.', error)
        this.#problem = String(error)
        return false
      })
      failures = isWell ? 0 : failures + 1
    }
  }

  async #pause(ms: number): Promise<void> {
    const end = new AbortController()
    this.#endPause = () => end.abort()
    if (!this.#isAwaited)
      await sleepUnlessAborted(ms, AbortSignal.any([this.#halt.signal, end.signal]))
    this.#isAwaited = false
  }

  async #bucket(): Promise<Bucket> {
    const { openBucket } = this.#parts.options
    if (this.#opened === null || steadyMs() - this.#opened.at > BUCKET_MS_MAX) {
      this.#opened = { bucket: await openBucket(this.#halt.signal), at: steadyMs() }
    }
    return this.#opened.bucket
  }

  /** Checks once for a newer state and takes it over. Returns false after a temporary failure. */
  async #tryCheck(): Promise<boolean> {
    const { options } = this.#parts
    try {
      const bucket = await options.openBucket(this.#halt.signal)
      await this.#check({ bucket, place: options.place })
      this.#checkedAt = options.now()
      if (this.#problem !== null) options.say('info', `Follows ${options.source} again.`)
      this.#problem = null
      return true
    } catch (error) {
      if (error instanceof Canceled || this.#halt.signal.aborted) return false
      if (!mayPass(error)) throw error
      const words = error.message
      if (words !== this.#problem) {
        const where = options.store === undefined ? '' : ` (${options.store})`
        options.say(
          'warn',
          `Could not take over the new state of ${options.source}: ${words}${where}`,
        )
      }
      this.#problem = words
      return false
    }
  }

  /** `error`: why a file of the backlog failed, or null after a success. */
  #noteDownload(error: unknown): void {
    if (error instanceof Canceled) return
    const { say, report } = this.#parts.options
    const words = error === null ? null : mayPass(error) ? error.message : String(error)
    if (words === this.#downloadProblem) return
    this.#downloadProblem = words
    if (words === null) return
    if (!mayPass(error)) report('Downloading failed.', error)
    else say('warn', `A file of an index could not be downloaded and will be tried again: ${words}`)
  }

  async #check(source: Source): Promise<void> {
    const { options } = this.#parts
    const newest = await newestState(source, this.#unreadable, this.#following, options.say)
    if (newest === null) throw new ForeignSnapshot('no snapshot was published yet')
    const follower = this.#following?.follower ?? options.name
    await this.#leases.hold(source, 'state', follower, newest.name)
    await this.#leases.renew(source)
    const { missing, ready, isAimed } = this.#backlog
    const isNews = newest.name !== this.#following?.snapshot
    const isLost = missing.size > 0 && !(isAimed && this.#taking.hasLatest)
    if (!isNews && !isLost && ready.size === 0) return
    const work = (): Promise<void> =>
      isNews || isLost ? this.#takeOver(source, newest) : this.#taking.admit(source)
    await this.#leases.during(source, work, (error) => {
      const isPassing = mayPass(error) || error instanceof Canceled
      if (!isPassing) options.report('A lease could not be renewed.', error)
    })
    this.onNewState()
  }

  async #takeOver(source: Source, newest: HeadRef): Promise<void> {
    const { say, version } = this.#parts.options
    const begun = steadyMs()
    const head = await heads.read(source.bucket, source.place, newest)
    checkRelease(head, version)
    const bytes = await this.#taking.takeOver(source, newest.name, head)
    say('info', `Took over ${newest.name}: ${bytes} bytes in ${Math.round(steadyMs() - begun)} ms.`)
  }
}
