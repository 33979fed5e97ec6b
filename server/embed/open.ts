// Opens an engine for the calling process: checks the options and converts failures to public
// errors.
import { type EngineOptions as Complete, openEngine } from '../../engine/index.ts'
import { RELEASE } from '../config/index.ts'
import { EmbeddedEngine } from './embedded-engine.ts'
import { toPublic } from './errors.ts'
import { checkOptions, completed } from './options.ts'
import type { Engine, EngineOptions } from './types.ts'

/** The entry files of threads; null in both runs everything on the main thread, for tests. */
export type Threads = {
  readonly engine: Complete['workers']
  readonly bodies: URL | null
}

/** @throws SvcSearchError */
export async function open(options: EngineOptions, threads: Threads): Promise<Engine> {
  checkOptions(options)
  const complete = completed(options, RELEASE.version, threads.engine)
  try {
    const engine = await openEngine(complete)
    return new EmbeddedEngine(engine, threads.bodies, complete.report)
  } catch (error) {
    throw toPublic(error)
  }
}
