// Entry point of the server. A search thread takes as long to load as the server itself, so the
// first one is started before everything else: on two cores both are ready in the time of one.
import { Worker } from 'node:worker_threads'
import { lowerThreadsOfV8, SEARCH_YOUNG_MEGABYTES, searchHeapMegabytes } from '../engine/index.ts'
import { requireNodeRelease } from './node-release.ts'

requireNodeRelease()
lowerThreadsOfV8()

/** The build puts these files next to this one. */
const search = new URL('../workers/search.js', import.meta.url)
const index = new URL('../workers/index.js', import.meta.url)
const archive = new URL('../workers/archive.js', import.meta.url)
const template = new URL('../workers/template.js', import.meta.url)
const models = new URL('../workers/models.js', import.meta.url)
const bodies = new URL('../workers/bodies.js', import.meta.url)
const preview = new URL('../preview/', import.meta.url)

/** A start that only prints help or the version needs no thread. */
const asksForText = process.argv.some((word) => /^(--help|-h|--version|-V)$/.test(word))
const firstSearch = asksForText
  ? null
  : new Worker(search, {
      name: 'search-0',
      workerData: null,
      resourceLimits: {
        maxOldGenerationSizeMb: searchHeapMegabytes(),
        maxYoungGenerationSizeMb: SEARCH_YOUNG_MEGABYTES,
      },
    })

import('./program.ts').then(
  ({ start }) => start({ search, index, archive, template, models, bodies, firstSearch }, preview),
  (error: unknown) => {
    process.stderr.write(`${String(error)}\n`)
    process.exit(1)
  },
)
