// Follows the topology change that runs on this instance from state to state: waits for older
// tasks, hands over documents, waits for those of others, tells that they are there, and lets the
// task end. After a restart it begins again; what was sent twice counts once.
import {
  type Engine,
  type ExporterProgress,
  holdsAlone,
  importingText,
  type Remote,
  type Send,
  STATE_TEXTS,
  type TopologyChange,
  waitingText,
} from '../../engine/index.ts'
import { ApiError } from '../errors/index.ts'
import { exportTo } from './exporter.ts'
import { type CallTimes, callRemote } from './remote-call.ts'

/** How often a state looks around when nothing wakes it. */
const TICK_MS = 250
/** How often others are told again. */
const TELL_MS = 1000
/** How often others are told that a change was canceled, before that is given up. */
const CANCELS = 60
/** How long a remote that leaves and does not answer is waited for where it alone has documents. */
const ABSENT_MS = 30_000

export type CoordinatorParts = {
  readonly engine: Engine
  readonly send: Send
  readonly times: CallTimes
  /** Milliseconds of any clock. */
  readonly now: () => number
  readonly report: (message: string, error: unknown) => void
}

export class Coordinator {
  readonly #parts: CoordinatorParts
  #loop: Promise<void> | null = null
  #wake: () => void = () => undefined
  #isStopped = false
  #running: { readonly uid: number; readonly abort: AbortController } | null = null
  readonly #canceling = new Set<Promise<void>>()
  readonly #stop = new AbortController()

  constructor(parts: CoordinatorParts) {
    this.#parts = parts
  }

  start(): void {
    this.#parts.engine.topology.onTopology(() => this.#look())
    this.#look()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#running?.abort.abort()
    this.#stop.abort()
    this.#wake()
    await this.#loop
    await Promise.all(this.#canceling)
  }

  /** Something has happened: a change has come, moved on, or ended. */
  #look(): void {
    const { change } = this.#parts.engine.topology
    if (this.#running !== null && this.#running.uid !== change?.uid) this.#running.abort.abort()
    this.#wake()
    if (this.#loop !== null || change === null || this.#isStopped) return
    this.#loop = this.#run().finally(() => {
      this.#loop = null
      const isOpen = this.#parts.engine.topology.change !== null
      if (isOpen && !this.#isStopped) setTimeout(() => this.#look(), TELL_MS).unref()
    })
  }

  async #run(): Promise<void> {
    const { engine, report } = this.#parts
    for (;;) {
      const { change } = engine.topology
      if (change === null || this.#isStopped) return
      const abort = new AbortController()
      this.#running = { uid: change.uid, abort }
      try {
        await this.#follow(change, abort.signal)
      } catch (error) {
        if (!abort.signal.aborted) report('A change of the network does not go on.', error)
      }
      this.#running = null
      if (this.#isStopped) return
      if (engine.topology.change?.uid === change.uid) await this.#pause(TELL_MS)
      else this.#afterwards(change)
    }
  }

  /** What the leader has canceled is canceled everywhere. */
  #afterwards(change: TopologyChange): void {
    const { engine, report } = this.#parts
    if (change.origin.remoteName !== (change.after.self ?? change.before.self)) return
    const canceling = engine
      .task(change.uid, null)
      .then((task) => (task?.status === 'canceled' ? this.#cancelOthers(change) : undefined))
      .catch((error: unknown) => report('A change was canceled here alone.', error))
      .finally(() => this.#canceling.delete(canceling))
    this.#canceling.add(canceling)
  }

  async #cancelOthers(change: TopologyChange): Promise<void> {
    const { before, after, origin } = change
    const others = new Map([...before.remotes, ...after.remotes])
    others.delete(origin.remoteName)
    const message = { type: 'changeCanceledForRemote', remote: origin.remoteName }
    const { signal } = this.#stop
    for (let i = 0; i < CANCELS && others.size > 0 && !signal.aborted; i++) {
      if (i > 0) await new Promise((resolve) => setTimeout(resolve, TELL_MS).unref())
      await Promise.all(
        [...others].map(async ([name, remote]) => {
          const failure = await this.#send(change, remote, message, signal)
          if (failure === null || failure.code === 'remote_bad_request') others.delete(name)
        }),
      )
    }
  }

  async #follow(change: TopologyChange, signal: AbortSignal): Promise<void> {
    const { engine } = this.#parts
    const { topology } = engine
    if (topology.hasOlderTasks()) await topology.tell(change, STATE_TEXTS.waitingForOlderTasks)
    await this.#until(signal, () => !topology.hasOlderTasks())
    await topology.tell(change, STATE_TEXTS.exportingDocuments)
    const exports = this.#exports(change, signal)
    const failed: { error?: unknown } = {}
    exports.catch((error: unknown) => {
      failed.error = error
      this.#wake()
    })
    const began = this.#parts.now()
    await this.#until(signal, async () => {
      if ('error' in failed) throw failed.error
      const waited = this.#parts.now() - began
      const exporters = topology.exporters(change)
      if (exporters.every((one) => one.isFinished || isGivenUp(change, one, waited))) return true
      const isWaiting = exporters.some(({ isFinished }) => isFinished)
      await topology.tell(change, importingText(exporters), isWaiting)
      return false
    })
    await exports
    await this.#tellOthers(change, signal)
    await topology.tell(change, STATE_TEXTS.deletingDocuments)
    topology.complete(change)
    await this.#until(signal, () => topology.change?.uid !== change.uid)
  }

  /** Hands over to all remotes side by side. */
  async #exports(change: TopologyChange, signal: AbortSignal): Promise<void> {
    const { engine, send, times, report } = this.#parts
    const self = change.after.self ?? change.before.self
    const names = [...change.after.remotes.keys()].filter((name) => name !== self)
    const parts = { engine, send, times, signal, report }
    await Promise.all(names.map((name) => exportTo(parts, change, name)))
  }

  /** Tells that this instance has imported, until all have said the same. */
  async #tellOthers(change: TopologyChange, signal: AbortSignal): Promise<void> {
    const { engine, now } = this.#parts
    const { topology } = engine
    const { after, before, absent } = change
    const self = after.self
    const told = new Set<string>()
    const everyone = new Map([...before.remotes, ...after.remotes])
    if (self !== null) {
      await topology.importFinished(change.origin, self, true)
      everyone.delete(self)
    } else if (before.self !== null) everyone.delete(before.self)
    let tellAt = 0
    await this.#until(signal, async () => {
      const { finished } = topology.messages()
      const waiting = [...after.remotes.keys()].filter((name) => finished[name] !== true)
      const others = [...after.remotes.keys()].filter((name) => name !== self)
      const done = others.filter((name) => finished[name] === true).length
      if (now() >= tellAt && self !== null) {
        tellAt = now() + TELL_MS
        const names = [...everyone.keys()].filter((name) => !told.has(name))
        await Promise.all(
          names.map((name) =>
            this.#tell(change, name, everyone.get(name)!, finished, told, signal),
          ),
        )
      }
      const untold = [...everyone.keys()].filter(
        (name) => !told.has(name) && !absent.includes(name) && self !== null,
      )
      if (waiting.length === 0 && untold.length === 0) return true
      await topology.tell(change, waitingText(waiting.length > 0 ? waiting : untold, done))
      return false
    })
  }

  async #tell(
    change: TopologyChange,
    name: string,
    remote: Remote,
    finished: { readonly [remote: string]: boolean },
    told: Set<string>,
    signal: AbortSignal,
  ): Promise<void> {
    const message = {
      type: 'importFinishedForRemote',
      remote: change.after.self,
      successful: true,
    }
    const failure = await this.#send(change, remote, message, signal)
    // An instance that has finished has no change any more.
    const isOver = failure?.message.includes('import_task_without_network_task') === true
    const isHeard = failure === null || failure.code === 'remote_bad_request'
    if (isHeard || (isOver && finished[name] === true)) told.add(name)
  }

  /** Why a message did not arrive; null: it did. */
  async #send(
    { origin }: TopologyChange,
    remote: Remote,
    message: object,
    signal: AbortSignal,
  ): Promise<ApiError | null> {
    const { send, times } = this.#parts
    try {
      await callRemote(send, remote, {
        method: 'POST',
        path: '/network/control',
        body: Buffer.from(JSON.stringify({ origin, message })),
        headers: { 'content-type': 'application/json' },
        apiKey: remote.writeApiKey,
        times,
        action: 'network.update',
        signal,
      })
      return null
    } catch (error) {
      if (error instanceof ApiError) return error
      throw error
    }
  }

  /** Waits until something holds. @throws when the change is over */
  async #until(signal: AbortSignal, holds: () => boolean | Promise<boolean>): Promise<void> {
    for (;;) {
      if (signal.aborted) throw new Error('the change is over')
      if (await holds()) return
      await this.#pause(TICK_MS)
    }
  }

  #pause(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, ms)
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

/** A remote that leaves without a word is not waited for where others have what it has. */
function isGivenUp(
  { absent, before }: TopologyChange,
  { remote }: ExporterProgress,
  waitedMs: number,
): boolean {
  if (!absent.includes(remote)) return false
  return !holdsAlone(before, remote) || waitedMs >= ABSENT_MS
}
