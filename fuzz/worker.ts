// The thread in which targets run. Coverage starts before the targets are loaded, so their code is
// counted; this file and its imports are a separate script and are not.
import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../format/errors.ts'
import { Campaign } from './campaign.ts'
import { Coverage } from './coverage.ts'
import type { Job } from './protocol.ts'
import type { FuzzTarget } from './target.ts'

const coverage = new Coverage((url) => url.startsWith('file:') && url !== import.meta.url)

const job = workerData as Job
// Only the code of this target: a thread that loads that of all of them needs seconds for it.
const target = job.target.startsWith('canary-')
  ? (await import('./canary.ts')).canaries.find(({ name }) => name === job.target)
  : ((await import(`./${job.target}.fuzz.ts`)) as { readonly target: FuzzTarget }).target
assert(target !== undefined, `there is a target ${job.target}`)
coverage.commit(coverage.take())
parentPort!.postMessage(await new Campaign(target, job, coverage).run())
