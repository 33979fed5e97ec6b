// Measures the time of `GET /health` repeatedly from a separate thread, so that other work of this
// process does not affect the figures.
import { Worker } from 'node:worker_threads'
import { awaitedLater } from '../../../engine/time/index.ts'

export type Prober = {
  /** Stops; returns milliseconds per answer. @throws if an answer was not 200 */
  readonly stop: () => Promise<readonly number[]>
}

/** Runs as text: it imports nothing of ours and must work from a bundle as well. */
const SOURCE = `
  const { Agent, get } = require('node:http')
  const { parentPort, workerData } = require('node:worker_threads')
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const millis = []
  let problem = ''
  let isOver = false
  parentPort.once('message', () => {
    isOver = true
  })
  const ask = () => {
    const begun = performance.now()
    const next = () => {
      millis.push(performance.now() - begun)
      if (isOver || problem !== '') {
        parentPort.postMessage({ millis, problem })
        parentPort.close()
        agent.destroy()
      } else setTimeout(ask, workerData.pauseMs)
    }
    get(workerData.url + '/health', { agent }, (response) => {
      if (response.statusCode !== 200) problem = 'status ' + response.statusCode
      response.resume().on('end', next)
    }).on('error', (error) => {
      problem = error.message
      next()
    })
  }
  ask()
`

export function startProber(url: string, pauseMs: number): Prober {
  const worker = new Worker(SOURCE, { eval: true, execArgv: [], workerData: { url, pauseMs } })
  const times = new Promise<readonly number[]>((resolve, reject) => {
    worker.once('error', reject)
    worker.once('message', ({ millis, problem }: { millis: number[]; problem: string }) => {
      if (problem === '') resolve(millis)
      else reject(new Error(`GET /health under load: ${problem}`))
    })
  })
  awaitedLater(times)
  return {
    stop: () => {
      worker.postMessage('stop')
      return times
    },
  }
}
