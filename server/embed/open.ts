// Opens an engine for the calling process: checks the options and converts failures to public
// errors.
import { openEngine, openReader, StorageError } from '../../engine/index.ts'
import { RELEASE } from '../config/index.ts'
import { EmbeddedEngine } from './embedded-engine.ts'
import { notWritable, toPublic } from './errors.ts'
import { checkOptions, completed } from './options.ts'
import type { Engine, EngineOptions } from './types.ts'
import { workersIn } from './workers.ts'

/**
 * `workers`: the folder with the entry files of threads, unless the options name another; null runs
 * everything on the main thread, for tests. @throws SvcSearchError
 */
export async function open(options: EngineOptions, workers: URL | null): Promise<Engine> {
  checkOptions(options)
  const files = workers === null ? null : workersIn(options.workersUrl ?? workers)
  const complete = completed(options, RELEASE.version, files?.engine ?? null)
  try {
    const isReader = options.readOnly === true
    const engine = isReader ? await openReader(complete) : await openEngine(complete)
    return new EmbeddedEngine(engine, files?.bodies ?? null, complete.report, isReader)
  } catch (error) {
    const isRefused = error instanceof StorageError && error.code === 'permission'
    throw isRefused && options.readOnly !== true ? notWritable(error) : toPublic(error)
  }
}
