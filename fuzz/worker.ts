// The thread in which targets run. Coverage starts before the targets are loaded, so their code is
// counted; this file and its imports are a separate script and are not.
import { parentPort, workerData } from 'node:worker_threads'
import { assert } from '../format/errors.ts'
import { Campaign } from './campaign.ts'
import { Coverage } from './coverage.ts'
import type { Job } from './protocol.ts'

const coverage = new Coverage((url) => url.startsWith('file:') && url !== import.meta.url)
const { targets } = await import('./registry.ts')
const { canaries } = await import('./canary.ts')

const job = workerData as Job
const target = [...targets, ...canaries].find(({ name }) => name === job.target)
assert(target !== undefined, `there is a target ${job.target}`)
coverage.commit(coverage.take())
parentPort!.postMessage(await new Campaign(target, job, coverage).run())
