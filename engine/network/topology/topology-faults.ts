// Faults of messages from other instances about a topology change.
import { EngineFault } from '../../model/index.ts'
import type { TopologyChange } from '../records/index.ts'

/** A temporary fault: the caller tries again. */
export const notReady = (): EngineFault =>
  new EngineFault(
    'import_task_without_network_task',
    'The instance gets its shards anew, and is not ready for them yet',
  )

/** A temporary fault, like `notReady`. */
export const notClean = (): EngineFault =>
  new EngineFault(
    'import_task_without_network_task',
    'The instance deletes what an earlier network topology change has left behind',
  )

export const noChange = (): EngineFault =>
  new EngineFault(
    'import_task_without_network_task',
    'No network topology change task is currently enqueued or processing',
  )

export const otherVersion = ({ after }: TopologyChange, version: string): EngineFault =>
  new EngineFault(
    'network_version_mismatch',
    `The network task version (\`${after.version}\`) does not match the import task version ` +
      `(\`${version}\`)`,
  )

export const unknownExporter = (remote: string): EngineFault =>
  new EngineFault(
    'import_task_unknown_remote',
    `The import task emanates from an unknown remote \`${remote}\``,
  )
