// The package as a library: `import { openEngine } from 'svc-search'` runs the engine in the
// caller's process. The declarations that are shipped are the text of ./types.ts and a line for
// each value here (scripts/build/embed.mjs).
import { SvcSearchError as ErrorClass } from './errors.ts'
import { open } from './open.ts'
import type { OpenEngine, SvcSearchErrorConstructor } from './types.ts'

/** Beside this file once it is built. */
const program = (name: string): URL => new URL(`../workers/${name}.js`, import.meta.url)

/** Opens the database in the folder `path`, with threads of its own. @throws SvcSearchError */
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
