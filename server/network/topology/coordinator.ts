// Runs the topology change of this instance's task, and notifies others when the leader cancels
// one. After a restart it begins again.
import { addAbortListener } from 'node:events'
import { type Engine, Pause, type Send, type TopologyChange } from '../../../engine/index.ts'
import type { TaskUid } from '../../../format/ids.ts'
import type { CallTimes } from '../calls/index.ts'
import { ChangeCalls } from './change-calls.ts'
import { ChangeFollower, type FollowerParts } from './change-follower.ts'

/** Interval at which a state is checked if no event wakes it. */
const TICK_MS = 250
/** Pause after a failure, and interval between messages about a cancelation. */
const RETRY_MS = 1000
/** Number of messages about a cancelation; afterwards members poll the leader. */
const CANCELS = 60

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
  readonly #pause = new Pause()
  #isStopped = false
  #running: { readonly uid: TaskUid; readonly abort: AbortController } | null = null
  readonly #canceling = new Set<Promise<void>>()
  readonly #stop = new AbortController()
  readonly #calls: ChangeCalls

  constructor(parts: CoordinatorParts) {
    this.#parts = parts
    this.#calls = new ChangeCalls(parts)
  }

  start(): void {
    this.#parts.engine.topology.onTopology(() => this.#update())
    this.#update()
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    this.#running?.abort.abort()
    this.#stop.abort()
    this.#pause.end()
    await this.#loop
    await Promise.all(this.#canceling)
  }

  /** Handles a change that has begun, progressed or ended. */
  #update(): void {
    const { change } = this.#parts.engine.topology
    if (this.#running !== null && this.#running.uid !== change?.uid) this.#running.abort.abort()
    this.#pause.end()
    if (this.#loop !== null || change === null || this.#isStopped) return
    this.#loop = this.#run().finally(() => {
      this.#loop = null
      const isOpen = this.#parts.engine.topology.change !== null
      if (isOpen && !this.#isStopped) setTimeout(() => this.#update(), RETRY_MS).unref()
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
        await new ChangeFollower(this.#followerParts(), change, abort.signal).run()
      } catch (error) {
        if (!abort.signal.aborted) report('A change of the network does not go on.', error)
      }
      this.#running = null
      if (this.#isStopped) return
      if (engine.topology.change?.uid === change.uid) await this.#pause.wait(RETRY_MS)
      else this.#afterwards(change)
    }
  }

  #followerParts(): FollowerParts {
    const { engine, send, times, now, report } = this.#parts
    const pause = (): Promise<void> => this.#pause.wait(TICK_MS)
    return { engine, send, times, now, report, calls: this.#calls, pause }
  }

  /** On the leader: cancels a change that did not succeed on all other instances. */
  #afterwards(change: TopologyChange): void {
    const { engine, report } = this.#parts
    if (change.origin.remoteName !== (change.after.self ?? change.before.self)) return
    const canceling = engine.tasks
      .get(change.uid, null)
      .then((task) => (task?.status === 'succeeded' ? undefined : this.#cancelOthers(change)))
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
    const pause = new Pause()
    using _ = addAbortListener(signal, () => pause.end())
    for (let i = 0; i < CANCELS && others.size > 0; i++) {
      if (i > 0) await pause.wait(RETRY_MS, false)
      if (signal.aborted) return
      await Promise.all(
        [...others].map(async ([name, remote]) => {
          const failure = await this.#calls.sendMessage(change, remote, message, signal)
          if (failure === null || failure.code === 'remote_bad_request') others.delete(name)
        }),
      )
    }
  }
}
