// Decides whether documents and indexes of another instance may arrive during a change.
import { EngineFault } from '../../model/index.ts'
import type { ImportedPart } from '../../write/task-data/index.ts'
import {
  exportersTo,
  type ImportSource,
  type TaskNetwork,
  type TaskOrigin,
  type TopologyChange,
} from '../records/index.ts'
import { noChange, notClean, notReady, unknownExporter } from './topology-faults.ts'
import { isSelfRenewed, type TopologyMessages } from './topology-messages.ts'

type Parts = {
  readonly importsOf: (version: string) => readonly ImportedPart[]
  readonly hasOlderTasks: () => boolean
}

export class ImportAdmission {
  readonly #messages: TopologyMessages
  readonly #parts: Parts

  constructor(messages: TopologyMessages, parts: Parts) {
    this.#messages = messages
    this.#parts = parts
  }

  /** Checks whether documents of another instance are accepted. @throws EngineFault */
  admit(network: Extract<TaskNetwork, { kind: 'import' }>): void {
    const { source } = network
    const change = this.#messages.expected(network.change)
    if (!exportersTo(change, change.after.self ?? '').includes(source.remoteName)) {
      throw unknownExporter(source.remoteName)
    }
    if (!this.#messages.isClean) throw notClean()
    const known = this.#parts.importsOf(change.after.version)
    if (isSelfRenewed(change) && !this.#mayImport(change, source)) throw notReady()
    const isKnown = known.some(
      (part) =>
        source.key !== null &&
        part.source.key === source.key &&
        part.source.remoteName === source.remoteName &&
        part.source.indexName === source.indexName,
    )
    if (!isKnown) return
    throw new EngineFault(
      'import_task_already_received',
      `The import task with key \`${source.key}\` was already received`,
    )
  }

  /**
   * Returns whether documents may arrive. An instance that gets its shards again first gets its
   * definitions from the leader, which may delete indexes: other exporters wait for that.
   */
  #mayImport({ after }: TopologyChange, { remoteName }: ImportSource): boolean {
    if (this.#parts.hasOlderTasks()) return false
    const { isDefined, ended } = this.#messages.all()
    return isDefined || remoteName === after.leader || ended.includes(after.leader ?? '')
  }

  /** As `TopologyPort.admitIndexes`. @throws EngineFault */
  admitIndexes(origin: TaskOrigin, hasDefinitions: boolean): void {
    const change = this.#messages.change
    if (change?.after.version !== origin.networkVersion) throw noChange()
    if (!this.#messages.isClean) throw notClean()
    if (isSelfRenewed(change) && this.#parts.hasOlderTasks()) throw notReady()
    if (!hasDefinitions) return
    const parts = this.#parts.importsOf(this.#messages.renewing(origin).after.version)
    const isDone = parts.every(({ source, hasEnded }) => source.indexName !== null || hasEnded)
    if (!this.#messages.all().isDefined || !isDone) throw notReady()
  }
}
