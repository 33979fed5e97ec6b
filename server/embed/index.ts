// The package as a library: `import { openEngine } from 'svc-search'` runs the engine in the
// caller's process. The published declarations are the text of ./types.ts and a line for each value
// here (scripts/build/embed.mjs).
import { SvcSearchError as ErrorClass } from './errors.ts'
import { open } from './open.ts'
import type { OpenEngine, SvcSearchErrorConstructor } from './types.ts'

/** The build puts these files next to this one. */
const program = (name: string): URL => new URL(`../workers/${name}.js`, import.meta.url)

/** Opens the database in the folder `path`, with separate threads. @throws SvcSearchError */
export const openEngine: OpenEngine = (options) =>
  open(options, {
    engine: {
      search: program('search'),
      index: program('index'),
      archive: program('archive'),
      template: program('template'),
      models: program('models'),
    },
    bodies: program('bodies'),
  })

export const SvcSearchError: SvcSearchErrorConstructor = ErrorClass
