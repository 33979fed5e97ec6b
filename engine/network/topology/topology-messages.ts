// Messages of other members about the running change, and the progress of this instance.
import { EngineFault } from '../../model/index.ts'
import {
  type ChangeMessages,
  exportersTo,
  type TaskOrigin,
  type TopologyChange,
} from '../records/index.ts'
import { noChange, otherVersion, unknownExporter } from './topology-faults.ts'
import type { TopologyRecords } from './topology-records.ts'

/** The version while no change runs. */
const NIL = '00000000-0000-0000-0000-000000000000'

type Parts = {
  readonly change: () => TopologyChange | null
  /** Called after each message. */
  readonly changed: () => void
}

export class TopologyMessages {
  readonly #records: TopologyRecords
  readonly #parts: Parts

  constructor(records: TopologyRecords, parts: Parts) {
    this.#records = records
    this.#parts = parts
  }

  get #version(): string {
    return this.change?.after.version ?? NIL
  }

  get change(): TopologyChange | null {
    return this.#parts.change()
  }

  all(): ChangeMessages {
    return this.#records.messages(this.#version)
  }

  async exportEnded(origin: TaskOrigin, remote: string): Promise<void> {
    const change = this.expected(origin)
    if (!exportersTo(change, change.after.self ?? '').includes(remote)) {
      throw unknownExporter(remote)
    }
    await this.note(({ ended, ...rest }) => ({
      ...rest,
      ended: ended.includes(remote) ? ended : [...ended, remote],
    }))
  }

  async importFinished(
    origin: TaskOrigin,
    remote: string,
    successful: boolean,
    isRouted: boolean | null,
  ): Promise<void> {
    const { before, after } = this.expected(origin)
    if (!before.remotes.has(remote) && !after.remotes.has(remote)) {
      throw new EngineFault(
        'receive_import_finished_unknown_remote',
        `The finished import notification emanates from an unknown remote \`${remote}\``,
      )
    }
    await this.note(({ finished, routed, ...rest }) => ({
      ...rest,
      finished: { ...finished, [remote]: successful },
      routed: isRouted === false || routed.includes(remote) ? routed : [...routed, remote],
    }))
  }

  /** Durable when it resolves. @throws StorageError */
  async note(change: (messages: ChangeMessages) => ChangeMessages): Promise<void> {
    await this.#records.note(this.#version, change)
    this.#parts.changed()
  }

  /** Returns the change that a message refers to. @throws EngineFault */
  expected({ networkVersion }: TaskOrigin): TopologyChange {
    const { change } = this
    if (change === null) throw noChange()
    if (change.after.version !== networkVersion) throw otherVersion(change, networkVersion)
    return change
  }

  async definitionsSent(origin: TaskOrigin): Promise<void> {
    this.renewing(origin)
    await this.note((messages) => ({ ...messages, isDefined: true }))
  }

  /** Returns the change in which this instance gets its shards again. @throws EngineFault */
  renewing({ networkVersion }: TaskOrigin): TopologyChange {
    const { change } = this
    if (change?.after.version !== networkVersion || !isSelfRenewed(change)) throw noChange()
    return change
  }

  /** Whether nothing is left here of an earlier change or an earlier membership. */
  get isClean(): boolean {
    const { change } = this
    const isDirty = change !== null && (change.isDirty || change.isReturning)
    return !isDirty || this.all().isClean
  }

  get isRouted(): boolean {
    const { change } = this
    return change !== null && this.all().routed.includes(selfOf(change))
  }

  async setRouted(change: TopologyChange, isRouted: boolean): Promise<void> {
    const self = selfOf(change)
    await this.note((messages) => {
      const others = messages.routed.filter((name) => name !== self)
      if (messages.routed.includes(self) === isRouted) return messages
      return { ...messages, routed: isRouted ? [...others, self] : others }
    })
  }
}

const selfOf = ({ after, before }: TopologyChange): string => after.self ?? before.self ?? ''

export const isSelfRenewed = ({ after, renewed }: TopologyChange): boolean =>
  after.self !== null && renewed.includes(after.self)
