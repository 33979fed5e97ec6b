// What the engine is told of the launch options.
import { availableParallelism } from 'node:os'
import type { EngineOptions } from '../engine/engine.ts'
import type { Config } from './config/index.ts'
import type { Log } from './log/index.ts'

/** `workers`: the files that the engine's threads run. */
export function engineOptions(
  config: Config,
  version: string,
  workers: NonNullable<EngineOptions['workers']>,
  log: Log,
): EngineOptions {
  return {
    path: config.dbPath,
    version,
    upgrade: config.experimentalDumplessUpgrade,
    workers,
    searchThreads: availableParallelism(),
    searchQueueMax: config.experimentalSearchQueueSize,
    indexingMemoryMax: config.maxIndexingMemory,
    batchTasksMax: config.experimentalMaxNumberOfBatchedTasks,
    batchBytesMax: config.experimentalLimitBatchedTasksTotalSize,
    report: (message, error) => log.error(message, { cause: causeText(error) }),
  }
}

const causeText = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error)
