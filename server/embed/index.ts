// The package as a library: `import { openEngine } from 'svc-search'` runs the engine in the
// caller's process. The published declarations are the text of ./types.ts and a line for each value
// here (scripts/build/embed.mjs).
import { SvcSearchError as ErrorClass } from './errors.ts'
import { open } from './open.ts'
import type { OpenEngine, SvcSearchErrorConstructor } from './types.ts'

/** Opens the database in the folder `path`, with separate threads. @throws SvcSearchError */
export const openEngine: OpenEngine = (options) =>
  open(options, new URL('../workers/', import.meta.url))

export const SvcSearchError: SvcSearchErrorConstructor = ErrorClass
